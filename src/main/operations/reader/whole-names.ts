import { AspyError } from '../../../shared/contract/errors.ts'
import { storedMatches } from '../../recall/stored-filters.ts'
import type { Reader } from '../../store/read/reader.ts'

const ABSOLUTE = /^(?:[/\\]|[a-z]:[/\\])/i
/** In these, a folder name means all projects with that name. */
const SEARCHES = /^(?:recall|thinking|prompts|responses|memories)\./

/**
 * Replaces the name of a folder, and that of a tool in another case or without its server, in an operation's input by
 * the recorded name, as search filters do. Whole paths and unknown names are kept.
 * @throws AspyError bad_input if a name is ambiguous
 */
export function withWholeNames(reader: Reader, operation: string, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || SEARCHES.test(operation)) return input
  const named = Object.entries(input).map(([field, value]) => [field, wholeField(reader, field, value)])
  return Object.fromEntries(named)
}

function wholeField(reader: Reader, field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (field === 'project') {
    return ABSOLUTE.test(value) ? value : meant(reader, 'project', value, 'give a whole path')
  }
  return field === 'tool_name' || field === 'tool' ? meant(reader, 'tool', value, 'give a whole name') : value
}

function meant(reader: Reader, name: 'project' | 'tool', value: string, advice: string): string {
  if (value === '') return value
  const [found, ...others] = storedMatches(reader, name, value)
  if (found === undefined || others.includes(value)) return value
  if (others.length === 0) return found
  const named = [found, ...others].slice(0, 5).join(', ')
  throw new AspyError('bad_input', `"${value}" means ${others.length + 1} ${name}s; ${advice}: ${named}`)
}
