import { AspyError } from '../../../shared/contract/errors.ts'
import { isSameFolder, mainFolderOf, windowsName } from '../../../shared/folders.ts'
import { storedMatches, valuesMeant } from '../../recall/stored-filters.ts'
import type { Reader } from '../../store/read/reader.ts'

const ABSOLUTE = /^(?:[/\\]|[a-z]:[/\\])/i
/** In these, a folder name means all projects with that name. */
const SEARCHES = /^(?:recall|thinking|prompts|responses|memories)\./

/** Lists that take several spellings of one folder. */
const LISTS = /^sessions\.list$/

/**
 * Replaces the name of a folder, and that of a tool in another case or without its server, in an operation's input by
 * the recorded name, as search filters do. Whole paths and unknown names are kept.
 * @throws AspyError bad_input if a name is ambiguous
 */
export function withWholeNames(reader: Reader, operation: string, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || SEARCHES.test(operation)) return input
  const named = Object.entries(input).map(([field, value]) => [
    field,
    field === 'project' && LISTS.test(operation) ? foldersMeant(reader, value) : wholeField(reader, field, value),
  ])
  return Object.fromEntries(named)
}

/** Returns all names of the folder, with the worktrees in it. */
function foldersMeant(reader: Reader, value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value
  const found = valuesMeant(reader, 'project', value) ?? []
  const folder = ABSOLUTE.test(value) ? value : mainFolderOf(found[0] ?? value)
  const same = found.filter((one) => isSameFolder(one, folder) || isSameFolder(mainFolderOf(one), folder))
  if (ABSOLUTE.test(value)) return same.length === 0 ? value : same
  return same.length === found.length ? found : wholeField(reader, 'project', value)
}

function wholeField(reader: Reader, field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (field === 'project')
    return ABSOLUTE.test(value) ? spelled(reader, value) : meant(reader, 'project', value, 'give a whole path')
  return field === 'tool_name' || field === 'tool' ? meant(reader, 'tool', value, 'give a whole name') : value
}

/** Returns the recorded spelling of a folder of Windows. */
function spelled(reader: Reader, folder: string): string {
  const name = windowsName(folder)
  if (name === null) return folder
  const known = storedMatches(reader, 'project', folder).filter((one) => windowsName(one) === name)
  return known.includes(folder) ? folder : (known[0] ?? folder)
}

function meant(reader: Reader, name: 'project' | 'tool', value: string, advice: string): string {
  if (value === '') return value
  const [found, ...others] = storedMatches(reader, name, value)
  if (found === undefined || others.includes(value)) return value
  if (others.length === 0) return found
  const named = [found, ...others].slice(0, 5).join(', ')
  throw new AspyError('bad_input', `"${value}" means ${others.length + 1} ${name}s; ${advice}.\n${named}`)
}
