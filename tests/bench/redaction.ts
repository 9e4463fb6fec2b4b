import { randomBytes } from 'node:crypto'
import { Session } from 'node:inspector/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateHistory } from '../support/demo/generate-history.ts'
import { createTap, type Tap } from '../../src/main/proxy/tap.ts'
import { Recorder } from '../../src/main/recorder/thread/recorder.ts'
import { createRedactor } from '../../src/main/redaction/create-redactor.ts'
import { HOSTILE } from '../../src/main/redaction/fixtures/hostile-texts.ts'
import { configSchema } from '../../src/shared/config.ts'
import { streamedPieces } from '../support/upstream/messages-answer.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'

const HISTORY_BYTES = Number(process.env['ASPY_BENCH_HISTORY_MB'] ?? 50) * 1e6
const SHORT_BYTES = 1_000_000
const LONG_BYTES = 10_000_000
const PAIRS = Number(process.env['ASPY_BENCH_PAIRS'] ?? 15)
const SESSIONS = 4
const TURNS = 30
const MODEL = 'claude-sonnet-5-5'

/**
 * Measures the cost and precision of redaction: recording with and without it, alternating in one run; false alarms in the project's
 * sources and a generated history; and hostile text of 10 MB in one line, with and without the time limit.
 */
export async function benchRedaction(): Promise<Record<string, unknown>> {
  return { recording: await benchOnAndOff(), false_alarms: falseAlarms(), hostile: hostile() }
}

const make = (enabled = true, textMs = 2000) =>
  createRedactor({ hashKey: randomBytes(32), enabled, textTime: { textMs } })
const round = (value: number, digits = 2) => Math.round(value * 10 ** digits) / 10 ** digits
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Prose, code, calls and results, as in a session. */
function texts(): string[] {
  const found: string[] = []
  for (const drafts of generateHistory({ seed: 'redaction', sessions: 3 }))
    for (const { payload } of drafts) {
      if ('text' in payload && typeof payload.text === 'string' && payload.text !== '') found.push(payload.text)
      else if ('output' in payload) found.push(JSON.stringify(payload.output))
    }
  return found
}

/** Runs sessions through the recorder. Each request carries the whole conversation, as the client's do. */
async function recordOnce(enabled: boolean, said: readonly string[]): Promise<{ cpu: number; bytes: number }> {
  using folder = makeTempFolder('aspy-bench-')
  let acknowledged = 0
  const recorder = new Recorder({
    start: {
      dataDir: folder.path,
      config: configSchema.parse({ redaction: { enabled } }),
      appVersion: '0.0.0-bench',
      isDemo: false,
      vitalSigns: new SharedArrayBuffer(64),
      timeOrigin: performance.timeOrigin,
    },
    hashKey: Buffer.alloc(32, 7),
    vitalSigns: { workOn: () => undefined },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined } as never,
    send(message) {
      if (message.type !== 'acknowledge') return
      acknowledged += message.exchanges.length
      message.exchanges.forEach((exchange) => tap.acknowledge(exchange))
    },
  })
  const tap: Tap = createTap({
    maxQueueBytes: 2 ** 30,
    post: (parcels) => recorder.receive({ type: 'tap', parcels: structuredClone(parcels) }),
  })
  const histories = Array.from({ length: SESSIONS }, (): object[] => [])
  let bytes = 0
  // This thread only: garbage collection and compilation on other threads depend on the machine.
  const cpuBefore = process.threadCpuUsage()
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [session, messages] of histories.entries()) {
      const word = (n: number) => said[(turn * 7 + session * 131 + n) % said.length] ?? ''
      messages.push({ role: 'user', content: [{ type: 'text', text: word(0) }] })
      const steps = [{ thinking: word(1) }, { text: word(2) }]
      bytes += pass(tap, `bench-${session}`, messages, steps)
      messages.push({ role: 'assistant', content: [{ type: 'text', text: word(2) }] })
    }
    tap.flush()
    const due = (turn + 1) * SESSIONS
    await until('the turn is recorded', () => Promise.resolve(acknowledged >= due))
  }
  const cpu = process.threadCpuUsage(cpuBefore)
  await recorder.stop()
  return { cpu: (cpu.user + cpu.system) / 1000, bytes }
}

const SYSTEM = 'You are Claude Code. Help with software engineering; be careful with what is not yours. '.repeat(300)
const TOOLS = Array.from({ length: 20 }, (_, index) => ({
  name: `Tool${index}`,
  description:
    'Reads a file from the local file system; any path may be given, results come with line numbers. '.repeat(20),
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
}))

function pass(
  tap: Tap,
  session: string,
  messages: readonly object[],
  steps: readonly ({ thinking: string } | { text: string })[],
): number {
  const exchange = tap.open({
    method: 'POST',
    path: '/v1/messages?beta=true',
    headers: ['x-api-key', 'sk-ant-dummy', 'x-claude-code-session-id', session, 'content-type', 'application/json'],
  })
  const system = [{ type: 'text', text: SYSTEM }]
  const body = Buffer.from(
    JSON.stringify({ model: MODEL, max_tokens: 32_000, stream: true, system, tools: TOOLS, messages }),
  )
  exchange.requestBytes(body)
  exchange.requestEnd()
  exchange.responseHead(200, ['content-type', 'text/event-stream; charset=utf-8'])
  let bytes = body.length
  for (const piece of streamedPieces({ steps, deltaLength: 24 }, MODEL)) {
    if (piece.kind !== 'event') continue
    const event = Buffer.from(`event: ${piece.type}\ndata: ${JSON.stringify(piece.data)}\n\n`)
    bytes += event.length
    exchange.responseBytes(event)
  }
  exchange.end('complete')
  return bytes
}

async function benchOnAndOff(): Promise<Record<string, unknown>> {
  const said = texts()
  await recordOnce(true, said)
  await recordOnce(false, said)
  const pairs: { readonly on: number; readonly off: number }[] = []
  let bytes = 0
  for (let at = 0; at < PAIRS; at += 1) {
    // Adjacent runs in alternating order, so that load on the machine affects both alike.
    const first = await recordOnce(at % 2 === 0, said)
    const second = await recordOnce(at % 2 !== 0, said)
    bytes = first.bytes
    pairs.push(at % 2 === 0 ? { on: first.cpu, off: second.cpu } : { on: second.cpu, off: first.cpu })
  }
  const ratios = pairs.map(({ on, off }) => (100 * off) / on).toSorted((a, b) => a - b)
  const quarter = (share: number) => round(ratios[Math.floor(share * (ratios.length - 1))] ?? Number.NaN, 1)
  return {
    exchanges: SESSIONS * TURNS,
    megabytes: round(bytes / 1e6),
    pairs: PAIRS,
    median_cpu_ms_on: round(median(pairs.map(({ on }) => on))),
    median_cpu_ms_off: round(median(pairs.map(({ off }) => off))),
    // Promised: 95% of the throughput without redaction.
    throughput_on_of_off_percent: quarter(0.5),
    throughput_quartiles_percent: [quarter(0.25), quarter(0.75)],
    redaction_share_of_samples_percent: round(await shareInSamples(said), 1),
  }
}

/**
 * Measures redaction's share of the recorder's work by sampling one run. Load on the machine slows both parts alike, so this figure is
 * the more stable one.
 */
async function shareInSamples(said: readonly string[]): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 100 })
  await session.post('Profiler.start')
  for (let at = 0; at < 3; at += 1) await recordOnce(true, said)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(
    profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)),
  )
  let [inside, busy] = [0, 0]
  for (const [at, sample] of (profile.samples ?? []).entries()) {
    const micros = profile.timeDeltas?.[at] ?? 0
    if (['(idle)', '(program)'].includes(nodes.get(sample)?.callFrame.functionName ?? '')) continue
    busy += micros
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id))
      if (nodes.get(id)?.callFrame.url.includes('/main/redaction/')) {
        inside += micros
        break
      }
  }
  return (100 * inside) / busy
}

function falseAlarms(): Record<string, unknown> {
  return { sources: alarmsInSources(), history: alarmsInHistory() }
}

function alarmsInSources(): Record<string, unknown> {
  const redactor = make()
  const root = join(import.meta.dirname, '../..')
  let lines = 0
  for (const folder of ['src', 'tests', 'bin', 'docs', 'resources', 'scripts'])
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      // Secrets planted in tests and rules are not false alarms.
      if (!entry.isFile() || /\.test\.|main.redaction|\.(?:png|ico|icns|svg)$/.test(path)) continue
      const text = readFileSync(path, 'utf8')
      lines += text.split('\n').length
      redactor.text(text)
    }
  return alarmsOf(redactor.counts(), lines)
}

function alarmsInHistory(): Record<string, unknown> {
  const redactor = make()
  let [lines, bytes, ms] = [0, 0, 0]
  for (let seed = 0; bytes < HISTORY_BYTES; seed += 1)
    for (const drafts of generateHistory({ seed: `alarms ${seed}`, sessions: 20 }))
      for (const { payload } of drafts) {
        const text = JSON.stringify(payload).replaceAll('\\n', '\n')
        lines += text.split('\n').length
        bytes += text.length
        const before = performance.now()
        redactor.text(text)
        ms += performance.now() - before
      }
  return {
    ...alarmsOf(redactor.counts(), lines),
    megabytes: round(bytes / 1e6),
    megabytes_per_second: round(bytes / 1000 / ms),
  }
}

function alarmsOf(counts: { readonly [rule: string]: number }, lines: number): Record<string, unknown> {
  const alarms = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { lines, alarms, per_10_000_lines: round((alarms * 10_000) / lines, 3), by_rule: counts }
}

/** Scans each hostile prefix repeated without a line break, then the slowest one and a mix of all at 10 MB. */
function hostile(): Record<string, unknown> {
  const redactor = make()
  const timed = (beginning: string, bytes: number, by = redactor) => {
    const line = beginning.replaceAll('\n', ' ').repeat(Math.ceil(bytes / beginning.length))
    const before = process.threadCpuUsage()
    const left = by.text(line)
    const { user, system } = process.threadCpuUsage(before)
    const isLeftOut = left.includes('[left out: ')
    return { beginning: beginning.slice(0, 24), bytes, cpu_ms: Math.round((user + system) / 1000), left_out: isLeftOut }
  }
  const short = HOSTILE.map((beginning) => ({ beginning, ms: timed(beginning, SHORT_BYTES).cpu_ms }))
  const slowest = short.toSorted((a, b) => b.ms - a.ms).slice(0, 3)
  return {
    texts: HOSTILE.length,
    median_cpu_ms_of_1_mb: median(short.map(({ ms }) => ms)),
    slowest: slowest.map(({ beginning }) => timed(beginning, LONG_BYTES)),
    all_mixed: timed(HOSTILE.join(''), LONG_BYTES),
    prose_for_comparison: timed('The quick brown fox jumps over the lazy dog. ', LONG_BYTES),
    // Ten times what the time limit allows: the rest is left out.
    bound_of_100_ms: timed(HOSTILE.join(''), LONG_BYTES, make(true, 100)),
    bound_of_2000_ms: timed(HOSTILE.join(''), 10 * LONG_BYTES, make(true, 2000)),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(JSON.stringify(await benchRedaction(), null, 2))
}
