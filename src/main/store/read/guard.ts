import { modelNames } from '../../decode/wire/model-names.ts'
import { quarterOf } from '../projections/rollups.ts'
import type { Reader } from './reader.ts'

/** Reads the amounts that the guard compares with its caps. */

interface Sum {
  readonly usd: number
  readonly tokens: number
}

const NOTHING: Sum = { usd: 0, tokens: 0 }

/** Returns the cost of a session so far. */
export const usageOfSession = (reader: Reader, session: string): Sum =>
  reader.get<Sum>('SELECT total_cost_usd AS usd, total_tokens AS tokens FROM sessions WHERE id = ?', session) ?? NOTHING

/** Returns the cost of some agents of a session so far. */
export function usageOfAgents(reader: Reader, session: string, agents: readonly string[]): Sum {
  return (
    reader.get<Sum>(
      `SELECT coalesce(sum(cost_usd), 0.0) AS usd,
         coalesce(sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens), 0) AS tokens
       FROM api_usage WHERE session_id = ? AND agent_id IN (SELECT value FROM json_each(?))`,
      session,
      JSON.stringify(agents),
    ) ?? NOTHING
  )
}

/** Returns the parent of each agent of a session; null: the main agent started it. */
export function agentsOf(reader: Reader, session: string): ReadonlyMap<string, string | null> {
  const rows = reader.all<{ agent_id: string; parent_agent_id: string | null }>(
    'SELECT agent_id, parent_agent_id FROM agents WHERE session_id = ?',
    session,
  )
  return new Map(rows.map(({ agent_id, parent_agent_id }) => [agent_id, parent_agent_id]))
}

/** Returns the tokens of a time range (ISO 8601; `until` is exclusive), to the quarter of an hour, like costs. */
export function tokensSpent(
  reader: Reader,
  { since, until, project }: { since: string; until: string; project?: string },
): number {
  const ofProject = project === undefined ? '' : ' AND project = ?'
  const row = reader.get<{ tokens: number }>(
    `SELECT coalesce(sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens), 0) AS tokens
     FROM rollups WHERE model <> '' AND quarter >= ? AND quarter < ?${ofProject}`,
    quarterOf(since),
    until.slice(0, 16),
    ...(project === undefined ? [] : [project]),
  )
  return row?.tokens ?? 0
}

/** Returns the working directory of a session; null if it is not known. */
export const sessionProject = (reader: Reader, session: string): string | null =>
  reader.get<{ project: string | null }>('SELECT project FROM sessions WHERE id = ?', session)?.project ?? null

/** Returns the working directory of a session's newest prompt or request, or else its first; null if none is known. */
export function newestProject(reader: Reader, session: string): string | null {
  const newest = reader.get<{ project: string }>(
    `SELECT project FROM events INDEXED BY events_by_session_time
     WHERE session_id = ? AND agent_id IS NULL AND project IS NOT NULL
       AND kind IN ('session_started', 'user_prompt', 'model_request') ORDER BY ts_wall DESC, id DESC LIMIT 1`,
    session,
  )
  return newest?.project ?? sessionProject(reader, session)
}

/** A call that an estimate may learn from. */
export interface PastCall {
  readonly model: string
  readonly timestamp: string
  readonly prompt_tokens: number
  /** null: its answer ended early. */
  readonly output_tokens: number | null
}

/** Number of calls of all sessions that are looked at. */
const LEARNED_ANSWERS = 500

/** Returns the tokens of output of the newest whole answers of a model, in all sessions, whatever a gateway calls it. */
export function outputsOf(reader: Reader, model: string): readonly number[] {
  const name = modelNames(model).at(-1)
  return reader
    .all<{ model: string; output_tokens: number }>(
      `SELECT model, output_tokens FROM (SELECT * FROM api_usage ORDER BY id DESC LIMIT ?) WHERE basis <> 'lower_bound'`,
      LEARNED_ANSWERS,
    )
    .flatMap((one) => (one.model === model || modelNames(one.model).at(-1) === name ? [one.output_tokens] : []))
}

/** Returns the times of the newest answers that passed the proxy, in ms, in the order of their arrival. */
export function momentsRecorded(reader: Reader): readonly number[] {
  return reader
    .all<{ timestamp: string }>(
      `SELECT timestamp FROM (SELECT id, timestamp FROM api_usage ORDER BY id DESC LIMIT ?) u
       WHERE EXISTS (SELECT 1 FROM events e WHERE e.id = u.id AND e.source = 'wire') ORDER BY id`,
      LEARNED_ANSWERS,
    )
    .map(({ timestamp }) => Date.parse(timestamp))
}

/** Number of calls that an estimate learns from. */
const LEARNED_CALLS = 20

/** Returns the newest calls of a session's agent, newest first. */
export function callsBefore(reader: Reader, session: string, agent: string | null): readonly PastCall[] {
  return reader.all<PastCall>(
    `SELECT model, timestamp, input_tokens + cache_read_tokens + cache_creation_tokens AS prompt_tokens,
       iif(basis = 'lower_bound', NULL, output_tokens) AS output_tokens
     FROM api_usage INDEXED BY api_usage_by_session
     WHERE session_id = ? AND agent_id IS ? ORDER BY turn_id DESC, id DESC LIMIT ?`,
    session,
    agent,
    LEARNED_CALLS,
  )
}
