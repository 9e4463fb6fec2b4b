import type { Caller } from './callers.ts'
import type { Transaction } from './connection.ts'

/** A transaction's changes, for updating the derived tables. Days are ISO dates, hashes hex. */
export interface Touched {
  readonly sessions: Set<string>
  readonly days: Set<string>
  /** Sessions with changed requests in the cache ledger. */
  readonly judged: Set<string>
  /** Contents that may have lost their last event. */
  readonly hashes: Set<string>
}

interface Gone {
  readonly uuid: string
  readonly session_key: string
  readonly day: string
  readonly judged: boolean
}

/** Deletes sessions for good, whichever device sent them, and refuses them from now on. */
export async function removeSessions(
  tx: Transaction,
  { memberId }: Pick<Caller, 'memberId'>,
  keys: readonly string[],
  touched: Touched,
): Promise<number> {
  if (keys.length === 0) return 0
  await tx`INSERT INTO tombstones (member_id, session_key)
    SELECT ${memberId}::integer, k FROM unnest(${[...keys]}::uuid[]) k ON CONFLICT DO NOTHING`
  return deleteSessions(tx, memberId, keys, touched)
}

/** Deletes sessions without a tombstone: a withdrawal, which may be sent again later. */
export async function deleteSessions(
  tx: Transaction,
  memberId: number,
  keys: readonly string[],
  touched: Touched,
): Promise<number> {
  const gone = await tx<
    Gone[]
  >`DELETE FROM events WHERE member_id = ${memberId} AND session_key = ANY(${[...keys]}::uuid[])
    RETURNING uuid, session_key, (ts AT TIME ZONE 'UTC')::date::text AS day, cache_sent_at IS NOT NULL AS judged`
  await deleteDependents(tx, memberId, gone, touched, 'with keys')
  const sessions = await tx<{ session_id: string }[]>`DELETE FROM sessions
    WHERE member_id = ${memberId} AND session_key = ANY(${[...keys]}::uuid[]) RETURNING session_id`
  const ids = sessions.map(({ session_id }) => session_id)
  // The audit keeps who read whose texts, but not which session.
  await tx`UPDATE read_audit SET session_id = 'deleted' WHERE owner_id = ${memberId} AND session_id = ANY(${ids}::text[])`
  return gone.length
}

/** Deletes events that a device no longer has. Those that another device sent stay. */
export async function removeEvents(
  tx: Transaction,
  { memberId, deviceId }: Caller,
  keys: readonly string[],
  touched: Touched,
): Promise<void> {
  if (keys.length === 0) return
  const gone = await tx<Gone[]>`DELETE FROM events e USING event_keys k
    WHERE k.member_id = ${memberId} AND k.key = ANY(${[...keys]}::uuid[]) AND e.member_id = k.member_id AND e.month = k.month
      AND e.uuid = k.uuid AND e.device_id = ${deviceId}
    RETURNING e.uuid, e.session_key, (e.ts AT TIME ZONE 'UTC')::date::text AS day, e.cache_sent_at IS NOT NULL AS judged`
  await deleteDependents(tx, memberId, gone, touched, 'with keys')
}

/** Deletes texts, references to contents and, if asked, the keys of deleted events. */
export async function deleteDependents(
  tx: Transaction,
  memberId: number,
  gone: readonly Gone[],
  touched: Touched,
  keys: 'with keys' | 'keep keys',
): Promise<void> {
  if (gone.length === 0) return
  const uuids = gone.map(({ uuid }) => uuid)
  for (const { session_key, day, judged } of gone) {
    touched.sessions.add(session_key)
    if (judged) touched.judged.add(session_key)
    touched.days.add(day)
  }
  await tx`DELETE FROM texts WHERE member_id = ${memberId} AND uuid = ANY(${uuids}::uuid[])`
  const references = await tx<{ hash: string }[]>`DELETE FROM event_contents
    WHERE member_id = ${memberId} AND uuid = ANY(${uuids}::uuid[]) RETURNING encode(hash, 'hex') AS hash`
  for (const { hash } of references) touched.hashes.add(hash)
  if (keys === 'with keys')
    await tx`DELETE FROM event_keys WHERE member_id = ${memberId} AND uuid = ANY(${uuids}::uuid[])`
}
