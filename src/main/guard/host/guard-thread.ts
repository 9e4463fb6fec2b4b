import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { GuardKept } from '../../../shared/contract/guard.ts'
import { endThread } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { threadMemory } from '../../base/thread-memory.ts'
import type { CapFill, FromGuard, GuardConfig, GuardStart, ToGuard } from '../guard-protocol.ts'

const MAX_HEAP_MB = 512
const FIRST_RESTART_MS = 500
const LAST_RESTART_MS = 60_000
const FILL_MS = 1000
/** Until it has answered for the first time, it may take this long: it loads code, prices and sums. */
const FIRST_ANSWER_MS = 10_000

export interface GuardThreadOptions {
  readonly start: GuardStart
  readonly logger: Pick<Logger, 'error'>
  readonly onVerdict: (verdict: Extract<FromGuard, { type: 'verdict' }>) => void
  /** Called with the estimates that count on for answers that are over, whenever they change. */
  readonly onKept: (kept: GuardKept) => void
  /** The thread exited: it will not answer the pending questions. */
  readonly onExit: () => void
}

/** The thread that prices requests. Restarts when it exits. */
export class GuardThread {
  readonly #options: GuardThreadOptions
  readonly #ready = Promise.withResolvers<void>()
  /** Those who asked how full the caps are; each is answered in turn. */
  readonly #asking: ((fill: readonly CapFill[]) => void)[] = []
  #start: GuardStart
  #worker: Worker | null = null
  #restart: NodeJS.Timeout | undefined
  #deaths = 0
  /** Time in ms that an answer may take at least. */
  leastWaitMs = FIRST_ANSWER_MS
  #isClosed = false

  constructor(options: GuardThreadOptions) {
    this.#options = options
    this.#start = options.start
    this.#spawn()
  }

  /** Resolves when it can answer for the first time, at the latest after `deadlineMs`. */
  async readyWithin(deadlineMs: number): Promise<void> {
    await Promise.race([this.#ready.promise, pause(deadlineMs, undefined, { ref: false })])
  }

  /** Returns whether there is a thread to receive the message. */
  post(message: ToGuard, transfer: ArrayBuffer[] = []): boolean {
    this.#worker?.postMessage(message, transfer)
    return this.#worker !== null
  }

  /** Applies other settings, also after a restart. Requests that it was asked about before are compared with the old ones. */
  configure(config: GuardConfig, wall: number): void {
    this.#start = { ...this.#start, config }
    this.post({ type: 'configure', config, wall })
  }

  /** Returns how full the caps are; nothing if it does not answer in time. */
  async fill(wall: number): Promise<readonly CapFill[]> {
    const { promise, resolve } = Promise.withResolvers<readonly CapFill[]>()
    if (!this.post({ type: 'fill', wall })) return []
    this.#asking.push(resolve)
    return Promise.race([promise, pause(FILL_MS, [], { ref: false })])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restart)
    const worker = this.#worker
    if (worker === null) return
    this.post({ type: 'stop' })
    await endThread(worker, 2000)
  }

  #spawn(): void {
    const worker = new Worker(threadEntry('guard-thread'), {
      name: 'guard',
      workerData: this.#start,
      execArgv: [],
      resourceLimits: threadMemory(MAX_HEAP_MB),
    })
    this.#worker = worker
    worker.on('message', (message: FromGuard) => {
      if (message.type === 'kept') {
        this.#ready.resolve()
        return this.#options.onKept(message.kept)
      }
      if (message.type === 'fill') return this.#asking.shift()?.(message.fill)
      this.#deaths = 0
      this.leastWaitMs = 0
      this.#options.onVerdict(message)
    })
    // Only the name: the message may quote a request.
    worker.on('error', (error) => this.#options.logger.error({ error: error.name }, 'the guard thread failed'))
    worker.on('exit', () => this.#died())
    worker.unref()
  }

  #died(): void {
    this.#worker = null
    this.leastWaitMs = FIRST_ANSWER_MS
    for (const answer of this.#asking.splice(0)) answer([])
    if (this.#isClosed) return
    this.#options.onExit()
    this.#deaths += 1
    const delayMs = Math.min(LAST_RESTART_MS, FIRST_RESTART_MS * 2 ** (this.#deaths - 1))
    this.#restart = setTimeout(() => this.#spawn(), delayMs)
    this.#restart.unref()
  }
}
