/**
 * Preloaded into every thread of the observed app (NODE_OPTIONS=--import): counts the calls of each function in the sources
 * and reports them on request.
 */
import { Session, type Profiler } from 'node:inspector'
import { BroadcastChannel, isMainThread, threadName } from 'node:worker_threads'

/** To all threads: start or stop counting. `at` is on the clock that all threads share. */
export type Command = { readonly type: 'start'; readonly at: number } | { readonly type: 'stop' }

/** From each thread after `stop`. */
export interface Calls {
  readonly type: 'calls'
  readonly thread: string
  readonly functions: readonly CalledFunction[]
}

export interface CalledFunction {
  /** URL of the source. */
  readonly url: string
  /** Name and position, which identify the function in its source. */
  readonly key: string
  readonly count: number
  /** Milliseconds after `start`, to the precision of one sample. */
  readonly firstAt: number
}

export const CHANNEL = 'aspy-road'
/** Milliseconds since 1970 with fractions, comparable between threads. */
export const sharedNow = (): number => performance.timeOrigin + performance.now()
/** Functions first called in the same interval have no order among them. */
const SAMPLE_MS = 4

const sources = `${process.env['ASPY_ROAD_SOURCES'] ?? ''}/`
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const calls = new Map<string, { url: string; key: string; count: number; firstAt: number }>()
let startedAt = 0
let timer: NodeJS.Timeout | null = null

/** Adds the calls since the last sample. Taking them resets V8's counters. */
function sample(): void {
  const at = sharedNow() - startedAt
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error === null) for (const script of taken.result) addCalls(script, at)
  })
}

function addCalls({ url, functions }: Profiler.ScriptCoverage, at: number): void {
  if (!url.startsWith(sources)) return
  for (const { functionName, ranges } of functions) {
    const [range] = ranges
    // The outermost function is the evaluation of the module.
    if (range === undefined || range.count === 0 || (functionName === '' && range.startOffset === 0)) continue
    const key = `${functionName}@${range.startOffset}`
    const known = calls.get(`${url} ${key}`)
    if (known === undefined) calls.set(`${url} ${key}`, { url, key, count: range.count, firstAt: at })
    else known.count += range.count
  }
}

const channel = new BroadcastChannel(CHANNEL)
channel.addEventListener('message', (event: unknown) => {
  const { data } = event as { readonly data: Command | Calls }
  if (data.type === 'start') {
    startedAt = data.at
    sample()
    calls.clear()
    timer = setInterval(sample, SAMPLE_MS).unref()
  } else if (data.type === 'stop') {
    if (timer !== null) clearInterval(timer)
    sample()
    const thread = isMainThread ? 'main' : (threadName ?? 'unnamed')
    channel.postMessage({ type: 'calls', thread, functions: [...calls.values()] } satisfies Calls)
  }
})
// The port must not keep a thread alive. Node's types lack the method of its own BroadcastChannel.
;(channel as unknown as { unref(): void }).unref()
