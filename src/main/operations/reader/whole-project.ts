import { AspyError } from '../../../shared/contract/errors.ts'
import { storedMatches } from '../../recall/stored-filters.ts'
import type { Reader } from '../../store/read/reader.ts'

const ABSOLUTE = /^(?:[/\\]|[a-z]:[/\\])/i
/** These take a folder name for all projects that it means. */
const SEARCHES = /^(?:recall|thinking|prompts|responses|memories)\./

/**
 * Replaces the name of a folder in an operation's input by the recorded project that it means, as the filter `project:` of a
 * search does. Whole paths, and names that mean nothing recorded, stay. @throws AspyError bad_input if it means several
 */
export function withWholeProject(reader: Reader, operation: string, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('project' in input)) return input
  const { project } = input
  if (typeof project !== 'string' || project === '' || ABSOLUTE.test(project) || SEARCHES.test(operation)) return input
  const [found, ...others] = storedMatches(reader, 'project', project)
  if (found === undefined) return input
  if (others.length > 0) {
    const named = [found, ...others].slice(0, 5).join(', ')
    throw new AspyError('bad_input', `"${project}" means ${others.length + 1} projects; give a whole path: ${named}`)
  }
  return { ...input, project: found }
}
