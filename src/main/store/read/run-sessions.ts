import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import { UNPRICED, unpricedOf } from '../../../shared/spend.ts'
import type { Reader } from './reader.ts'
import { findSession } from './sessions.ts'

/** Usage by the requests of a run, or else by all of a session since the run began. */
const SUMS = `count(*) AS calls, coalesce(sum(u.input_tokens + u.output_tokens + u.cache_read_tokens + u.cache_creation_tokens), 0)
  AS total_tokens, coalesce(sum(u.cost_usd), 0) AS total_cost_usd, count(*) FILTER (WHERE u.cost_usd IS NULL) AS ${UNPRICED}`

type Sums = Readonly<Record<'total_tokens' | 'total_cost_usd' | typeof UNPRICED, number>>

/** Returns the sessions of a run of a client, and what the run cost in each. */
export function sessionsOfRun(
  reader: Reader,
  { exchanges, sessions, began_at: since }: ParsedInput<'runs.sessions'>,
): OperationOutput<'runs.sessions'>['items'] {
  const asked = reader.all<{ id: number; session_id: string }>(
    'SELECT e.id, e.session_id FROM json_each(?) wanted CROSS JOIN events e ON e.uuid = wanted.value',
    JSON.stringify(exchanges),
  )
  const bySession = Map.groupBy(asked, ({ session_id }) => session_id)
  return [...new Set([...bySession.keys(), ...sessions])].flatMap((id) => {
    const session = findSession(reader, id)
    if (session === undefined) return []
    const requests = bySession.get(id)?.map((request) => request.id)
    const sums = requests === undefined ? sumsSince(reader, id, since) : sumsOf(reader, requests)
    return [
      {
        id,
        prompts: promptsSince(reader, id, since),
        total_tokens: sums?.total_tokens ?? 0,
        total_cost_usd: sums?.total_cost_usd ?? 0,
        [UNPRICED]: unpricedOf(sums ?? {}),
        refused: refusedSince(reader, id, since),
        session_cost_usd: session.total_cost_usd,
      },
    ]
  })
}

/** An answer is known by its request: as the ledger has it, or as its parent. */
const sumsOf = (reader: Reader, requests: readonly number[]): Sums | undefined =>
  reader.get<Sums>(
    `WITH asked AS (SELECT e.id, e.uuid FROM json_each(?) wanted CROSS JOIN events e ON e.id = wanted.value),
       answered AS (SELECT c.id FROM asked a CROSS JOIN cache_calls c ON c.request_uuid = a.uuid
         UNION SELECT k.event_id FROM asked a CROSS JOIN ancestry k ON k.parent_id = a.id)
     SELECT ${SUMS} FROM answered a CROSS JOIN api_usage u ON u.id = a.id`,
    JSON.stringify(requests),
  )

const sumsSince = (reader: Reader, id: string, since: string): Sums | undefined =>
  reader.get<Sums>(`SELECT ${SUMS} FROM api_usage u WHERE u.session_id = ? AND u.timestamp >= ?`, id, since)

/** A resumed session shows its earlier prompts again: those are not of the run. */
function promptsSince(reader: Reader, id: string, since: string): number {
  const rows = reader.all<{ payload: string }>(
    `SELECT e.payload FROM user_prompts p CROSS JOIN events e ON e.id = p.id WHERE p.session_id = ? AND p.timestamp >= ?`,
    id,
    since,
  )
  return rows.filter(({ payload }) => reader.head(payload)['seen_in_history'] !== true).length
}

const refusedSince = (reader: Reader, id: string, since: string): number =>
  reader.get<{ refused: number }>(
    "SELECT count(*) AS refused FROM errors WHERE session_id = ? AND origin = 'guard' AND timestamp >= ?",
    id,
    since,
  )?.refused ?? 0
