import { isSameFolder, mainFolderOf } from '../../shared/folders.ts'
import { nearestFirst } from '../../shared/nearest-name.ts'
import { TIME_FILTERS } from '../../shared/recall-notes.ts'
import type { Reader } from '../store/read/reader.ts'
import { agentIdsFrom, agentsOfTypes, newestSessions, sessionsFrom, storedValues } from '../store/read/recall-values.ts'
import { FILTER_NAMES, type FilterName, KIND_NAMES } from './filters.ts'
import { projectsMeant } from './projects-meant.ts'

/** `agent:main` selects the main agent, which has no id. */
export const MAIN_AGENT = 'main'
/** Maximum number of values that an answer lists. */
const MAX_LISTED = 12

/**
 * Returns the stored values that match a filter: a project by its path or folder name, a session by the beginning of
 * its id, a tool in any case and without its server, a model by a part of its name, an agent by its id or type.
 */
export function storedMatches(reader: Reader, name: FilterName, value: string): readonly string[] {
  const wanted = value.toLowerCase()
  if (name === 'session') return sessionsFrom(reader, value)
  if (name === 'agent') return agentsMeant(reader, value)
  const stored = storedValues(reader, name)
  if (name === 'project') return withWorktrees(stored, projectsMeant(stored, value))
  const same = stored.filter((one) => one.toLowerCase() === wanted)
  if (same.length > 0) return same
  if (name === 'tool') return stored.filter((one) => one.toLowerCase().split('__').at(-1) === wanted)
  const begins = stored.filter((one) => one.toLowerCase().startsWith(wanted))
  if (begins.length > 0 || name === 'client') return begins
  return stored.filter((one) => one.toLowerCase().includes(wanted))
}

/** Returns the stored values that match an argument; an unknown one selects nothing. */
export function valuesMeant(reader: Reader, name: FilterName, value: string | null): readonly string[] | null {
  if (value === null) return null
  const found = storedMatches(reader, name, value)
  if (found.length === 0) return [value]
  // An exact value selects only itself; a folder its other spellings, too, and the worktrees in it.
  return found.includes(value)
    ? found.filter((one) => isSameFolder(one, value) || isSameFolder(mainFolderOf(one), value))
    : found
}

/** Adds the worktrees that are in one of the folders. */
const withWorktrees = (stored: readonly string[], found: readonly string[]): readonly string[] =>
  stored.filter((one) => found.includes(one) || found.some((folder) => isSameFolder(mainFolderOf(one), folder)))

function agentsMeant(reader: Reader, value: string): readonly string[] {
  const wanted = value.toLowerCase()
  if (wanted === MAIN_AGENT) return [MAIN_AGENT]
  const types = storedValues(reader, 'agent').filter((type) => type.toLowerCase() === wanted)
  const ids = types.length > 0 ? agentsOfTypes(reader, types) : agentIdsFrom(reader, value)
  return ids
}

/** Returns stored values that a filter could have named, nearest first, to suggest when `value` matches none. */
export function valuesOf(reader: Reader, name: string, value: string): readonly string[] {
  if (name === 'kind' || name === 'type' || name === 'is') return KIND_NAMES
  if (TIME_FILTERS.includes(name)) return ['2026-03-04', '4 March', 'yesterday', 'last Tuesday', '7d']
  const known = FILTER_NAMES.find((one) => one === name)
  if (known === undefined) return []
  if (known === 'session') return newestSessions(reader, MAX_LISTED)
  const own = known === 'agent' ? [MAIN_AGENT, ...storedValues(reader, 'agent')] : storedValues(reader, known)
  return nearestFirst(value, own).slice(0, MAX_LISTED)
}
