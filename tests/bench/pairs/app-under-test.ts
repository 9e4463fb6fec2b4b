import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { processOfApp } from '../app-memory.ts'
import { until } from '../../support/runner/until.ts'

/** The part of `health.get` that every version has. */
interface Health {
  readonly queue_bytes: number
  readonly exchanges_recorded: number
  readonly events_written: number
  readonly dropped: { readonly [reason: string]: number }
}

/** The built app of a checkout, in a separate process, with default settings and a reader of its live feed. */
export interface AppUnderTest extends AsyncDisposable {
  readonly proxy: string
  call<Output>(operation: string, input?: object): Promise<Output>
  /** The values of an operation that answers with a stream. */
  stream<Value>(operation: string, input: object): AsyncGenerator<Value>
  /** Resolves when that many exchanges have been recorded. Throws if one was dropped. */
  recorded(exchanges: number): Promise<Health>
  /** Resolves when nothing waits to be recorded. */
  settled(): Promise<void>
  /** Starts to sample memory, and returns a function that ends it and gives the largest sample in MB. */
  watchMemory(): () => number
  memoryMb(): number
  /** Processor milliseconds by thread so far: main, recorder, importer and so on. Resolution: 10 ms. */
  threadMs(): ReadonlyMap<string, number>
}

const TICK_MS = 10
const WATCH_EVERY_MS = 100

export async function startAppUnderTest(root: string, dataDir: string, upstream: string): Promise<AppUnderTest> {
  const flags = ['--json', '--no-open', '--data', dataDir, '--port', '0', '--proxy-port', '0', '--upstream', upstream]
  const child = spawn(process.execPath, [join(root, 'bin/aspy'), 'serve', ...flags], {
    env: { PATH: process.env['PATH'] ?? '', HOME: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { proxy, app, token } = JSON.parse(line) as { proxy: string; app: string; token: string }
  const pid = processOfApp(child.pid ?? 0)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ended = new AbortController()
  const feed = await fetch(`${app}/api/live`, { headers, signal: ended.signal })
  const reading = drained(feed)

  async function post(operation: string, input: object): Promise<Response> {
    const answer = await fetch(`${app}/api/${operation}`, { method: 'POST', headers, body: JSON.stringify(input) })
    if (!answer.ok) throw new Error(`${operation} answered ${answer.status}: ${await answer.text()}`)
    return answer
  }
  const call = async <Output>(operation: string, input: object = {}) =>
    (await (await post(operation, input)).json()) as Output

  return {
    proxy,
    call,
    async *stream<Value>(operation: string, input: object) {
      let text = ''
      for await (const chunk of (await post(operation, input)).body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        const events = text.split('\n\n')
        text = events.pop() ?? ''
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1]
          if (data !== undefined) yield JSON.parse(data) as Value
        }
      }
    },
    async recorded(exchanges) {
      let health = await call<Health>('health.get')
      while (health.exchanges_recorded < exchanges) {
        await pause(2)
        health = await call<Health>('health.get')
      }
      const dropped = Object.values(health.dropped).reduce((sum, count) => sum + count, 0)
      if (dropped > 0) throw new Error(`${dropped} exchanges or events were dropped: ${JSON.stringify(health.dropped)}`)
      return health
    },
    async settled() {
      while ((await call<Health>('health.get')).queue_bytes > 0) await pause(10)
    },
    watchMemory() {
      let largest = residentMb(pid)
      const timer = setInterval(() => (largest = Math.max(largest, residentMb(pid))), WATCH_EVERY_MS)
      return () => {
        clearInterval(timer)
        return Math.max(largest, residentMb(pid))
      }
    },
    memoryMb: () => residentMb(pid),
    threadMs: () => threadTimes(pid),
    async [Symbol.asyncDispose]() {
      ended.abort()
      await reading
      child.kill('SIGTERM')
      await until('the app has ended', async () => child.exitCode !== null || child.signalCode !== null)
    },
  }
}

/** Reads the live feed, as a window does, until it is ended. */
async function drained(feed: Response): Promise<void> {
  try {
    for await (const chunk of feed.body ?? []) void chunk
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error
  }
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024
}

function threadTimes(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const name = task === String(pid) ? 'main' : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const ms = (Number(fields[11]) + Number(fields[12])) * TICK_MS
    times.set(name, (times.get(name) ?? 0) + ms)
  }
  return times
}
