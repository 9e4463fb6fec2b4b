import { Worker } from 'node:worker_threads'
import type { OwnPrice } from '../../../shared/config.ts'
import { threadMemory } from '../../base/thread-memory.ts'
import { endThread } from '../../base/end-thread.ts'
import {
  END_OF_READING,
  READER_READY,
  type ReaderCall,
  type ReaderReply,
  type ReaderStart,
} from '../reader-protocol.ts'
import type { PendingRead } from './pending-read.ts'

const MAX_HEAP_MB = 512

export interface ReaderThreadOptions {
  readonly entry: URL
  readonly databasePath: string
  readonly prices: readonly OwnPrice[]
  readonly accounts: ReaderStart['accounts']
  readonly dataDir?: string | undefined
  /** It gets calls even while it loads: other threads could not start sooner. */
  readonly isFirst: boolean
  onReady(thread: ReaderThread): void
  onReply(thread: ReaderThread, reply: ReaderReply): void
  onDeath(thread: ReaderThread, reason: unknown): void
}

/** A slot of the pool: a thread that runs one call at a time, and may be off. */
export class ReaderThread {
  readonly #options: ReaderThreadOptions
  /** Number of the call to cancel, which the thread checks in the middle of a query. */
  readonly #cancelled = new SharedArrayBuffer(4)
  #worker: Worker | null = null
  #isReady = false
  /** It was never started, or was ended while idle. A crashed thread is not off: it restarts after a pause. */
  #isOff = true
  running: PendingRead | null = null
  /** Deaths in a row without an answer in between. */
  deaths = 0
  /** Ends the thread when it has been idle. */
  idleTimer: NodeJS.Timeout | null = null

  constructor(options: ReaderThreadOptions) {
    this.#options = options
  }

  get isThere(): boolean {
    return this.#worker !== null
  }

  get isOff(): boolean {
    return this.#isOff
  }

  get isLoading(): boolean {
    return this.#worker !== null && !this.#isReady
  }

  get isFree(): boolean {
    return this.#worker !== null && this.#isReady && this.running === null
  }

  start(): void {
    const { entry, databasePath, prices, accounts, dataDir, isFirst, onReady, onReply } = this.#options
    const workerData: ReaderStart = { databasePath, prices, accounts, dataDir, cancelled: this.#cancelled }
    const worker = new Worker(entry, { workerData, execArgv: [], resourceLimits: threadMemory(MAX_HEAP_MB) })
    this.#worker = worker
    this.#isOff = false
    this.#isReady = isFirst
    worker.unref()
    worker.on('message', (reply: ReaderReply | typeof READER_READY) => {
      if (reply !== READER_READY) return onReply(this, reply)
      this.#isReady = true
      onReady(this)
    })
    // 'exit' follows and does the work. Without a listener the error would end the process.
    let reason: unknown = null
    worker.on('error', (error) => {
      reason = error
    })
    worker.once('exit', () => this.#onExit(worker, reason))
  }

  run(read: PendingRead, budgetMs: number): void {
    this.running = read
    // A thread keeps the process alive only while somebody waits for it.
    this.#worker?.ref()
    const { call, name, input } = read
    this.#worker?.postMessage({ call, name, input, budgetMs } satisfies ReaderCall)
  }

  /** The running call is answered. */
  settled(): void {
    this.running = null
    this.deaths = 0
    this.#worker?.unref()
  }

  /** Cancels the running call in the middle of its query. The thread answers it with `cancelled`. */
  cancel(): void {
    if (this.running !== null) Atomics.store(new Int32Array(this.#cancelled), 0, this.running.call)
  }

  isCancelled({ call }: PendingRead): boolean {
    return Atomics.load(new Int32Array(this.#cancelled), 0) === call
  }

  /** Ends an idle thread until it is started again. */
  async turnOff(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    this.#isOff = true
    worker?.postMessage(END_OF_READING)
    if (worker !== null) await endThread(worker)
  }

  /** Cancels the running call and ends the thread for good. */
  async close(): Promise<void> {
    if (this.idleTimer !== null) clearTimeout(this.idleTimer)
    this.cancel()
    this.#worker?.postMessage(END_OF_READING)
    if (this.#worker !== null) await endThread(this.#worker)
  }

  #onExit(worker: Worker, reason: unknown): void {
    if (worker !== this.#worker) return
    this.#worker = null
    this.#options.onDeath(this, reason)
  }
}
