import type { Caller } from '../store/callers.ts'
import type { Sql } from '../store/connection.ts'
import type { Owned } from '../store/read/scope.ts'

/** Records readers of other members' texts in `read_audit`, before the answer is sent. */
export async function noteRead(sql: Sql, caller: Caller, operation: string, rows: readonly Owned[]): Promise<void> {
  const others = rows.filter(({ member_id }) => member_id !== caller.memberId)
  if (others.length === 0) return
  const entries = [...Map.groupBy(others, ({ member_id, session_id }) => `${member_id} ${session_id}`).values()].map(
    (group) => ({ owner_id: group[0]?.member_id, session_id: group[0]?.session_id, texts: group.length }),
  )
  await sql`INSERT INTO read_audit (reader_id, device_id, operation, owner_id, session_id, texts)
    SELECT ${caller.memberId}::integer, ${caller.deviceId}::uuid, ${operation}, owner_id, session_id, texts
    FROM jsonb_to_recordset(${JSON.stringify(entries)}::text::jsonb) AS e (owner_id integer, session_id text, texts integer)`
}
