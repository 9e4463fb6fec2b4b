import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Health } from '../../src/shared/contract/health.ts'
import { lastUserText, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { memoryParts, memoryProbe, processOfApp, type MemoryParts } from './app-memory.ts'

/**
 * Simulates a day of heavy use in five minutes: twenty concurrent agents, each in a session that grows by a prompt, a tool call and
 * its result until a new session replaces it. Counts events sent, recorded and lost, and measures the lag and memory of the app
 * alone, which is the built `bin/aspy`; clients and upstream run in this process. `ASPY_BENCH_SECONDS` sets the duration.
 */
const root = join(import.meta.dirname, '../..')
const SECONDS = Number(process.env['ASPY_BENCH_SECONDS'] ?? 300)
const AGENTS = 20
const TURNS_OF_A_SESSION = 25
/** Pause between two requests of an agent, for the model and its tools; about fifty times shorter than in real use. */
const PAUSE_MS = 300
/** Time for the app to release unused memory. */
const REST_MS = 80_000

interface Sample {
  readonly second: number
  readonly memory_mb: number
  readonly lag_ms: number
  readonly queue_mb: number
}

export async function benchDay(): Promise<Record<string, unknown>> {
  using folder = makeTempFolder('aspy-bench-day-')
  await using upstream = await startMessagesUpstream((request, n) => ({
    steps: lastUserText(request.body).startsWith('Result')
      ? [{ text: `Done with step ${n}: the tests of src/store/cache-${n % 97}.ts pass again.` }]
      : [
          {
            thinking: `For step ${n}: the index is read before the cache is warm, so the first query stalls. `.repeat(
              8,
            ),
          },
          { text: `I look at src/store/cache-${n % 97}.ts first.` },
          { tool: 'Bash', input: { command: `npx vitest run src/store/cache-${n % 97}.test.ts` } },
        ],
    usage: { input_tokens: 1200 + n, output_tokens: 240, cache_read_input_tokens: 40_000 },
    deltaLength: 60,
  }))
  const flags = ['--no-open', '--port', '0', '--proxy-port', '0', '--upstream', upstream.url, '--data', folder.path]
  execFileSync(process.execPath, [join(root, 'scripts/build-if-stale.ts')])
  const heapsFile = join(folder.path, 'heaps.json')
  const child = spawn(process.execPath, [join(root, 'bin/aspy'), 'serve', '--json', ...flags], {
    env: { PATH: process.env['PATH'], HOME: folder.path, ...memoryProbe(heapsFile) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const pid = processOfApp(child.pid ?? 0)
  const { proxy, app, token } = JSON.parse(line) as Record<'proxy' | 'app' | 'token', string>
  const call = async <T>(name: string, input: object = {}): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${app}/api/${name}`, { method: 'POST', headers, body: JSON.stringify(input) })
    return (await answer.json()) as T
  }
  const samples: Sample[] = []
  try {
    const begun = performance.now()
    const elapsed = () => (performance.now() - begun) / 1000
    let failed = 0
    const watch = (async () => {
      while (elapsed() < SECONDS) {
        await pause(1000)
        const { commit_lag_ms, queue_bytes } = await call<Health>('health.get')
        samples.push({
          second: Math.round(elapsed()),
          memory_mb: residentMb(pid),
          lag_ms: commit_lag_ms ?? 0,
          queue_mb: queue_bytes / 1e6,
        })
      }
    })()
    const agents = Array.from({ length: AGENTS }, async (_, number) => {
      await pause((number * PAUSE_MS) / AGENTS)
      while (elapsed() < SECONDS) failed += await session(proxy, () => elapsed() < SECONDS)
    })
    await Promise.all([...agents, watch])
    const atTheEnd = await memoryParts(pid, heapsFile)
    const asked = upstream.count('messages')
    while ((await call<Health>('health.get')).exchanges_recorded < asked && elapsed() < SECONDS + 120) await pause(200)
    const behindMs = Math.round((elapsed() - SECONDS) * 1000)
    const health = await call<Health>('health.get')
    const count = async (kind: string) => (await call<{ count: number }>('events.count', { kind })).count
    return {
      seconds: SECONDS,
      agents: AGENTS,
      requests_seen_by_the_upstream: asked,
      failed_for_the_client: failed,
      exchanges_recorded: health.exchanges_recorded,
      model_responses_stored: await count('model_response'),
      dropped: health.dropped,
      events: health.events_written,
      behind_the_last_answer_ms: behindMs,
      lag_ms: spread(samples.map(({ lag_ms }) => lag_ms)),
      queue_mb: spread(samples.map(({ queue_mb }) => queue_mb)),
      memory_mb_by_tenth: Array.from(
        { length: 10 },
        (_, tenth) => samples[Math.ceil((samples.length * (tenth + 1)) / 10) - 1]?.memory_mb,
      ),
      memory_mb_at_the_end: atTheEnd,
      memory_mb_at_rest: await memoryAtRest(pid, heapsFile),
      recorder_restarts: health.recorder_restarts,
      database_mb: Math.round(statSync(join(folder.path, 'lifestats.db')).size / 1e5) / 10,
      samples,
    }
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
}

/** Runs one session. Returns the number of requests that failed for the client. */
async function session(proxy: string, isOn: () => boolean): Promise<number> {
  const id = randomUUID()
  const messages: object[] = []
  let failed = 0
  for (let turn = 0; turn < TURNS_OF_A_SESSION && isOn(); turn += 1) {
    for (const text of [
      `Prompt ${turn}: why does the first query stall?`,
      `Result ${turn}: ${'ok line of output\n'.repeat(60)}`,
    ]) {
      messages.push({ role: 'user', content: [{ type: 'text', text }] })
      const answer = await fetch(`${proxy}/v1/messages?beta=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'sk-ant-dummy', 'x-claude-code-session-id': id },
        body: JSON.stringify({
          model: 'claude-sonnet-5-5',
          max_tokens: 32_000,
          stream: true,
          system: SYSTEM,
          messages,
        }),
      })
      if (!answer.ok || !(await answer.text()).includes('message_stop')) failed += 1
      messages.push({ role: 'assistant', content: [{ type: 'text', text: `Step ${turn}.` }] })
      await pause(PAUSE_MS)
    }
  }
  return failed
}

/** Heaps grow under load and keep their size. Memory still held after the load indicates a leak. */
async function memoryAtRest(pid: number, heapsFile: string): Promise<MemoryParts> {
  await pause(REST_MS)
  return memoryParts(pid, heapsFile)
}

/** As long as the real client's system prompt with its tools. */
const SYSTEM = [
  {
    type: 'text',
    text: `You are Claude Code.\nWorking directory: /home/user/project\n${'A rule to keep to. '.repeat(2000)}`,
  },
]

/** Linux only. */
function residentMb(pid: number): number {
  const kb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0)
  return Math.round(kb / 1024)
}

function spread(values: readonly number[]): { readonly p50: number; readonly p99: number; readonly max: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (q: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0) * 100) / 100
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(JSON.stringify(await benchDay(), null, 2))
}
