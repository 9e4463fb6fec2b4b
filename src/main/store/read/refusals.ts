import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { GuardAction } from '../../../shared/guard-action.ts'
import type { Reader } from './reader.ts'

/** SQL that counts the requests of a session `s.id` that the guard refused. */
export const REFUSED = "(SELECT count(*) FROM errors e WHERE e.session_id = s.id AND e.origin = 'guard')"

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
