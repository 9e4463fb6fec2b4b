import { randomUUID } from 'node:crypto'
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { batchOf, fullEvent, joinByHand, type TeamDevice } from '../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../support/team/team-world.ts'
import { seededRandom } from './seeded-random.ts'
import { fillTo, sampleBatch, shapesThatDiffer } from './team-fill.ts'
import { measureReads, post, processorSeconds } from './team-reads.ts'

/**
 * Measures a team's server and PostgreSQL: `node tests/bench/team.ts [--events 20000] [--sizes 100000,1000000]
 * [--samples 20] [--keep 30]`. First sends events of the policy `full` through the server: events a second, processor
 * time an event. Then fills the tables by SQL and reads through the server at each size (p50, p95, and mean processor
 * time of server and PostgreSQL). Processor time counts on a busy machine, elapsed time does not. With `--keep`, the
 * database stays for this many minutes.
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '20000' },
    sizes: { type: 'string', default: '100000,1000000' },
    samples: { type: 'string', default: '20' },
    keep: { type: 'string', default: '0' },
  },
})
const SENT = Number(values.events)
const SIZES = values.sizes.split(',').map(Number)
const SAMPLES = Number(values.samples)
const BATCH = 2000
const SMALL = 5
const SMALL_BATCHES = 300
const VOCABULARY = 50_000
const SAMPLE = 'a sample'

const random = seededRandom(24)
const wordAt = (n: number) => `word${n.toString(36)}`
/** Words as in a language: a few are common, most are rare. */
const textOf = (length: number) =>
  Array.from({ length }, () => wordAt(Math.floor(VOCABULARY * random() ** 3))).join(' ')

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

/**
 * Load of a laptop in use: a few events at a time, to a session that grows. The cost of a batch is more than that of
 * its events.
 */
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

await using team = await startTeam()
console.log(JSON.stringify({ ingest: await measureIngest(team) }, null, 2))
console.log(JSON.stringify({ small: await measureSmallBatches(team) }, null, 2))
const admin = await joinByHand(team.url, await team.invite('admin', 'admin'))
await post(`${team.url}/team/v1/batches`, await admin.session(), JSON.stringify(sampleBatch(admin, SAMPLE)))
for (const size of SIZES) {
  const started = performance.now()
  console.error(`filling up to ${size} events`)
  await fillTo(team, size, Math.max(...SIZES))
  const different = await shapesThatDiffer(team, SAMPLE)
  if (different.length > 0) throw new Error(`filled rows are not as sent ones:\n${different.join('\n')}`)
  const bytes = Number(await team.sql("SELECT pg_database_size('team')"))
  console.log(
    JSON.stringify(
      {
        events: size,
        filled_in_s: Math.round((performance.now() - started) / 1000),
        load: loadavg()[0],
        gigabytes: Number((bytes / 1e9).toFixed(2)),
        'p50 / p95 / processor time': await measureReads(team, admin, { size, samples: SAMPLES }),
      },
      null,
      2,
    ),
  )
}
// A slow query can be looked at until then.
if (values.keep !== '0') {
  console.log(`${team.database} is kept for ${values.keep} minutes`)
  await pause(Number(values.keep) * 60_000)
}
