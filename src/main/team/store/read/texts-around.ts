import type { FoundText } from './recall.ts'
import { findSession, type ReadContext } from './scope.ts'

/** A text of a session, with its whole content. */
export type SessionText = Omit<FoundText, 'headline' | 'rank'>

/** Returns the text of an event and those just before and after it in its session, oldest first. */
export async function textsAround(
  context: ReadContext,
  event: { readonly uuid: string; readonly session_id: string; readonly ts_wall: string },
  neighbours: number,
): Promise<readonly SessionText[]> {
  const { sql } = context
  const { member_id } = await findSession(context, event.session_id)
  const columns = sql`t.uuid, t.member_id, m.name AS member, t.session_id, t.turn_id, t.kind, t.ts, t.project, t.content`
  const of = sql`texts t JOIN members m ON m.id = t.member_id WHERE t.session_id = ${event.session_id} AND t.member_id = ${member_id}`
  return sql<SessionText[]>`SELECT * FROM (
      (SELECT ${columns} FROM ${of} AND (t.ts, t.uuid) < (${event.ts_wall}::timestamptz, ${event.uuid}::uuid)
       ORDER BY t.ts DESC, t.uuid DESC LIMIT ${neighbours})
      UNION ALL (SELECT ${columns} FROM ${of} AND t.uuid = ${event.uuid})
      UNION ALL (SELECT ${columns} FROM ${of} AND (t.ts, t.uuid) > (${event.ts_wall}::timestamptz, ${event.uuid}::uuid)
       ORDER BY t.ts, t.uuid LIMIT ${neighbours})) around
    ORDER BY ts, uuid`
}
