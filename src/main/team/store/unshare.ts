import type { SharedProject } from '../protocol/batch.ts'
import type { Caller } from './callers.ts'
import type { Sql } from './connection.ts'
import { onDatabase } from './database-error.ts'
import { deriveCache, deriveUsage } from './derive.ts'
import type { Touched } from './remove.ts'

/** Returns the projects with sessions of a member that other members can read in part. */
export function sharedProjects(sql: Sql, { memberId }: Caller): Promise<readonly SharedProject[]> {
  return onDatabase(
    () => sql<SharedProject[]>`SELECT session_key, project FROM sessions WHERE member_id = ${memberId} AND shared
      UNION SELECT s.session_key, e.project FROM sessions s
        JOIN events e ON e.session_key = s.session_key AND e.member_id = s.member_id AND e.shared
        WHERE s.member_id = ${memberId}`,
  )
}

/** Ends other members' access to a member's sessions, whichever device sent them. Returns the number of events. */
export function unshare(sql: Sql, { memberId, deviceId }: Caller, sessions: readonly string[]): Promise<number> {
  return onDatabase(
    async () =>
      (await sql.begin(async (tx) => {
        await tx`SELECT pg_advisory_xact_lock(hashtext('aspy member'), ${memberId})`
        const keys = [...sessions]
        const rows = await tx<{ uuid: string; session_key: string; day: string; judged: boolean }[]>`UPDATE events
          SET shared = FALSE WHERE member_id = ${memberId} AND session_key = ANY(${keys}::uuid[]) AND shared
          RETURNING uuid, session_key, (ts AT TIME ZONE 'UTC')::date::text AS day, cache_sent_at IS NOT NULL AS judged`
        const uuids = rows.map(({ uuid }) => uuid)
        await tx`UPDATE texts SET shared = FALSE WHERE member_id = ${memberId} AND uuid = ANY(${uuids}::uuid[]) AND shared`
        await tx`UPDATE event_contents SET shared = FALSE
          WHERE member_id = ${memberId} AND uuid = ANY(${uuids}::uuid[]) AND shared`
        await tx`UPDATE sessions SET shared = FALSE
          WHERE member_id = ${memberId} AND session_key = ANY(${keys}::uuid[]) AND shared`
        const touched: Touched = {
          sessions: new Set(),
          days: new Set(rows.map(({ day }) => day)),
          judged: new Set(rows.flatMap(({ session_key, judged }) => (judged ? [session_key] : []))),
          hashes: new Set(),
        }
        await deriveUsage(tx, memberId, touched)
        await deriveCache(tx, memberId, touched)
        // A pending batch was made under an older policy: it is refused, and the device starts over.
        await tx`UPDATE device_positions SET epoch = epoch + 1, position = 0 WHERE device_id = ${deviceId}`
        return rows.length
      })) as number,
  )
}
