import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { GuardAction } from '../../../shared/guard-action.ts'
import type { Reader } from './reader.ts'

/** Counts the requests of sessions that the guard refused, by session; of those without any, nothing. */
export function refusedIn(reader: Reader, ids: readonly string[]): ReadonlyMap<string, number> {
  const rows = reader.all<{ id: string; refused: number }>(
    `SELECT e.session_id AS id, count(*) AS refused FROM json_each(?) wanted
     CROSS JOIN errors e ON e.session_id = wanted.value WHERE e.origin = 'guard' GROUP BY e.session_id`,
    JSON.stringify(ids),
  )
  return new Map(rows.map(({ id, refused }) => [id, refused]))
}

/** Counts the requests that the guard refused since a moment. */
export const refusedSince = (reader: Reader, since: string): number =>
  reader.get<{ refused: number }>(
    "SELECT count(*) AS refused FROM errors WHERE timestamp >= ? AND origin = 'guard'",
    since,
  )?.refused ?? 0

/** Counts what the guard refused in a session, by cap and who decided; empty if it refused nothing. */
export function refusalsIn(reader: Reader, session: string): Pick<OperationOutput<'sessions.get'>, 'refusals'> {
  const rows = reader.all<{ payload: string }>(
    "SELECT payload FROM events WHERE session_id = ? AND kind = 'guard_action' ORDER BY ts_wall DESC, id DESC LIMIT 2000",
    session,
  )
  const actions = rows.map(({ payload }) => reader.payload(payload) as unknown as GuardAction)
  const refused = actions.filter(({ action }) => action === 'refused')
  const alike = [...Map.groupBy(refused, ({ cap, limit, decided_by }) => `${cap} ${limit} ${decided_by}`).values()]
  const refusals = alike.flatMap((all) =>
    all.slice(0, 1).map(({ cap, limit, decided_by }) => ({ cap, limit, decided_by, requests: all.length })),
  )
  return refusals.length === 0 ? {} : { refusals }
}
