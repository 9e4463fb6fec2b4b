import { AspyError } from '../../../shared/contract/errors.ts'
import type { Batch, Receipt } from '../protocol/batch.ts'
import type { Caller } from './callers.ts'
import { cleanJson, cleanText } from './clean-json.ts'
import type { Sql, Transaction } from './connection.ts'
import { onDatabase } from './database-error.ts'
import { deriveCache, deriveSessions, deriveUsage } from './derive.ts'
import { removeEvents, removeSessions, type Touched } from './remove.ts'
import { stage, type Staged } from './stage.ts'

/** A batch as a device may send it. A verified batch names only contents that its hashes match. */
export function createIngest(sql: Sql) {
  return {
    /**
     * Stores a batch in one transaction. A repeated batch changes nothing.
     * @throws AspyError conflict if it was made for another store, or does not follow this store's position in the log;
     * bad_input if it refers to contents that this device did not send; store_unavailable
     */
    take: (caller: Caller, batch: Batch, hashOf: (text: string) => string) =>
      onDatabase(async () => {
        assertHashes(batch, hashOf)
        return (await sql.begin((tx) => takeBatch(tx, caller, batch))) as Receipt
      }),
  }
}

function assertHashes({ contents }: Batch, hashOf: (text: string) => string): void {
  for (const { hash, content } of contents)
    if (hashOf(content) !== hash) throw new AspyError('bad_input', 'a content does not match its hash')
}

async function takeBatch(tx: Transaction, caller: Caller, sent: Batch): Promise<Receipt> {
  // One batch of a member at a time: its keys, sums and sessions are read and written together.
  await tx`SELECT pg_advisory_xact_lock(hashtext('aspy member'), ${caller.memberId})`
  await assertDevice(tx, caller)
  const batch = await withOwnIds(tx, caller, sent)
  const [team] = await tx<{ id: string }[]>`SELECT id FROM team`
  if (team?.id !== batch.target_id)
    throw new AspyError('conflict', 'the batch was made for another team store; run aspy team join again')
  const known = await positionOf(tx, caller, batch)
  if (batch.epoch === known.epoch && batch.up_to <= known.position) return { ...known, stored: 0 }
  assertFollows(batch, known)
  const touched: Touched = { sessions: new Set(), days: new Set(), judged: new Set(), hashes: new Set() }
  await removeSessions(tx, caller, batch.tombstones, touched)
  await removeEvents(tx, caller, batch.removed, touched)
  await storeContents(tx, caller, batch)
  const { stored }: Staged = await stage(tx, caller, batch, touched)
  await storeSessions(tx, caller, batch)
  for (const { session_key } of batch.sessions) touched.sessions.add(session_key)
  await deriveSessions(tx, caller.memberId, touched)
  await deriveUsage(tx, caller.memberId, touched)
  await deriveCache(tx, caller.memberId, touched)
  await dropUnusedContents(tx, touched)
  await tx`INSERT INTO device_positions (device_id, log, epoch, position)
    VALUES (${caller.deviceId}, ${cleanText(batch.log)}, ${batch.epoch}, ${batch.up_to})
    ON CONFLICT (device_id, log) DO UPDATE SET epoch = excluded.epoch, position = excluded.position, updated_at = now()`
  await tx`UPDATE devices SET last_seen_at = now() WHERE id = ${caller.deviceId}`
  return { position: batch.up_to, epoch: batch.epoch, stored }
}

/**
 * Names sessions by their key if another member has sent the same id before: whoever opens that id is shown the session of
 * the member who sent it first, and the list of the other one leads to no title but its own.
 */
async function withOwnIds(tx: Transaction, { memberId }: Caller, batch: Batch): Promise<Batch> {
  const named = [...new Set([...batch.events, ...batch.sessions].map(({ session_id: id }) => cleanText(id)))]
  const taken = await tx<{ session_id: string }[]>`SELECT DISTINCT s.session_id FROM sessions s
    WHERE s.session_id = ANY(${named}::text[]) AND s.member_id <> ${memberId} AND NOT EXISTS (SELECT 1 FROM sessions o
      WHERE o.session_id = s.session_id AND o.member_id = ${memberId} AND o.first_seen_at <= s.first_seen_at)`
  if (taken.length === 0) return batch
  const others = new Set(taken.map(({ session_id: id }) => id))
  const own = <Row extends { session_id: string; session_key: string }>(row: Row): Row =>
    others.has(cleanText(row.session_id)) ? { ...row, session_id: row.session_key } : row
  return { ...batch, events: batch.events.map(own), sessions: batch.sessions.map(own) }
}

/** Checks again within the transaction: a device that was revoked meanwhile stores nothing. */
async function assertDevice(tx: Transaction, { deviceId }: Caller): Promise<void> {
  const [device] = await tx`SELECT 1 FROM devices d JOIN members m ON m.id = d.member_id
    WHERE d.id = ${deviceId} AND d.revoked_at IS NULL AND m.disabled_at IS NULL AND m.role <> 'reader' FOR SHARE OF d`
  if (device === undefined) throw new AspyError('unauthorized', 'this device may not send: it was revoked')
}

async function positionOf(
  tx: Transaction,
  caller: Caller,
  { log }: Batch,
): Promise<{ epoch: number; position: number }> {
  const [row] = await tx<{ epoch: number; position: string }[]>`SELECT epoch, position FROM device_positions
    WHERE device_id = ${caller.deviceId} AND log = ${cleanText(log)}`
  return row === undefined ? { epoch: 0, position: 0 } : { epoch: row.epoch, position: Number(row.position) }
}

function assertFollows({ epoch, after }: Batch, known: { readonly epoch: number; readonly position: number }): void {
  if (epoch < known.epoch)
    throw new AspyError('conflict', `the batch has epoch ${epoch}; this store has ${known.epoch} of this log`)
  const from = epoch > known.epoch ? 0 : known.position
  if (after > from)
    throw new AspyError('conflict', `the batch begins after ${after}; this store has this log up to ${from}`)
}

async function storeContents(tx: Transaction, caller: Caller, { contents }: Batch): Promise<void> {
  if (contents.length === 0) return
  const rows = JSON.stringify(contents.map(({ hash, content }) => ({ hash, content: cleanText(content) })))
  await tx`INSERT INTO contents (hash, content, bytes)
    SELECT DISTINCT ON (hash) decode(hash, 'hex'), content, octet_length(content)
    FROM jsonb_to_recordset(${rows}::text::jsonb) AS c (hash text, content text) ON CONFLICT DO NOTHING`
  await tx`INSERT INTO content_senders (device_id, hash)
    SELECT DISTINCT ${caller.deviceId}::uuid, decode(hash, 'hex')
    FROM jsonb_to_recordset(${rows}::text::jsonb) AS c (hash text) ON CONFLICT DO NOTHING`
}

async function storeSessions(tx: Transaction, caller: Caller, { sessions }: Batch): Promise<void> {
  if (sessions.length === 0) return
  const rows = JSON.stringify(cleanJson(sessions))
  await tx`INSERT INTO sessions AS s (member_id, session_key, session_id, level, shared, project, git_branch, title, client,
      client_version, source, active_ms, ended_at)
    SELECT DISTINCT ON (n.session_key) ${caller.memberId}::integer, n.session_key, n.session_id, n.level, n.shared, n.project,
      n.git_branch, n.title, n.client, n.client_version, n.source, n.active_ms, n.ended_at
    FROM jsonb_populate_recordset(NULL::sessions, ${rows}::text::jsonb) AS n
    WHERE NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.member_id = ${caller.memberId} AND t.session_key = n.session_key)
    ON CONFLICT (member_id, session_key) DO UPDATE SET session_id = excluded.session_id, level = excluded.level,
      shared = excluded.shared, project = excluded.project, git_branch = excluded.git_branch, title = excluded.title,
      client = excluded.client, client_version = excluded.client_version, source = excluded.source,
      active_ms = greatest(s.active_ms, excluded.active_ms), ended_at = excluded.ended_at
    WHERE excluded.level = 'full' OR s.level = 'metadata'
      OR NOT EXISTS (SELECT 1 FROM events e WHERE e.member_id = s.member_id AND e.session_key = s.session_key AND e.level = 'full')`
}

async function dropUnusedContents(tx: Transaction, { hashes }: Touched): Promise<void> {
  if (hashes.size === 0) return
  const gone = await tx<{ hash: string }[]>`DELETE FROM contents c WHERE c.hash IN (
      SELECT decode(h, 'hex') FROM unnest(${[...hashes]}::text[]) h)
    AND NOT EXISTS (SELECT 1 FROM event_contents e WHERE e.hash = c.hash) RETURNING encode(hash, 'hex') AS hash`
  if (gone.length > 0)
    await tx`DELETE FROM content_senders WHERE hash IN (
      SELECT decode(h, 'hex') FROM unnest(${gone.map(({ hash }) => hash)}::text[]) h)`
}
