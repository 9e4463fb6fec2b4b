import { createHash } from 'node:crypto'
import { batchOf, fullEvent, type TeamDevice } from '../support/team/team-device.ts'
import type { TeamWorld } from '../support/team/team-world.ts'

/**
 * Fills a team's tables by SQL, with rows of the shape that replication stores: sending ten million events through the
 * server would take hours. `shapesThatDiffer` compares them with rows that were sent.
 */

export const EVENTS_A_SESSION = 2500

/** Kinds of events in the order in which they repeat. A quarter of them have texts, and an eighth are calls of the API. */
const KINDS = [
  'api_usage',
  'assistant_text',
  'tool_call',
  'tool_result',
  'thinking',
  'model_request',
  'tool_call',
  'tool_result',
] as const

const USAGE = {
  basis: 'measured',
  input_tokens: 3,
  output_tokens: 400,
  thinking_tokens: null,
  cache_read_tokens: 90_000,
  cache_creation_tokens: 900,
  cache_creation_1h_tokens: 0,
  cost_usd: 0.06,
}

const MISSED = {
  sent_at: '2026-02-03T08:00:00.000Z',
  exchange: uuidAt(1),
  could_read: 90_900,
  missed_tokens: 900,
  waste_usd: 0.001,
  cause: 'ttl_expired',
  vendor_agrees: null,
}

/** Returns a batch with a session of all kinds, to be sent through the server. */
export function sampleBatch(device: TeamDevice, session: string): Record<string, unknown> {
  const events = Array.from({ length: 2 * KINDS.length }, (_, n) => {
    const kind = KINDS[n % KINDS.length] ?? 'thinking'
    const isText = kind === 'assistant_text' || kind === 'thinking'
    const isTool = kind === 'tool_call' || kind === 'tool_result'
    const text = isText ? `a text of ${session}` : null
    return fullEvent(device, {
      session_id: session,
      kind,
      seq: n,
      parent_uuid: uuidAt(n),
      root_uuid: uuidAt(0),
      ts: new Date(Date.UTC(2026, 1, 3, 8, 0, n)).toISOString(),
      is_prompt: false,
      success: kind === 'tool_result' ? true : null,
      outcome: kind === 'tool_result' ? 'ok' : null,
      duration_ms: kind === 'tool_result' ? 120 : null,
      tool_name: isTool ? 'Bash' : null,
      usage: kind === 'api_usage' ? { model: 'm0', ...USAGE } : null,
      ...(kind === 'api_usage' ? { cache: n === 0 ? MISSED : { ...MISSED, missed_tokens: 0, cause: null } } : {}),
      text,
      payload: { text: text ?? 'a payload' },
    })
  })
  return batchOf(device, events)
}

/** Returns what PostgreSQL makes of `md5(n::text)::uuid`. */
export function uuidAt(n: number): string {
  const hex = createHash('md5').update(String(n)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Fills the tables up to a size, as batches of 20 members over 300 days would. `most` is the largest size of the run. */
export async function fillTo(team: TeamWorld, size: number, most: number): Promise<void> {
  await team.sql(
    `INSERT INTO members (name, role) SELECT 'member ' || n, 'member' FROM generate_series(1, 20) n ON CONFLICT DO NOTHING`,
  )
  const from = Number(await team.sql("SELECT count(*) FROM events WHERE session_id LIKE 'filled %'"))
  // Indexes are built faster once the rows are there.
  const secondary = `pg_index x JOIN pg_class t ON t.oid = x.indrelid
    WHERE NOT x.indisprimary AND t.relname IN ('events', 'texts', 'event_keys')`
  const countIndexes = () => team.sql("SELECT count(*) FROM pg_indexes WHERE schemaname = 'public'")
  const before = await countIndexes()
  // PostgreSQL describes an index of a partitioned table as one of the parent alone.
  const indexes = await team.sql(
    `SELECT replace(pg_get_indexdef(x.indexrelid), ' ON ONLY ', ' ON ') || ';' FROM ${secondary}`,
  )
  await team.sql(`DO $$ DECLARE name text; BEGIN FOR name IN SELECT x.indexrelid::regclass::text FROM ${secondary}
    LOOP EXECUTE 'DROP INDEX ' || name; END LOOP; END $$`)
  await team.sql(eventsUpTo(from, size, most))
  await team.sql(`INSERT INTO event_keys (member_id, key, month, uuid) SELECT member_id, md5('k' || position)::uuid, month, uuid
    FROM events WHERE session_id LIKE 'filled %' AND position >= ${from}`)
  await team.sql(`INSERT INTO texts (month, member_id, uuid, session_id, turn_id, kind, ts, project, shared, content, words)
    SELECT *, to_tsvector('english', content) FROM (SELECT e.month, e.member_id, e.uuid, e.session_id, e.turn_id,
      CASE e.kind WHEN 'thinking' THEN 'thinking' ELSE 'assistant_response' END, e.ts, e.project, false,
      (SELECT string_agg(w, ' ') FROM (SELECT 'word' || (50000 * power(random(), 3))::int AS w FROM generate_series(1, 15)
        WHERE e.position >= 0) words) AS content
    FROM events e WHERE e.session_id LIKE 'filled %' AND e.position >= ${from} AND e.kind IN ('assistant_text', 'thinking')) made`)
  await team.sql(`SET maintenance_work_mem = '1GB'; ${indexes}`)
  if ((await countIndexes()) !== before) throw new Error('the indexes are not those of before')
  await team.sql(SUMS)
  await team.sql('VACUUM ANALYZE')
}

/** Returns the statement that adds events, of 100 to a chain and 2,500 to a session. */
function eventsUpTo(from: number, size: number, most: number): string {
  const ofUsage = (value: string) => `CASE WHEN n % 8 = 0 THEN ${value} END`
  const ofResult = (value: string) => `CASE WHEN n % 4 = 3 THEN ${value} END`
  const sessions = Math.ceil(most / EVENTS_A_SESSION)
  return `INSERT INTO events (month, uuid, member_id, device_id, session_id, session_key, turn_id, seq, parent_uuid, root_uuid,
      depth, kind, source, ts, duration_ms, success, level, rank, position, shared, project, tool_name, outcome, model, basis,
      input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_1h_tokens, cost_usd, cache_sent_at,
      cache_exchange, cache_could_read, cache_missed_tokens, cache_waste_usd, cache_cause, payload)
    SELECT date_trunc('month', at AT TIME ZONE 'UTC')::date, md5(n::text)::uuid, first + s % 20, md5('d' || s % 20)::uuid,
      'filled ' || s, md5('s' || s)::uuid, n % ${EVENTS_A_SESSION} / 40 + 1, n % 40,
      CASE WHEN n % 100 > 0 THEN md5((n - 1)::text)::uuid END, md5((n / 100 * 100)::text)::uuid, n % 100,
      (ARRAY['${KINDS.join("','")}'])[n % 8 + 1], 'wire', at, ${ofResult('120')}, ${ofResult('true')}, 'full',
      CASE WHEN n % 8 = 0 THEN 7 ELSE 5 END, n, false, 'project ' || s % 50,
      CASE WHEN n % 4 = 3 OR n % 8 IN (2, 6) THEN 'tool ' || n % 30 END, ${ofResult("'ok'")}, ${ofUsage("'m' || n % 3")},
      ${ofUsage("'measured'")}, ${ofUsage('3')}, ${ofUsage('400')}, ${ofUsage('90000')}, ${ofUsage('900')}, ${ofUsage('0')},
      ${ofUsage('0.06')}, ${ofUsage('at')}, ${ofUsage('md5((n + 5)::text)::uuid')}, ${ofUsage('90900')},
      ${ofUsage('CASE WHEN n % 64 = 0 THEN 900 ELSE 0 END')}, ${ofUsage('0.001')},
      CASE WHEN n % 64 = 0 THEN (ARRAY['ttl_expired', 'first_request', 'messages_changed'])[n / 64 % 3 + 1] END,
      jsonb_build_object('text', repeat(md5(n::text), 8))
    FROM (SELECT n, n / ${EVENTS_A_SESSION} AS s, (SELECT min(id) FROM members WHERE name LIKE 'member %') AS first,
      '2026-01-01'::timestamptz + (n / ${EVENTS_A_SESSION}) * interval '300 days' / ${sessions}
        + (n % ${EVENTS_A_SESSION}) * interval '3 seconds' AS at FROM generate_series(${from}, ${size - 1}) n) g`
}

/** Computes the sums of the filled rows as batches do (`src/main/team/store/derive.ts`). */
const SUMS = `DELETE FROM sessions WHERE session_id LIKE 'filled %';
  INSERT INTO sessions (member_id, session_key, session_id, level, shared, project, title, client, events, started_at,
    last_event_at, turn_count, tool_calls, thinking_blocks, total_tokens, total_cost_usd, calls, model)
  SELECT min(member_id), session_key, min(session_id), 'full', false, min(project), 'title of ' || min(session_id),
    'claude-code', count(*), min(ts), max(ts), max(turn_id), count(*) FILTER (WHERE kind = 'tool_call'),
    count(*) FILTER (WHERE kind = 'thinking'),
    sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens), sum(cost_usd), count(model),
    (array_agg(model ORDER BY turn_id DESC, ts DESC) FILTER (WHERE kind = 'api_usage'))[1]
  FROM events WHERE session_id LIKE 'filled %' GROUP BY session_key;
  DELETE FROM cache_daily;
  INSERT INTO cache_daily SELECT (cache_sent_at AT TIME ZONE 'UTC')::date, member_id, session_key, project, shared,
    coalesce(cache_cause, ''), count(*), sum(cache_could_read), sum(cache_read_tokens), sum(cache_missed_tokens),
    sum(cache_waste_usd), sum(cost_usd), 0, 0, 0
  FROM events WHERE cache_sent_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  DELETE FROM usage_daily;
  INSERT INTO usage_daily SELECT (ts AT TIME ZONE 'UTC')::date, member_id, project, model, shared, count(*),
    sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_creation_tokens), sum(cost_usd), 0, 0
  FROM events WHERE kind = 'api_usage' AND model IS NOT NULL GROUP BY 1, 2, 3, 4, 5`

/**
 * Compares filled rows with those of a session that was sent: by table and kind, the columns that have a value, and the
 * number of texts and keys an event. Returns what differs.
 */
export async function shapesThatDiffer(team: TeamWorld, sent: string): Promise<string[]> {
  // The first event of a chain has no parent, and every event sent by hand has one.
  const columns = (row: string) => `(SELECT string_agg(c, ' ' ORDER BY c) FROM jsonb_object_keys(jsonb_strip_nulls(
    to_jsonb(${row}) - 'parent_uuid' - 'payload')) c)`
  const shapes = async (of: string) => {
    const rows = await team.sql(`SELECT DISTINCT 'events ' || e.kind || ': ' || ${columns('e')} || '; '
        || (SELECT count(*) FROM texts t WHERE t.uuid = e.uuid AND t.member_id = e.member_id) || ' texts, '
        || (SELECT count(*) FROM event_keys k WHERE k.uuid = e.uuid AND k.member_id = e.member_id) || ' keys'
      FROM events e WHERE ${of}
      UNION SELECT DISTINCT 'texts ' || e.kind || ': ' || ${columns('e')} FROM texts e WHERE ${of}
      UNION SELECT DISTINCT 'sessions: ' || ${columns('e')} FROM sessions e WHERE ${of} ORDER BY 1`)
    return rows.split('\n')
  }
  const [real, filled] = [await shapes(`e.session_id = '${sent}'`), await shapes("e.session_id = 'filled 1'")]
  return [
    ...real.filter((shape) => !filled.includes(shape)).map((shape) => `sent only: ${shape}`),
    ...filled.filter((shape) => !real.includes(shape)).map((shape) => `filled only: ${shape}`),
  ]
}
