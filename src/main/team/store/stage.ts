import { AspyError } from '../../../shared/contract/errors.ts'
import type { Batch, BatchEvent } from '../protocol/batch.ts'
import type { Caller } from './callers.ts'
import { cleanJson, cleanText } from './clean-json.ts'
import type { Transaction } from './connection.ts'
import { searchedWords } from './text-words.ts'
import { deleteDependents, type Touched } from './remove.ts'

/** Events stored from a batch, new or replaced. */
export interface Staged {
  readonly stored: number
}

/** Kinds of texts that search finds, by kind of event. */
const TEXT_KINDS: Readonly<Record<string, string>> = {
  user_prompt: 'user_prompt',
  assistant_text: 'assistant_response',
  thinking: 'thinking',
  compaction: 'compaction',
}

/** Earlier times are impossible: the first client is younger. So are times later than a day from now. */
const EARLIEST = '2020-01-01'

/**
 * Writes the events of a batch: first to a table of the transaction, then in one statement each to the tables. A fact
 * that is known already, by any of its keys, is replaced if this version is later or better, and otherwise left
 * unchanged.
 */
export async function stage(tx: Transaction, caller: Caller, batch: Batch, touched: Touched): Promise<Staged> {
  if (batch.events.length === 0) return { stored: 0 }
  await fill(tx, caller, batch)
  await assertOwnContents(tx, caller)
  await resolve(tx, caller)
  await replaceKnown(tx, caller, touched)
  const stored = await insert(tx, caller, touched)
  await tx`DROP TABLE staging`
  return { stored }
}

async function fill(tx: Transaction, { memberId }: Caller, batch: Batch): Promise<void> {
  await tx`CREATE TEMP TABLE staging ON COMMIT DROP AS
    SELECT s.*, NULL::uuid AS known, NULL::date AS known_month, NULL::bigint AS known_id, NULL::timestamptz AS known_received_at,
      CASE WHEN s.ts < ${EARLIEST}::timestamptz OR s.ts > now() + interval '1 day' THEN DATE '0001-01-01'
        ELSE date_trunc('month', s.ts AT TIME ZONE 'UTC')::date END AS month
    FROM jsonb_to_recordset(${JSON.stringify(rowsOf(batch.events))}::text::jsonb) AS s (n integer, level text, uuid uuid, keys uuid[],
      session_id text, session_key uuid, turn_id integer, seq integer, agent_id text, parent_uuid uuid, parent_key uuid,
      root_uuid uuid, depth integer, kind text, source text, ts timestamptz, duration_ms double precision, success boolean, position bigint,
      project text, shared boolean, is_prompt boolean, tool_name text, outcome text, model text, basis text,
      input_tokens bigint, output_tokens bigint, thinking_tokens bigint, cache_read_tokens bigint,
      cache_creation_tokens bigint, cache_creation_1h_tokens bigint, cost_usd double precision, rank smallint,
      cache_sent_at timestamptz, cache_exchange uuid, cache_could_read bigint, cache_missed_tokens bigint,
      cache_waste_usd double precision, cache_cause text, cache_vendor_agrees boolean, limits jsonb,
      error_message text, payload jsonb, contents text[], text text, text_kind text, words text)
    WHERE NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.member_id = ${memberId} AND t.session_key = s.session_key)`
}

function rowsOf(events: readonly BatchEvent[]): object[] {
  const seen = new Set<string>()
  return events.flatMap((event, n) => {
    if (seen.has(event.uuid)) return []
    seen.add(event.uuid)
    const { usage, cache, ...rest } = event
    const ledger = Object.entries(cache ?? {}).map(([name, value]) => [`cache_${name}`, value] as const)
    const isFull = event.level === 'full'
    const text = isFull && event.text !== null ? cleanText(event.text) : null
    const kind = text === null ? null : (TEXT_KINDS[event.kind] ?? null)
    return [
      {
        ...(cleanJson(rest) as object),
        ...usage,
        ...Object.fromEntries(ledger),
        n,
        rank: rankOf(event),
        payload: isFull ? cleanJson(event.payload) : {},
        contents: isFull ? event.contents : [],
        text,
        text_kind: kind,
        words: text === null || kind === null ? null : searchedWords(text),
      },
    ]
  })
}

/**
 * If two devices have versions of a fact, the better one counts: complete ones, then measured usage, then live traffic.
 */
const rankOf = ({ level, usage, source }: BatchEvent): number =>
  (level === 'full' ? 4 : 0) + (usage?.basis === 'measured' ? 2 : 0) + (source === 'wire' ? 1 : 0)

async function assertOwnContents(tx: Transaction, { deviceId }: Caller): Promise<void> {
  const [missing] = await tx`SELECT 1 FROM staging s CROSS JOIN unnest(s.contents) h WHERE NOT EXISTS (
    SELECT 1 FROM content_senders c WHERE c.device_id = ${deviceId} AND c.hash = decode(h, 'hex')) LIMIT 1`
  if (missing !== undefined)
    throw new AspyError('bad_input', 'the batch refers to a content that this device did not send')
}

/** Finds the known event of each row by any of its keys. */
async function resolve(tx: Transaction, { memberId }: Caller): Promise<void> {
  await tx`UPDATE staging s SET known = e.uuid, known_month = e.month, known_id = e.id, known_received_at = e.received_at
    FROM (SELECT DISTINCT ON (s.n) s.n, k.uuid, k.month FROM staging s CROSS JOIN unnest(s.keys) AS one (key)
      JOIN event_keys k ON k.member_id = ${memberId} AND k.key = one.key ORDER BY s.n, k.uuid) found
    JOIN events e ON e.member_id = ${memberId} AND e.uuid = found.uuid AND e.month = found.month
    WHERE s.n = found.n`
}

/**
 * Deletes rows that better ones replace, and new rows that are not better. Their keys are kept: they name the same
 * fact.
 */
async function replaceKnown(tx: Transaction, { memberId, deviceId }: Caller, touched: Touched): Promise<void> {
  await tx`INSERT INTO event_keys (member_id, key, month, uuid)
    SELECT DISTINCT ON (one.key) ${memberId}::integer, one.key, s.known_month, s.known FROM staging s CROSS JOIN unnest(s.keys) AS one (key)
    WHERE s.known IS NOT NULL ON CONFLICT DO NOTHING`
  await tx`DELETE FROM staging s USING events e WHERE e.member_id = ${memberId} AND e.month = s.known_month AND e.uuid = s.known
    AND e.device_id <> ${deviceId} AND e.rank >= s.rank`
  // Two rows of one batch for the same fact: the first one counts.
  await tx`DELETE FROM staging s USING staging o WHERE s.known = o.known AND s.n > o.n`
  const gone = await tx<
    { uuid: string; session_key: string; day: string; judged: boolean }[]
  >`DELETE FROM events e USING staging s
    WHERE e.member_id = ${memberId} AND e.month = s.known_month AND e.uuid = s.known
    RETURNING e.uuid, e.session_key, (e.ts AT TIME ZONE 'UTC')::date::text AS day, e.cache_sent_at IS NOT NULL AS judged`
  await deleteDependents(tx, memberId, gone, touched, 'keep keys')
}

async function insert(tx: Transaction, { memberId, deviceId }: Caller, touched: Touched): Promise<number> {
  // Keys of replaced facts follow: the row may have another uuid now, or another month.
  await tx`UPDATE event_keys k SET uuid = s.uuid, month = s.month FROM staging s
    WHERE s.known IS NOT NULL AND k.member_id = ${memberId} AND k.uuid = s.known`
  await tx`INSERT INTO event_keys (member_id, key, month, uuid)
    SELECT DISTINCT ON (one.key) ${memberId}::integer, one.key, s.month, s.uuid FROM staging s CROSS JOIN unnest(s.keys) AS one (key)
    ORDER BY one.key, s.n ON CONFLICT DO NOTHING`
  const added = await tx<
    { session_key: string; day: string; judged: boolean }[]
  >`INSERT INTO events (month, id, uuid, member_id, device_id, session_id,
      session_key, turn_id, seq, agent_id, parent_uuid, root_uuid, depth, kind, source, ts, received_at, duration_ms, success,
      error_message, level, rank, position, shared, project, is_prompt, tool_name, outcome, model, basis, input_tokens,
      output_tokens, thinking_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_1h_tokens, cost_usd, cache_sent_at,
      cache_exchange, cache_could_read, cache_missed_tokens, cache_waste_usd, cache_cause, cache_vendor_agrees, limits, payload)
    SELECT s.month, coalesce(s.known_id, nextval('event_ids')), s.uuid, ${memberId}::integer, ${deviceId}::uuid, s.session_id,
      s.session_key, s.turn_id, s.seq, s.agent_id,
      coalesce((SELECT k.uuid FROM event_keys k WHERE k.member_id = ${memberId} AND k.key = s.parent_key), s.parent_uuid), s.root_uuid,
      s.depth, s.kind, s.source, s.ts, coalesce(s.known_received_at, now()), s.duration_ms, s.success, s.error_message, s.level,
      s.rank, s.position, s.shared, s.project, s.is_prompt, s.tool_name, s.outcome, s.model, s.basis, s.input_tokens,
      s.output_tokens, s.thinking_tokens, s.cache_read_tokens, s.cache_creation_tokens, s.cache_creation_1h_tokens, s.cost_usd,
      s.cache_sent_at, s.cache_exchange, s.cache_could_read, s.cache_missed_tokens, s.cache_waste_usd, s.cache_cause,
      s.cache_vendor_agrees, s.limits, s.payload
    FROM (SELECT * FROM staging ORDER BY n) s ON CONFLICT DO NOTHING
    RETURNING session_key, (ts AT TIME ZONE 'UTC')::date::text AS day, cache_sent_at IS NOT NULL AS judged`
  for (const { session_key, day, judged } of added) {
    if (judged) touched.judged.add(session_key)
    touched.sessions.add(session_key)
    touched.days.add(day)
  }
  await tx`INSERT INTO texts (month, member_id, uuid, session_id, turn_id, kind, ts, project, shared, content, words)
    SELECT month, ${memberId}::integer, uuid, session_id, turn_id, text_kind, ts, project, shared, text,
      to_tsvector('english', words) FROM staging
    WHERE text IS NOT NULL AND text_kind IS NOT NULL ON CONFLICT DO NOTHING`
  await tx`INSERT INTO event_contents (hash, month, member_id, uuid, shared)
    SELECT DISTINCT decode(h, 'hex'), s.month, ${memberId}::integer, s.uuid, s.shared FROM staging s CROSS JOIN unnest(s.contents) h
    ON CONFLICT DO NOTHING`
  return added.length
}
