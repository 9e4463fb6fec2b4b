import { setTimeout as pause } from 'node:timers/promises'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Config } from '../../../shared/config.ts'
import { AspyError, fromErrorAnswer, type ErrorAnswer } from '../../../shared/contract/errors.ts'
import type { LiveBatch } from '../../../shared/contract/live.ts'
import type { TapParcel } from '../../proxy/protocol/tap-protocol.ts'
import type { Clock } from '../../base/clock.ts'
import { endThread, LOADING_MS } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { threadMemory } from '../../base/thread-memory.ts'
import { errorWithoutMessage } from './error-without-message.ts'
import { HookQueue, type HookBacklog } from './hook-queue.ts'
import { createPendingCalls } from './pending-calls.ts'
import { createPoisonExchanges } from './poison-exchanges.ts'
import type { FromRecorder, RecorderCommands, RecorderStart, RecorderStatus, ToRecorder } from '../protocol.ts'
import { createStatusTotals } from './status-totals.ts'
import { TIMING, type RecorderTiming } from './timing.ts'
import { sumOf } from '../tally.ts'
import { openVitalSigns } from '../vital-signs.ts'
import { startWatchdog } from './watchdog.ts'

/** The recorder's condition, totalled over all restarts. */
export interface RecorderHealth extends Omit<RecorderStatus, 'state'>, HookBacklog {
  readonly state: 'running' | 'restarting' | 'spooling' | 'failed'
  readonly restarts: number
  /** Why there is no store, if the recorder could not start properly. */
  readonly fault: ErrorAnswer | null
}

export interface RecorderHostOptions extends Omit<RecorderStart, 'vitalSigns' | 'timeOrigin'> {
  /** The exchange is stored: the tap may drop its bytes. */
  onAcknowledge(exchange: string): void
  /** A hook is about to be posted: what was captured before it must come first. */
  onHook?(): void
  onLeftOut?(answers: Extract<FromRecorder, { type: 'left_out' }>['answers']): void
  /** A recorder is ready, the first one or its replacement: the tap posts everything not acknowledged again. */
  onReady(mayFollow: boolean): void
  onLive(batch: LiveBatch): void
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly timing?: Partial<RecorderTiming>
  /** Code of the thread; tests pass their own. */
  readonly entry?: URL
}

/** After this many failures in a row the recorder counts as failed. It is still restarted. */
const FAILURES_UNTIL_FAILED = 5
const MAX_HEAP_MB = 1024
/** From the `stopped` message to the exit of the thread. */
const ENDING_MS = 2000

/** Runs the recorder in a worker thread and keeps it alive. Starts nothing until `start` is called. */
export class RecorderHost {
  readonly #options: RecorderHostOptions
  readonly #timing: RecorderTiming
  readonly #hooks = new HookQueue()
  readonly #totals = createStatusTotals()
  readonly #calls = createPendingCalls()
  readonly #poison = createPoisonExchanges()
  readonly #firstReady = Promise.withResolvers<void>()
  /** Passed to the next worker. */
  #config: Config
  #vitalSigns = openVitalSigns()
  #worker: Worker | null = null
  #isReady = false
  #isStopping = false
  #isReconfiguring = false
  #isHandedOver = false
  #fault: ErrorAnswer | null = null // Of the current worker.
  #restarts = 0
  #failuresInARow = 0
  #backoff: NodeJS.Timeout | null = null
  #stopWatchdog: () => void = () => undefined
  #onStopped: () => void = () => undefined

  constructor(options: RecorderHostOptions) {
    this.#options = options
    this.#timing = { ...TIMING, ...options.timing }
    this.#config = options.config
  }

  start(): void {
    this.#spawn()
  }

  /** Posts the tap's parcels. Throws while no recorder is ready: the tap keeps its parcels until `onReady`. */
  post(parcels: readonly TapParcel[], transfer: ArrayBuffer[]): void {
    this.#send({ type: 'tap', parcels }, transfer)
  }

  /** Accepts a hook, as the bytes of its JSON, and keeps it across restarts until it is stored. Returns at once. */
  hook(json: Uint8Array, clock?: Clock): void {
    const hook = this.#hooks.add(json, clock)
    if (hook === null || !this.#isReady) return
    this.#options.onHook?.()
    this.#send(hook)
  }

  countRefusedHook(): void {
    this.#hooks.drop('hook_too_large')
  }

  /** Runs an operation that belongs to the recorder. Throws `store_unavailable` if the recorder cannot be reached. */
  async call(name: string, input: unknown, onProgress?: (value: unknown) => void): Promise<unknown> {
    if (!this.#isReady && this.#restarts === 0)
      await Promise.race([this.#firstReady.promise, pause(this.#timing.callMs, undefined, { ref: false })])
    return this.#calls.open((call) => this.#send({ type: 'call', call, name, input }), onProgress)
  }

  /** Sends one of the app's own commands. Throws like `call`. */
  async command<Name extends keyof RecorderCommands>(
    name: Name,
    input: RecorderCommands[Name]['input'],
  ): Promise<RecorderCommands[Name]['output']> {
    return (await this.call(name, input)) as RecorderCommands[Name]['output']
  }

  /** Opens a port from an importer to the current recorder. The port closes when that recorder ends. */
  importerPort(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.#send({ type: 'importer', port: port2 }, [port2])
    return port1
  }

  health(): RecorderHealth {
    const { state, ...rest } = this.#totals.status()
    const stateWithoutWorker = this.#failuresInARow >= FAILURES_UNTIL_FAILED ? 'failed' : 'restarting'
    return {
      ...rest,
      dropped: sumOf(rest.dropped, this.#hooks.dropped),
      state: this.#isReady ? state : stateWithoutWorker,
      restarts: this.#restarts,
      fault: this.#fault,
      ...this.#hooks.backlog(),
    }
  }

  /** Ends the worker between two of its steps, like a crash. A new one follows. */
  async restart(): Promise<void> {
    const dying = this.#worker
    if (dying === null) return
    dying.postMessage({ type: 'die' } satisfies ToRecorder)
    await endThread(dying)
  }

  /** Applies other settings: the worker commits what is pending and ends, and the next one receives the rest. */
  async reconfigure(config: Config, deadlineMs: number): Promise<void> {
    this.#config = config
    if (this.#worker === null || this.#isStopping) return
    this.#isReconfiguring = true
    const hasLoaded = this.#isReady
    // The tap and the hook queue keep what arrives until the next worker is ready.
    this.#isReady = false
    await this.#end(this.#worker, hasLoaded, deadlineMs)
  }

  /** Commits what is pending and leaves the store to another app; what is still recorded is passed on to it. */
  async handOver(): Promise<void> {
    this.#isHandedOver = true
    if (this.#worker !== null) await this.command('store.hand_over', {})
  }

  /** Commits what is pending and ends the worker, by force after `deadlineMs`. */
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true
    if (this.#backoff !== null) clearTimeout(this.#backoff)
    if (this.#worker !== null) await this.#end(this.#worker, this.#isReady, deadlineMs)
  }

  #spawn(): void {
    const { logger } = this.#options
    this.#backoff = null
    this.#fault = null
    this.#vitalSigns = openVitalSigns()
    const worker = new Worker(this.#options.entry ?? threadEntry('recorder-thread'), {
      name: 'recorder',
      workerData: this.#startData(),
      execArgv: [],
      resourceLimits: threadMemory(MAX_HEAP_MB),
      trackUnmanagedFds: false, // Closing its descriptor of the database drops locks: see raw-file.ts.
    })
    this.#worker = worker
    worker.on('message', (message: FromRecorder) => this.#receive(message))
    worker.on('error', (error) => logger.error(errorWithoutMessage(error), 'the recorder thread failed'))
    worker.on('exit', (code) => this.#onExit(worker, code))
    const { hangMs, startMs } = this.#timing
    this.#stopWatchdog = startWatchdog({
      vitalSigns: this.#vitalSigns,
      hangMs,
      patienceMs: () => (this.#isReady ? hangMs + this.#vitalSigns.awayMs() : startMs),
      onHang() {
        logger.error('the recorder hangs; terminating it')
        void worker.terminate()
      },
    })
  }

  #startData(): RecorderStart {
    const { dataDir, appVersion, isDemo, undo } = this.#options
    const [config, isHandedOver, vitalSigns] = [this.#config, this.#isHandedOver, this.#vitalSigns.shared] as const
    const { timeOrigin } = performance
    return { dataDir, config, appVersion, isDemo, isHandedOver, vitalSigns, undo, timeOrigin }
  }

  #receive(message: FromRecorder): void {
    switch (message.type) {
      case 'ready':
        this.#isReady = true
        this.#firstReady.resolve()
        for (const hook of this.#hooks.waiting()) this.#send(hook)
        this.#options.onReady(message.mayFollow)
        return
      case 'acknowledge':
        this.#failuresInARow = 0
        for (const exchange of message.exchanges) {
          this.#poison.cleared(exchange)
          this.#options.onAcknowledge(exchange)
        }
        return
      case 'hook_recorded':
        this.#failuresInARow = 0
        return this.#hooks.recorded(message.id)
      case 'left_out':
        return this.#options.onLeftOut?.(message.answers)
      case 'live':
        return this.#options.onLive(message)
      case 'counted':
        return this.#totals.count(message.counts)
      case 'status':
        this.#totals.update(message.status)
        if (message.status.state === 'running') this.#fault = null
        return
      case 'fault':
        this.#fault = message.error
        this.#options.logger.error({ code: message.error.code }, message.error.message)
        return
      case 'result':
        return this.#calls.resolve(message.call, message.value)
      case 'progress':
        return this.#calls.progress(message.call, message.value)
      case 'failure':
        return this.#calls.reject(message.call, fromErrorAnswer(message.error))
      case 'stopped':
        return this.#onStopped()
    }
  }

  #onExit(worker: Worker, code: number): void {
    if (worker !== this.#worker) return
    this.#worker = null
    this.#isReady = false
    this.#stopWatchdog()
    this.#calls.rejectAll(() => new AspyError('store_unavailable', 'the recorder was restarted; try again'))
    if (this.#isStopping) return this.#onStopped()
    this.#totals.closeRun()
    if (this.#isReconfiguring) {
      this.#isReconfiguring = false
      this.#onStopped()
      return this.#spawn()
    }
    this.#giveUpIfPoison(this.#vitalSigns.workedOn())
    this.#restarts += 1
    this.#failuresInARow += 1
    const { minBackoffMs, maxBackoffMs } = this.#timing
    const wait = Math.min(maxBackoffMs, minBackoffMs * 2 ** (this.#failuresInARow - 1))
    const said = { code, restarts: this.#restarts, wait_ms: wait }
    this.#options.logger.warn(said, 'the recorder exited unexpectedly; restarting it')
    this.#backoff = setTimeout(() => this.#spawn(), wait)
    this.#backoff.unref()
  }

  /** The exchange that the recorder was working on when it died may be the cause. */
  #giveUpIfPoison(exchange: string | null): void {
    if (exchange === null || !this.#poison.diedOver(exchange)) return
    this.#totals.drop('recorder_failed')
    this.#options.logger.error({ exchange }, 'an exchange or hook crashed the recorder repeatedly; it is not recorded')
    this.#hooks.recorded(exchange)
    this.#options.onAcknowledge(exchange)
  }

  #send(message: ToRecorder, transfer: (ArrayBuffer | MessagePort)[] = []): void {
    if (this.#worker === null || !this.#isReady)
      throw new AspyError('store_unavailable', 'the recorder is starting; try again')
    this.#worker.postMessage(message, transfer)
  }

  async #end(worker: Worker, hasLoaded: boolean, deadlineMs: number): Promise<void> {
    const { promise: stopped, resolve } = Promise.withResolvers<void>()
    this.#onStopped = resolve
    worker.postMessage({ type: 'stop' } satisfies ToRecorder)
    const deadline = setTimeout(() => {
      this.#options.logger.warn({ deadline_ms: deadlineMs }, 'the recorder did not stop in time')
      this.#onStopped()
    }, deadlineMs)
    await stopped
    clearTimeout(deadline)
    await endThread(worker, hasLoaded ? ENDING_MS : LOADING_MS)
  }
}
