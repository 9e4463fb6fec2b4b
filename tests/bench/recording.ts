import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import { generateHistory } from '../support/demo/generate-history.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { configSchema } from '../../src/shared/config.ts'
import type { Health } from '../../src/shared/contract/health.ts'
import { ask } from '../support/app/ask.ts'
import { startAspy } from '../support/app/aspy-command.ts'
import { startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'

const EVENTS = Number(process.env['ASPY_BENCH_EVENTS'] ?? 20_000)
const EXCHANGES = Number(process.env['ASPY_BENCH_EXCHANGES'] ?? 2000)
/** The first exchanges compile the code. */
const WARM_UP = 500
const AT_ONCE = 8
const RECORDED_WITHIN_MS = 300_000

/**
 * Measures recording speed: drafts of a generated history into the store, with full text and projections, in batches of
 * one turn; and exchanges through the whole app, from a client's request to the commit of its last event. The app has
 * its own process; its rate is that of `ASPY_BENCH_EXCHANGES` exchanges after a warm-up, until the last of them is
 * recorded.
 */
export async function benchRecording(): Promise<Record<string, unknown>> {
  return { store: benchStore(), app: await benchApp() }
}

function benchStore(): Record<string, number> {
  using folder = makeTempFolder('aspy-bench-')
  const batches: AnyDraft[][] = [...generateHistory({ seed: 'bench', sessions: 40, events: EVENTS, days: 60 })]
  const events = batches.reduce((sum, batch) => sum + batch.length, 0)
  const jsonBytes = batches.reduce((sum, batch) => sum + JSON.stringify(batch).length, 0)
  const store = openStore({
    dataDir: folder.path,
    hashKey: randomBytes(32),
    limits: configSchema.parse({}).lifestats,
  })
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  for (const batch of batches) store.ingest.append(batch)
  const wallMs = performance.now() - before
  const cpu = process.cpuUsage(cpuBefore)
  store.maintenance.checkpoint()
  store.close()
  const databaseBytes = statSync(join(folder.path, 'lifestats.db')).size
  return {
    events,
    events_per_second: Math.round((events / wallMs) * 1000),
    cpu_ms_per_1000_events: round((cpu.user + cpu.system) / events),
    database_bytes_per_event: Math.round(databaseBytes / events),
    draft_json_bytes_per_event: Math.round(jsonBytes / events),
  }
}

async function benchApp(): Promise<Record<string, number>> {
  await using upstream = await startMessagesUpstream((_request, n) => ({
    steps: [
      { thinking: `Thought ${n}: the cache must be warmed before the index is read, or the first query stalls.` },
      { text: `Answer ${n}: warmed the cache in src/store/cache-${n}.ts and measured it again.` },
    ],
    usage: { input_tokens: 1000 + n, output_tokens: 80 },
  }))
  using folder = makeTempFolder('aspy-bench-')
  const flags = ['--no-open', '--port', '0', '--proxy-port', '0', '--upstream', upstream.url, '--data', folder.path]
  const { child, firstLine, finished } = startAspy(['serve', '--json', ...flags])
  try {
    return await measureApp(JSON.parse(await firstLine) as ServedApp)
  } finally {
    child.kill('SIGTERM')
    await finished
  }
}

type ServedApp = Readonly<Record<'proxy' | 'app' | 'token', string>>

async function measureApp({ proxy, app, token }: ServedApp): Promise<Record<string, number>> {
  const health = async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${app}/api/health.get`, { method: 'POST', headers, body: '{}' })
    return (await answer.json()) as Health
  }
  const send = async (from: number, to: number) => {
    let next = from
    const client = async () => {
      for (let n = next++; n < to; n = next++) {
        const response = await ask(proxy, { prompt: `Question ${n}: why is the first query slow?` })
        await response.text()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))
  }
  const recorded = (count: number) =>
    until('all is recorded', async () => (await health()).exchanges_recorded >= count, RECORDED_WITHIN_MS)
  await send(0, WARM_UP)
  await recorded(WARM_UP)
  const { events_written: eventsBefore } = await health()
  const before = performance.now()
  await send(WARM_UP, WARM_UP + EXCHANGES)
  const clientsMs = performance.now() - before
  await recorded(WARM_UP + EXCHANGES)
  const wallMs = performance.now() - before
  const { events_written, commit_lag_ms, dropped } = await health()
  return {
    exchanges: EXCHANGES,
    clients: AT_ONCE,
    exchanges_answered_per_second: Math.round((EXCHANGES / clientsMs) * 1000),
    exchanges_recorded_per_second: Math.round((EXCHANGES / wallMs) * 1000),
    events_recorded_per_second: Math.round(((events_written - eventsBefore) / wallMs) * 1000),
    behind_the_last_answer_ms: Math.round(wallMs - clientsMs),
    last_commit_lag_ms: round(commit_lag_ms ?? Number.NaN),
    dropped: Object.values(dropped).reduce((sum, count) => sum + count, 0),
  }
}

const round = (value: number) => Math.round(value * 100) / 100

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(JSON.stringify(await benchRecording(), null, 2))
}
