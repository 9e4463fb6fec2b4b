import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { ask } from '../support/app/ask.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { quartiles } from './pairs/quartiles.ts'

const EXCHANGES = Number(process.env['ASPY_BENCH_EXCHANGES'] ?? 400)
const AT_ONCE = 8
/** Processor time counts in hundredths of a second on Linux. */
const TICK_MS = 10

interface Sample {
  /** Processor milliseconds per exchange of the main thread, which forwards. */
  readonly forwarding: number
  readonly recorder: number
}

/**
 * Compares two built checkouts by the processor time that an exchange takes on the thread that forwards and on the
 * recorder's: interleaved pairs on one machine, medians and quartiles. Linux only (it reads /proc).
 *
 * Usage: node tests/bench/thread-times.ts BEFORE AFTER [PAIRS]
 */
const [before, after, pairs = '15'] = process.argv.slice(2)
if (before === undefined || after === undefined) {
  console.error('Name two built checkouts: node tests/bench/thread-times.ts BEFORE AFTER [PAIRS]')
  process.exit(2)
}
const samples: { before: Sample[]; after: Sample[] } = { before: [], after: [] }
for (let pair = 0; pair < Number(pairs); pair++) {
  samples.before.push(await measure(resolve(before)))
  samples.after.push(await measure(resolve(after)))
  console.error(`pair ${pair + 1}: ${JSON.stringify(samples.before.at(-1))} ${JSON.stringify(samples.after.at(-1))}`)
}
console.log(
  JSON.stringify(
    Object.fromEntries(
      (['forwarding', 'recorder'] as const).map((thread) => [
        `${thread}_cpu_ms_per_exchange`,
        {
          before: quartiles(samples.before.map((sample) => sample[thread])),
          after: quartiles(samples.after.map((sample) => sample[thread])),
        },
      ]),
    ),
    null,
    2,
  ),
)

async function measure(root: string): Promise<Sample> {
  using folder = makeTempFolder('aspy-bench-')
  await using upstream = await startMessagesUpstream((_request, n) => ({
    steps: [
      { thinking: `Thought ${n}: the cache must be warmed before the index is read, or the first query stalls.` },
      { text: `Answer ${n}: warmed the cache in src/store/cache-${n}.ts and measured it again.` },
    ],
    usage: { input_tokens: 1000 + n, output_tokens: 80 },
  }))
  const app = spawn(
    process.execPath,
    [
      join(root, 'out/main/aspy.js'),
      'serve',
      '--json',
      '--no-open',
      '--data',
      folder.path,
      '--port',
      '0',
      '--proxy-port',
      '0',
      '--upstream',
      upstream.url,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  try {
    const [line] = (await once(createInterface({ input: app.stdout }), 'line')) as [string]
    const { proxy, app: appUrl, token } = JSON.parse(line) as { proxy: string; app: string; token: string }
    const recorded = async () => {
      const answer = await fetch(`${appUrl}/api/health.get`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      })
      return ((await answer.json()) as { exchanges_recorded: number }).exchanges_recorded
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
      await until('all is recorded', async () => (await recorded()) >= to)
    }
    // The first exchanges compile the code.
    await send(0, EXCHANGES / 4)
    const start = threadTimes(app.pid ?? 0)
    await send(EXCHANGES / 4, EXCHANGES + EXCHANGES / 4)
    const end = threadTimes(app.pid ?? 0)
    return {
      forwarding: (end.forwarding - start.forwarding) / EXCHANGES,
      recorder: (end.recorder - start.recorder) / EXCHANGES,
    }
  } finally {
    app.kill('SIGTERM')
    if (app.exitCode === null) await once(app, 'exit')
  }
}

/** Returns the processor milliseconds that the main thread and the recorder's have taken so far. */
function threadTimes(pid: number): Sample {
  let [forwarding, recorder] = [0, 0]
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ms = (Number(fields[11]) + Number(fields[12])) * TICK_MS
    if (task === String(pid)) forwarding += ms
    else if (name === 'recorder') recorder += ms
  }
  return { forwarding, recorder }
}
