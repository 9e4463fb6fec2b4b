import type { Config, OwnPrice } from '../../../shared/config.ts'
import { AspyError, fromErrorAnswer } from '../../../shared/contract/errors.ts'
import type { ReadOptions, Readers } from '../../dispatch/readers.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import type { ReaderReply } from '../reader-protocol.ts'
import type { Page, PendingRead } from './pending-read.ts'
import { ReaderThread } from './reader-thread.ts'

export interface ReaderPoolOptions {
  readonly databasePath: string
  /** The user's own prices. */
  readonly prices?: readonly OwnPrice[]
  /** The user's names of accounts, by the beginning of their keyed hash. */
  readonly accounts?: Readonly<Record<string, string>>
  /** Has the key that lets a check compare texts with their hashes. */
  readonly dataDir?: string
  /** Bounds the threads. Two let a search and a list run at the same time; they exist only while they are needed. */
  readonly size?: number
  /** Milliseconds without a call after which a thread ends. */
  readonly restMs?: number
  /** Milliseconds that a call waits before another thread is started for it. */
  readonly helpMs?: number
  /** Milliseconds after which a search returns its results so far. */
  readonly budgetMs?: number
  /** Code of the threads; tests pass their own. */
  readonly entry?: URL
}

/** A call whose thread died runs once more. If the thread dies again, the call itself is the cause. */
const MAX_ATTEMPTS = 2
const MAX_RESTART_PAUSE_MS = 5000
/** Each thread takes about 15 MB, even when idle. While something is recorded, a call comes at least every 30 s. */
const REST_MS = 40_000
/** A thread that only helps the first one ends after this share of it. */
const HELPER_SHARE = 0.25
/** Most calls end sooner: then they wait for each other, and no thread is loaded for them, which takes longer. */
const HELP_MS = 100

/**
 * Threads that read the database. Calls wait in one queue and each runs on the first free thread, so a slow call does not
 * hold up the others. A thread that dies is restarted and its call runs again; an idle one ends until it is needed.
 */
export class ReaderPool implements Readers {
  readonly #restMs: number
  readonly #helpMs: number
  readonly #budgetMs: number
  readonly #threads: readonly ReaderThread[]
  readonly #waiting: PendingRead[] = []
  /** Timers of threads that restart after a pause. */
  readonly #restarts = new Set<NodeJS.Timeout>()
  /** Idle threads that are ending. */
  readonly #ending = new Set<Promise<void>>()
  /** Starts another thread if calls still wait then. */
  #help: NodeJS.Timeout | null = null
  #nextCall = 1
  #isClosed = false

  constructor(options: ReaderPoolOptions) {
    const { databasePath, prices = [], accounts = {}, dataDir, size = 2 } = options
    const { restMs = REST_MS, helpMs = HELP_MS, budgetMs = 2000 } = options
    const entry = options.entry ?? threadEntry('reader-thread')
    this.#restMs = restMs
    this.#helpMs = helpMs
    this.#budgetMs = budgetMs
    this.#threads = Array.from(
      { length: size },
      (_, at) =>
        new ReaderThread({
          entry,
          databasePath,
          prices,
          accounts,
          dataDir,
          isFirst: at === 0,
          onReady: (thread) => this.#onReady(thread),
          onReply: (thread, reply) => this.#onReply(thread, reply),
          onDeath: (thread, reason) => this.#onDeath(thread, reason),
        }),
    )
    const [first] = this.#threads
    if (first !== undefined) this.#start(first)
  }

  async call(name: string, input: unknown, options: ReadOptions = {}): Promise<Uint8Array> {
    return (await this.#read(name, input, options)).bytes
  }

  async *pages(name: string, input: object, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let cursor: string | null = null
    do {
      const page: Page = await this.#read(name, cursor === null ? input : { ...input, cursor }, { signal })
      yield page.bytes
      cursor = page.next
    } while (cursor !== null)
  }

  get pending(): number {
    return this.#waiting.length + this.#threads.filter((thread) => thread.running !== null).length
  }

  get threads(): number {
    return this.#threads.filter((thread) => thread.isThere).length
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#restarts) clearTimeout(timer)
    if (this.#help !== null) clearTimeout(this.#help)
    const left = [...this.#waiting.splice(0), ...this.#running()]
    for (const read of left) read.reject(new AspyError('store_unavailable', 'the app is stopping'))
    await Promise.all(this.#threads.map((thread) => thread.close()))
    await Promise.all(this.#ending)
  }

  #running(): PendingRead[] {
    return this.#threads.flatMap((thread) => thread.running ?? [])
  }

  #start(thread: ReaderThread): void {
    thread.start()
    this.#runNext()
  }

  #onReady(thread: ReaderThread): void {
    this.#endWhenIdle(thread)
    this.#runNext()
  }

  #onReply(thread: ReaderThread, reply: ReaderReply): void {
    const { running } = thread
    if (running === null || running.call !== reply.call) return
    thread.settled()
    this.#endWhenIdle(thread)
    if ('bytes' in reply) running.resolve(reply)
    else running.reject(fromErrorAnswer(reply.error))
    this.#runNext()
  }

  #onDeath(thread: ReaderThread, reason: unknown): void {
    const { running } = thread
    thread.running = null
    if (this.#isClosed) return
    thread.deaths += 1
    if (running !== null && !thread.isCancelled(running)) {
      if (running.attempts < MAX_ATTEMPTS) this.#waiting.unshift(running)
      else running.reject(new AspyError('internal', `the reader thread died in ${running.name}`, { cause: reason }))
    }
    // The first restart is immediate, so a single crash costs one call a few milliseconds.
    const pause = thread.deaths < 2 ? 0 : Math.min(MAX_RESTART_PAUSE_MS, 50 * 2 ** thread.deaths)
    const timer = setTimeout(() => {
      this.#restarts.delete(timer)
      if (!this.#isClosed) this.#start(thread)
    }, pause)
    this.#restarts.add(timer)
  }

  /** Ends a thread once it has been idle for `restMs`, or sooner if it only helps. */
  #endWhenIdle(thread: ReaderThread): void {
    if (thread.idleTimer !== null) clearTimeout(thread.idleTimer)
    const restMs = thread === this.#threads[0] ? this.#restMs : this.#restMs * HELPER_SHARE
    thread.idleTimer = setTimeout(() => {
      if (this.#isClosed || !thread.isThere || thread.running !== null) return
      const ended = thread.turnOff().then(() => void this.#ending.delete(ended))
      this.#ending.add(ended)
    }, restMs)
    thread.idleTimer.unref()
  }

  /** Gives waiting calls to free threads. If calls still wait after a while, starts another thread. */
  #runNext(): void {
    for (const thread of this.#threads) {
      if (!thread.isFree) continue
      const read = this.#waiting.shift()
      if (read === undefined) return
      read.attempts += 1
      thread.run(read, this.#budgetMs)
    }
    // One that loads comes back here when it is ready.
    if (this.#waiting.length === 0 || this.#threads.some((thread) => thread.isLoading)) return
    if (this.threads === 0) return this.#startOther()
    if (this.#help !== null) return
    const before = new Set(this.#waiting)
    this.#help = setTimeout(() => {
      this.#help = null
      if (this.#waiting.some((read) => before.has(read))) this.#startOther()
      else this.#runNext()
    }, this.#helpMs).unref()
  }

  #startOther(): void {
    const other = this.#threads.find((thread) => thread.isOff)
    if (other !== undefined) this.#start(other)
  }

  #read(name: string, input: unknown, { signal, supersede }: ReadOptions): Promise<Page> {
    if (this.#isClosed) return Promise.reject(new AspyError('store_unavailable', 'the app is stopping'))
    if (signal?.aborted === true) return Promise.reject(new AspyError('cancelled', 'the caller left'))
    if (supersede !== undefined) this.#supersede(supersede)
    const { promise, resolve, reject } = Promise.withResolvers<Page>()
    const read: PendingRead = { call: this.#nextCall, name, input, supersede, resolve, reject, attempts: 0 }
    this.#nextCall = (this.#nextCall % 0x7fffffff) + 1
    const onAbort = () => this.#cancel(read, 'the caller left')
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waiting.push(read)
    this.#runNext()
    return promise.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  #supersede(key: string): void {
    for (const read of [...this.#waiting, ...this.#running()])
      if (read.supersede === key) this.#cancel(read, 'a newer search took its place')
  }

  #cancel(read: PendingRead, why: string): void {
    const at = this.#waiting.indexOf(read)
    const thread = this.#threads.find(({ running }) => running === read)
    if (at >= 0) this.#waiting.splice(at, 1)
    else if (thread !== undefined) thread.cancel()
    else return
    // The caller need not wait until the thread has noticed.
    read.reject(new AspyError('cancelled', why))
  }
}

/** Creates the readers of an app, with the prices and names that its settings give. */
export const readersOf = ({
  config,
  ...paths
}: {
  readonly databasePath: string
  readonly dataDir: string
  readonly config: Config
}): ReaderPool => new ReaderPool({ ...paths, prices: config.pricing.models, accounts: config.limits.accounts })
