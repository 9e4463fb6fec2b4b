import type { Reader } from './reader.ts'

/** Maximum number of values compared with a filter's: the most recent ones of their kind. */
const MAX_VALUES = 5000
const MAX_SESSIONS = 200
const KEPT_MS = 2000

/** Values that a filter of a search can select. */
export type StoredName = 'project' | 'session' | 'tool' | 'model' | 'agent' | 'client'

const VALUES: { readonly [Name in Exclude<StoredName, 'session'>]: string } = {
  project: `SELECT value, max(last) AS last FROM (
       SELECT project AS value, max(last_event_at) AS last FROM sessions WHERE project IS NOT NULL GROUP BY 1
       UNION ALL SELECT project, max(quarter) FROM rollups WHERE project <> '' GROUP BY 1)
     GROUP BY 1 ORDER BY 2 DESC LIMIT ?`,
  tool: 'SELECT tool_name AS value, sum(calls) AS last FROM tool_totals GROUP BY 1 ORDER BY 2 DESC LIMIT ?',
  model:
    "SELECT model AS value, sum(calls) AS last FROM model_totals WHERE model <> '' GROUP BY 1 ORDER BY 2 DESC LIMIT ?",
  agent:
    'SELECT agent_type AS value, max(started_at) AS last FROM agents WHERE agent_type IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT ?',
  client: 'SELECT client AS value, count(*) AS last FROM sessions GROUP BY 1 ORDER BY 2 DESC LIMIT ?',
}

/** Returns the stored values of one kind, the most used or most recent first; at most two seconds old. */
export function storedValues(reader: Reader, name: Exclude<StoredName, 'session'>): readonly string[] {
  return reader.cached(
    `values of ${name}`,
    () => KEPT_MS,
    () => reader.all<{ value: string }>(VALUES[name], MAX_VALUES).map(({ value }) => value),
  )
}

/** Returns sessions whose id begins with a text, newest first. */
export function sessionsFrom(reader: Reader, start: string): readonly string[] {
  return reader
    .all<{ id: string }>(
      'SELECT id FROM sessions WHERE id >= ? AND id < ? ORDER BY id LIMIT ?',
      start,
      `${start}\u{10FFFF}`,
      MAX_SESSIONS,
    )
    .map(({ id }) => id)
}

/** Returns the newest sessions. */
export const newestSessions = (reader: Reader, count: number): readonly string[] =>
  reader
    .all<{ id: string }>('SELECT id FROM sessions ORDER BY last_event_at DESC, id DESC LIMIT ?', count)
    .map(({ id }) => id)

/** Returns the ids of agents that begin with a text. */
export function agentIdsFrom(reader: Reader, start: string): readonly string[] {
  return reader
    .all<{ agent_id: string }>(
      'SELECT DISTINCT agent_id FROM agents WHERE substr(agent_id, 1, ?) = ? LIMIT ?',
      start.length,
      start,
      MAX_SESSIONS,
    )
    .map(({ agent_id }) => agent_id)
}

/** Returns the ids of agents of some types. */
export function agentsOfTypes(reader: Reader, types: readonly string[]): readonly string[] {
  return reader
    .all<{ agent_id: string }>(
      'SELECT DISTINCT agent_id FROM agents WHERE agent_type IN (SELECT value FROM json_each(?)) ORDER BY started_at DESC LIMIT ?',
      JSON.stringify(types),
      MAX_VALUES,
    )
    .map(({ agent_id }) => agent_id)
}
