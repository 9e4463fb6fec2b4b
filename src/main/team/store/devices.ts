import type { Caller } from './callers.ts'
import type { Sql } from './connection.ts'
import { onDatabase } from './database-error.ts'
import { deriveCache, deriveSessions, deriveUsage } from './derive.ts'
import { deleteDependents, deleteSessions, type Touched } from './remove.ts'

/** A member's devices, and the progress of the calling device. */
export interface OwnState {
  readonly devices: readonly { readonly id: string; readonly name: string; readonly last_seen_at: string | null }[]
  readonly positions: readonly { readonly log: string; readonly epoch: number; readonly position: number }[]
}

export function ownState(sql: Sql, { memberId, deviceId }: Caller): Promise<OwnState> {
  return onDatabase(async () => {
    const devices = await sql<
      { id: string; name: string; last_seen_at: Date | null }[]
    >`SELECT id, name, last_seen_at FROM devices
      WHERE member_id = ${memberId} AND revoked_at IS NULL ORDER BY created_at`
    const positions = await sql<{ log: string; epoch: number; position: string }[]>`SELECT log, epoch, position
      FROM device_positions WHERE device_id = ${deviceId}`
    return {
      devices: devices.map(({ last_seen_at, ...rest }) => ({
        ...rest,
        last_seen_at: last_seen_at?.toISOString() ?? null,
      })),
      positions: positions.map(({ position, ...rest }) => ({ ...rest, position: Number(position) })),
    }
  })
}

/** The sessions of a device that are withdrawn. */
export interface Withdrawal {
  /** Keys of sessions; null: everything that this device sent. */
  readonly sessions: readonly string[] | null
}

/** Deletes a device's data. Sessions that another device of the member sent, too, keep that one's events. */
export function withdraw(sql: Sql, { memberId, deviceId }: Caller, { sessions }: Withdrawal): Promise<number> {
  return onDatabase(
    async () =>
      (await sql.begin(async (tx) => {
        await tx`SELECT pg_advisory_xact_lock(hashtext('aspy member'), ${memberId})`
        const touched: Touched = { sessions: new Set(), days: new Set(), judged: new Set(), hashes: new Set() }
        const own = await tx<
          { session_key: string; alone: boolean }[]
        >`SELECT session_key, bool_and(device_id = ${deviceId}) AS alone
          FROM events WHERE member_id = ${memberId} GROUP BY session_key HAVING bool_or(device_id = ${deviceId})`
        const asked = own.filter(({ session_key }) => sessions === null || sessions.includes(session_key))
        const alone = asked.filter((one) => one.alone).map(({ session_key }) => session_key)
        let gone = alone.length === 0 ? 0 : await deleteSessions(tx, memberId, alone, touched)
        const mixed = asked.filter((one) => !one.alone).map(({ session_key }) => session_key)
        if (mixed.length > 0) {
          const rows = await tx<
            { uuid: string; session_key: string; day: string; judged: boolean }[]
          >`DELETE FROM events
            WHERE member_id = ${memberId} AND device_id = ${deviceId} AND session_key = ANY(${mixed}::uuid[])
            RETURNING uuid, session_key, (ts AT TIME ZONE 'UTC')::date::text AS day, cache_sent_at IS NOT NULL AS judged`
          gone += rows.length
          await deleteDependents(tx, memberId, rows, touched, 'with keys')
        }
        await deriveSessions(tx, memberId, touched)
        await deriveUsage(tx, memberId, touched)
        await deriveCache(tx, memberId, touched)
        // A pending batch was made before the withdrawal, under an older policy: it is refused, and the device starts
        // over.
        await tx`UPDATE device_positions SET epoch = epoch + 1, position = 0 WHERE device_id = ${deviceId}`
        if (touched.hashes.size > 0)
          await tx`DELETE FROM contents c WHERE NOT EXISTS (SELECT 1 FROM event_contents e WHERE e.hash = c.hash)
            AND c.hash IN (SELECT decode(h, 'hex') FROM unnest(${[...touched.hashes]}::text[]) h)`
        return gone
      })) as number,
  )
}

/** Revokes the calling device. */
export const leave = (sql: Sql, { deviceId }: Caller): Promise<void> =>
  onDatabase(async () => {
    await sql`UPDATE devices SET revoked_at = now() WHERE id = ${deviceId}`
  })
