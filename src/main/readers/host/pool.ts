import { Worker } from 'node:worker_threads'
import type { OwnPrice } from '../../../shared/config.ts'
import { AspyError, fromErrorAnswer } from '../../../shared/contract/errors.ts'
import type { ReaderPool, ReadOptions } from '../../dispatch/reader-pool.ts'
import { endThread } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { END_OF_READING, READER_READY } from '../reader-protocol.ts'
import type { ReaderCall, ReaderReply, ReaderStart } from '../reader-protocol.ts'

export interface ReaderPoolOptions {
  readonly databasePath: string
  /** The user's own prices. */
  readonly prices?: readonly OwnPrice[]
  /** At most so many threads; two let a search run beside a list. All but the first are there only while they are needed. */
  readonly size?: number
  /** Milliseconds without a call after which such a thread ends. */
  readonly restMs?: number
  /** Milliseconds that a search may take before it answers with what it has. */
  readonly budgetMs?: number
  /** The thread's code; another one only in tests. */
  readonly entry?: URL
}

interface Page {
  readonly bytes: Uint8Array
  readonly next: string | null
}

interface Pending {
  readonly call: number
  readonly name: string
  readonly input: unknown
  readonly supersede: string | undefined
  readonly resolve: (page: Page) => void
  readonly reject: (error: Error) => void
  attempts: number
}

interface Thread {
  worker: Worker | null
  running: Pending | null
  readonly cancelled: SharedArrayBuffer
  /** Deaths in a row without an answer in between: they stretch the pause before the next start. */
  deaths: number
  /** Only the first is given calls while it still loads: for the others they need not wait. */
  isReady: boolean
  /** It is to start when a call has to wait. */
  isOff: boolean
  rest: NodeJS.Timeout | null
}

/** A call whose thread died is run once more: twice means that the call itself kills. */
const MAX_ATTEMPTS = 2
const MAX_RESTART_PAUSE_MS = 5000
/** Each thread takes some 20 MB, whatever it does. */
const REST_MS = 60_000

/**
 * Starts the reader threads. Calls wait in one line and each goes to the first thread that is free, so a slow one holds
 * up no other; a thread that dies comes back, and its call is run again.
 */
export function createReaderPool(options: ReaderPoolOptions): ReaderPool {
  const { databasePath, prices = [], size = 2, restMs = REST_MS, budgetMs = 2000 } = options
  const entry = options.entry ?? threadEntry('reader-thread')
  const waiting: Pending[] = []
  const threads: Thread[] = []
  const restarts = new Set<NodeJS.Timeout>()
  const leaving = new Set<Promise<void>>()
  let nextCall = 1
  let closed = false

  function start(thread: Thread): void {
    const workerData: ReaderStart = { databasePath, prices, cancelled: thread.cancelled }
    const worker = new Worker(entry, { workerData, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 512 } })
    thread.worker = worker
    thread.isOff = false
    thread.isReady = thread === threads[0]
    worker.unref()
    worker.on('message', (reply: ReaderReply | typeof READER_READY) => {
      if (reply !== READER_READY) return settle(thread, reply)
      thread.isReady = true
      restLater(thread)
      next()
    })
    // The exit that follows an error does the work; without a listener the error would end the process.
    let reason: unknown = null
    worker.on('error', (error) => {
      reason = error
    })
    worker.once('exit', () => bury(thread, worker, reason))
    next()
  }

  function restLater(thread: Thread): void {
    if (thread === threads[0]) return
    if (thread.rest !== null) clearTimeout(thread.rest)
    thread.rest = setTimeout(() => {
      const { worker } = thread
      if (closed || worker === null || thread.running !== null) return
      thread.worker = null
      thread.isOff = true
      worker.postMessage(END_OF_READING)
      const left = endThread(worker).then(() => void leaving.delete(left))
      leaving.add(left)
    }, restMs)
    thread.rest.unref()
  }

  function settle(thread: Thread, reply: ReaderReply): void {
    const { running } = thread
    if (running === null || running.call !== reply.call) return
    thread.running = null
    restLater(thread)
    thread.deaths = 0
    thread.worker?.unref()
    if ('bytes' in reply) running.resolve(reply)
    else running.reject(fromErrorAnswer(reply.error))
    next()
  }

  function bury(thread: Thread, worker: Worker, reason: unknown): void {
    if (thread.worker !== worker) return
    const { running } = thread
    thread.worker = null
    thread.running = null
    if (closed) return
    thread.deaths += 1
    const abandoned = running !== null && Atomics.load(new Int32Array(thread.cancelled), 0) === running.call
    if (running !== null && !abandoned) {
      if (running.attempts < MAX_ATTEMPTS) waiting.unshift(running)
      else running.reject(new AspyError('internal', `the reader thread died in ${running.name}`, { cause: reason }))
    }
    // The first restart is at once: a single crash costs one call a few milliseconds.
    const pause = thread.deaths < 2 ? 0 : Math.min(MAX_RESTART_PAUSE_MS, 50 * 2 ** thread.deaths)
    const timer = setTimeout(() => {
      restarts.delete(timer)
      if (!closed) start(thread)
    }, pause)
    restarts.add(timer)
  }

  function next(): void {
    for (const thread of threads) {
      if (thread.worker === null || thread.running !== null || !thread.isReady) continue
      const pending = waiting.shift()
      if (pending === undefined) return
      pending.attempts += 1
      thread.running = pending
      // A thread holds the process only while somebody waits for it.
      thread.worker.ref()
      thread.worker.postMessage({
        call: pending.call,
        name: pending.name,
        input: pending.input,
        budgetMs,
      } satisfies ReaderCall)
    }
    if (waiting.length === 0 || threads.some(({ worker, isReady }) => worker !== null && !isReady)) return
    const further = threads.find(({ isOff }) => isOff)
    if (further !== undefined) start(further)
  }

  function cancel(pending: Pending, why: string): void {
    const place = waiting.indexOf(pending)
    if (place >= 0) {
      waiting.splice(place, 1)
      pending.reject(new AspyError('cancelled', why))
      return
    }
    const thread = threads.find((thread) => thread.running === pending)
    if (thread === undefined) return
    // The thread looks at this number in mid-query and answers with `cancelled` itself; the caller need not wait for it.
    Atomics.store(new Int32Array(thread.cancelled), 0, pending.call)
    pending.reject(new AspyError('cancelled', why))
  }

  function supersede(word: string): void {
    const older = [...waiting, ...threads.flatMap((thread) => thread.running ?? [])]
    for (const pending of older) if (pending.supersede === word) cancel(pending, 'a newer search took its place')
  }

  for (let index = 0; index < size; index += 1) {
    const cancelled = new SharedArrayBuffer(4)
    threads.push({ worker: null, running: null, cancelled, deaths: 0, isReady: false, isOff: true, rest: null })
  }
  if (threads[0] !== undefined) start(threads[0])

  function ask(name: string, input: unknown, { signal, supersede: word }: ReadOptions): Promise<Page> {
    if (closed) return Promise.reject(new AspyError('store_unavailable', 'the app is stopping'))
    if (signal?.aborted === true) return Promise.reject(new AspyError('cancelled', 'the caller left'))
    if (word !== undefined) supersede(word)
    const { promise, resolve, reject } = Promise.withResolvers<Page>()
    const pending: Pending = { call: nextCall, name, input, supersede: word, resolve, reject, attempts: 0 }
    nextCall = (nextCall % 0x7fffffff) + 1
    const onAbort = () => cancel(pending, 'the caller left')
    signal?.addEventListener('abort', onAbort, { once: true })
    waiting.push(pending)
    next()
    return promise.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  return {
    call: async (name, input, options = {}) => (await ask(name, input, options)).bytes,
    async *pages(name, input, signal) {
      let cursor: string | null = null
      do {
        const page: Page = await ask(name, cursor === null ? input : { ...input, cursor }, { signal })
        yield page.bytes
        cursor = page.next
      } while (cursor !== null)
    },
    get pending() {
      return waiting.length + threads.filter((thread) => thread.running !== null).length
    },
    get threads() {
      return threads.filter(({ worker }) => worker !== null).length
    },
    async close() {
      closed = true
      for (const timer of restarts) clearTimeout(timer)
      for (const { rest } of threads) if (rest !== null) clearTimeout(rest)
      const left = [...waiting.splice(0), ...threads.flatMap((thread) => thread.running ?? [])]
      for (const pending of left) pending.reject(new AspyError('store_unavailable', 'the app is stopping'))
      await Promise.all(
        threads.map(async ({ worker, running, cancelled }) => {
          if (worker === null) return
          if (running !== null) Atomics.store(new Int32Array(cancelled), 0, running.call)
          worker.postMessage(END_OF_READING)
          await endThread(worker)
        }),
      )
      await Promise.all(leaving)
    },
  }
}
