import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

/** The built app in a separate process, with a stopped clock. */
export interface ServedApp extends AsyncDisposable {
  readonly proxy: string
  /** Calls an operation over HTTP. A stream's answer is the list of its batches. */
  call(operation: string, input?: unknown): Promise<Answer>
  /** Sets the app's clock, in ms. */
  setClock(ms: number): Promise<void>
  /** Waits until everything that the app received before the clock was last set is recorded. */
  recorded(): Promise<void>
  stop(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly answer: unknown
}

export interface AppOptions {
  /** Holds the data folder, a home folder, and what else the app writes. */
  readonly root: string
  readonly now: number
  readonly upstream?: string
}

/** Nothing depends on the age of what is recorded. */
export const SETTINGS = `[app]
show_images = true
[lifestats]
retention_days = 0
archive_days = 0
[budgets]
daily_usd = 5
monthly_usd = 50
`

/** Every folder has the same key, so that all hashes are the same. */
export const HASH_KEY = Buffer.alloc(32, 0x5a)

const LONGEST_WAIT_MS = 60_000
const ENTRY = join(import.meta.dirname, '../../out/main/aspy.js')
const PRELOADED = new URL('./stopped-clock.ts', import.meta.url).href

export const dataIn = (root: string): string => join(root, 'data')

/** Creates the folder that an app runs in. */
export function prepareRoot(root: string): void {
  mkdirSync(dataIn(root), { recursive: true, mode: 0o700 })
  mkdirSync(join(root, 'home'))
  writeFileSync(join(dataIn(root), 'hash.key'), HASH_KEY, { mode: 0o600 })
  configure(root, SETTINGS)
}

/** Writes the configuration of the next start. */
export function configure(root: string, settings: string): void {
  writeFileSync(join(dataIn(root), 'config.toml'), settings)
}

/** Starts the built app in a folder that was prepared. */
export async function serve({ root, now, upstream = 'http://127.0.0.1:9' }: AppOptions): Promise<ServedApp> {
  const ports = ['--port', '0', '--proxy-port', '0', '--tunnel-port', '0']
  const app = spawn(
    process.execPath,
    [ENTRY, 'serve', '--json', '--data', dataIn(root), ...ports, '--upstream', upstream],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: join(root, 'home'),
        TZ: 'UTC',
        ASPY_LOG: 'error',
        NODE_COMPILE_CACHE: join(root, 'compiled'),
        NODE_OPTIONS: `--import=${PRELOADED}`,
        ANSWERS_NOW: String(now),
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  const ended = once(app, 'exit')
  const line = app.stdout && (await Promise.race([once(createInterface(app.stdout), 'line'), ended.then(() => null)]))
  if (line === null) throw new Error('the app ended before it was ready; has it been built?')
  const { app: url, proxy, token } = JSON.parse(String(line[0])) as Record<'app' | 'proxy' | 'token', string>

  async function call(operation: string, input: unknown = {}): Promise<Answer> {
    const response = await fetch(`${url}/api/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(input),
    })
    const text = await response.text()
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    return { status: response.status, answer: isStream ? batchesOf(text) : JSON.parse(text) }
  }

  async function stop(): Promise<void> {
    if (app.exitCode === null) app.kill('SIGTERM')
    await ended
  }

  return {
    proxy,
    call,
    async setClock(ms) {
      const isSet = once(app, 'message')
      app.send(ms)
      await isSet
    },
    async recorded() {
      const deadline = performance.now() + LONGEST_WAIT_MS
      while (!isSettled((await call('health.get')).answer)) {
        if (performance.now() > deadline) throw new Error('the app does not record what it received')
        await pause(5)
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

const batchesOf = (events: string): readonly unknown[] =>
  events.split('\n').flatMap((line) => (/^data: ?./.test(line) ? [JSON.parse(line.slice(5))] : []))

function isSettled(health: unknown): boolean {
  const { recorder, recorder_lag_ms, in_flight, exchanges_seen, exchanges_recorded } = health as Record<string, unknown>
  return recorder === 'running' && recorder_lag_ms === 0 && in_flight === 0 && exchanges_seen === exchanges_recorded
}
