import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { batchOf, fullEvent, joinByHand, type TeamDevice } from '../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../support/team/team-world.ts'
import { seededRandom } from './seeded-random.ts'
import { quantiles } from './timed.ts'

/**
 * Measures a team's server and PostgreSQL: `node tests/bench/team.ts [--events 20000] [--sizes 100000,1000000] [--samples 20]`.
 * First sends events of the policy `full` through the server: events a second, processor time an event. Then fills the tables by
 * SQL and reads through the server at each size (p50, p95, and mean processor time of server and PostgreSQL). Processor time counts on a busy machine, elapsed time does not.
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '20000' },
    sizes: { type: 'string', default: '100000,1000000' },
    samples: { type: 'string', default: '20' },
  },
})
const SENT = Number(values.events)
const SIZES = values.sizes.split(',').map(Number)
const SAMPLES = Number(values.samples)
const BATCH = 2000
const SMALL = 5
const SMALL_BATCHES = 300
const EVENTS_A_SESSION = 2500
const VOCABULARY = 50_000
const CLOCK_TICKS = 100

const random = seededRandom(24)
const wordAt = (n: number) => `word${n.toString(36)}`
/** Words as in a language: a few are common, most are rare. */
const textOf = (length: number) =>
  Array.from({ length }, () => wordAt(Math.floor(VOCABULARY * random() ** 3))).join(' ')

/** Returns the processor seconds of the processes whose command line holds a text, and of their children. */
function processorSeconds(marker: string): number {
  const parents = new Set<string>()
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker) && !parents.has(fields[1] ?? '')) continue
      parents.add(pid)
      ticks += Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])
    } catch (error) {
      // A process may end while it is read.
      if (!(error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code)))) throw error
    }
  }
  return ticks / CLOCK_TICKS
}

/** Posts and reads the answer. Tries again if the server closed an idle connection: every call may be repeated. */
async function post(url: string, session: string, body: string, isSecond = false): Promise<void> {
  try {
    const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${session}` }, body })
    const text = await response.text()
    if (!response.ok) throw new Error(`${url}: ${text}`)
  } catch (error) {
    if (isSecond || !(error instanceof TypeError)) throw error
    await post(url, session, body, true)
  }
}

function batchAt(device: TeamDevice, n: number): Record<string, unknown> {
  const session = randomUUID()
  const usage = {
    model: 'claude-opus-5-5',
    basis: 'measured',
    input_tokens: 3,
    output_tokens: 400,
    thinking_tokens: null,
    cache_read_tokens: 90_000,
    cache_creation_tokens: 900,
    cache_creation_1h_tokens: 0,
    cost_usd: 0.06,
  }
  const events = Array.from({ length: BATCH }, (_, at) => {
    const fields = { session_id: session, seq: at, turn_id: Math.floor(at / 40), position: n * BATCH + at + 1 }
    const ts = new Date(Date.UTC(2026, 10, 1 + (n % 28), 8, 0, at)).toISOString()
    if (at % 8 === 0) return fullEvent(device, { ...fields, ts, kind: 'api_usage', usage, payload: {}, text: null })
    const text = textOf(at % 4 === 1 ? 60 : 20)
    return fullEvent(device, {
      ...fields,
      ts,
      kind: at % 4 === 1 ? 'assistant_text' : 'thinking',
      text,
      payload: { text },
    })
  })
  return batchOf(device, events, { after: n * BATCH, up_to: (n + 1) * BATCH })
}

/** What a laptop in use sends: a few events at a time, to a session that grows. The cost of a batch is more than that of its events. */
async function measureSmallBatches(team: TeamWorld): Promise<object> {
  const device = await joinByHand(team.url, await team.invite('small'))
  const session = await device.session()
  const { events } = batchAt(device, 0) as { events: Record<string, unknown>[] }
  const before = { server: processorSeconds(team.database), postgres: processorSeconds(team.postgres.folder) }
  for (let n = 0; n < SMALL_BATCHES; n += 1) {
    const some = events.slice(n * SMALL, (n + 1) * SMALL)
    const body = JSON.stringify(batchOf(device, some, { after: n * SMALL, up_to: (n + 1) * SMALL }))
    await post(`${team.url}/team/v1/batches`, session, body)
  }
  const ms = (seconds: number) => Number(((seconds * 1000) / SMALL_BATCHES).toFixed(2))
  return {
    batches: SMALL_BATCHES,
    events_per_batch: SMALL,
    server_ms_per_batch: ms(processorSeconds(team.database) - before.server),
    postgres_ms_per_batch: ms(processorSeconds(team.postgres.folder) - before.postgres),
  }
}

async function measureIngest(team: TeamWorld): Promise<object> {
  const device = await joinByHand(team.url, await team.invite('sender'))
  const session = await device.session()
  const before = { server: processorSeconds(team.database), postgres: processorSeconds(team.postgres.folder) }
  let bytes = 0
  let elapsed = 0
  const batches = Math.ceil(SENT / BATCH)
  for (let n = 0; n < batches; n += 1) {
    const body = JSON.stringify(batchAt(device, n))
    bytes += body.length
    const started = performance.now()
    await post(`${team.url}/team/v1/batches`, session, body)
    elapsed += performance.now() - started
  }
  const events = batches * BATCH
  const ms = (seconds: number) => Number(((seconds * 1000) / events).toFixed(3))
  return {
    events,
    events_per_second: Math.round(events / (elapsed / 1000)),
    server_ms_per_event: ms(processorSeconds(team.database) - before.server),
    postgres_ms_per_event: ms(processorSeconds(team.postgres.folder) - before.postgres),
    sent_bytes_per_event: Math.round(bytes / events),
    stored_bytes_per_event: Math.round(
      Number(await team.sql("SELECT pg_database_size('team')")) / Number(await team.sql('SELECT count(*) FROM events')),
    ),
  }
}

/** Fills the tables up to a size, as batches of 20 members over a year would. */
async function fillTo(team: TeamWorld, size: number): Promise<void> {
  await team.sql(
    `INSERT INTO members (name, role) SELECT 'member ' || n, 'member' FROM generate_series(1, 20) n ON CONFLICT DO NOTHING`,
  )
  const from = Number(await team.sql("SELECT count(*) FROM events WHERE session_id LIKE 'filled %'"))
  const s = `n / ${EVENTS_A_SESSION}`
  const member = `(2 + ${s} % 20)`
  const parent = `CASE WHEN n % 100 > 0 THEN md5((n - 1)::text)::uuid END`
  await team.sql(`INSERT INTO events (month, uuid, member_id, device_id, session_id, session_key, turn_id, seq, parent_uuid, kind, source,
      ts, level, rank, position, shared, project, model, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost_usd, payload)
    SELECT date_trunc('month', at)::date, md5(n::text)::uuid, ${member}, md5('d' || ${member})::uuid, 'filled ' || ${s},
      md5('s' || ${s})::uuid, n % ${EVENTS_A_SESSION} / 40, n % 40, ${parent}, CASE n % 8 WHEN 0 THEN 'api_usage' ELSE 'thinking' END,
      'wire', at, 'full', 5, n, false, 'project ' || ${s} % 50, CASE n % 8 WHEN 0 THEN 'm' || n % 3 END, 3, 400, 90000, 900, 0.06,
      jsonb_build_object('text', repeat(md5(n::text), 8))
    FROM (SELECT n, '2026-01-01'::timestamptz + (n / ${EVENTS_A_SESSION}) * interval '300 days' / ${Math.ceil(Math.max(...SIZES) / EVENTS_A_SESSION)}
      + (n % ${EVENTS_A_SESSION}) * interval '3 seconds' AS at FROM generate_series(${from}, ${size - 1}) n) g`)
  await team.sql(`INSERT INTO texts (month, member_id, uuid, session_id, turn_id, kind, ts, project, shared, content)
    SELECT e.month, e.member_id, e.uuid, e.session_id, e.turn_id, 'thinking', e.ts, e.project, false,
      (SELECT string_agg(w, ' ') FROM (SELECT 'word' || (50000 * power(random(), 3))::int AS w FROM generate_series(1, 15)
        WHERE e.position >= 0) words)
    FROM events e WHERE e.session_id LIKE 'filled %' AND e.position >= ${from} AND e.position % 8 IN (1, 4)`)
  await team.sql(`INSERT INTO sessions (member_id, session_key, session_id, level, shared, project, started_at, last_event_at)
    SELECT min(member_id), session_key, min(session_id), 'full', false, min(project), min(ts), max(ts) FROM events
    WHERE session_id LIKE 'filled %' GROUP BY session_key ON CONFLICT DO NOTHING`)
  await team.sql(`DELETE FROM usage_daily; INSERT INTO usage_daily SELECT (ts AT TIME ZONE 'UTC')::date, member_id, project, model, shared, count(*),
      sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_creation_tokens), sum(cost_usd), 0, 0
    FROM events WHERE kind = 'api_usage' GROUP BY 1, 2, 3, 4, 5`)
  await team.sql('VACUUM ANALYZE')
}

async function measureReads(team: TeamWorld, admin: TeamDevice, size: number): Promise<object> {
  const session = await admin.session()
  const sessions = Math.floor(size / EVENTS_A_SESSION)
  const sessionAt = (n: number) => `filled ${(n * 7919) % sessions}`
  const rare = () => `word${Math.floor(VOCABULARY * 0.3 + random() * 1000)}`
  const reads: Readonly<Record<string, (n: number) => readonly [string, object]>> = {
    'chain of 100': (n) => ['events.chain', { uuid: uuidAt(((n * 104_729) % Math.floor(size / 100)) * 100 + 99) }],
    'recent 50 of a session': (n) => ['events.recent', { session_id: sessionAt(n), limit: 50 }],
    'recent 50 of all': () => ['events.recent', { limit: 50 }],
    "a session's timeline": (n) => ['sessions.timeline', { session_id: sessionAt(n), limit: 500 }],
    'recall of three rare words': () => ['recall.search', { query: `${rare()} ${rare()} ${rare()}` }],
    'recall of a common word': () => ['recall.search', { query: 'word7' }],
    'costs by day': () => ['costs.series', { bucket: 'day' }],
    'costs by project': () => ['costs.breakdown', {}],
  }
  const figures: Record<string, string> = {}
  for (const [name, read] of Object.entries(reads)) {
    const times: number[] = []
    const before = processorSeconds(team.database) + processorSeconds(team.postgres.folder)
    for (let n = 0; n < SAMPLES; n += 1) {
      const [operation, input] = read(n)
      const started = performance.now()
      await post(`${team.url}/api/${operation}`, session, JSON.stringify(input))
      times.push(performance.now() - started)
    }
    const { p50, p95 } = quantiles(times)
    const spent = processorSeconds(team.database) + processorSeconds(team.postgres.folder) - before
    figures[name] = `${p50.toFixed(0)} / ${p95.toFixed(0)} / ${((spent * 1000) / SAMPLES).toFixed(1)} ms`
  }
  return figures
}

/** Returns what PostgreSQL makes of `md5(n::text)::uuid`. */
function uuidAt(n: number): string {
  const hex = createHash('md5').update(String(n)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

await using team = await startTeam()
console.log(JSON.stringify({ ingest: await measureIngest(team) }, null, 2))
console.log(JSON.stringify({ small: await measureSmallBatches(team) }, null, 2))
const admin = await joinByHand(team.url, await team.invite('admin', 'admin'))
for (const size of SIZES) {
  const started = performance.now()
  await fillTo(team, size)
  const bytes = Number(await team.sql("SELECT pg_database_size('team')"))
  console.log(
    JSON.stringify(
      {
        events: size,
        filled_in_s: Math.round((performance.now() - started) / 1000),
        gigabytes: Number((bytes / 1e9).toFixed(2)),
        'p50 / p95 / processor time': await measureReads(team, admin, size),
      },
      null,
      2,
    ),
  )
}
