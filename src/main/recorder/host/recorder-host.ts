import { setTimeout as pause } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import type { Config } from '../../../shared/config.ts'
import { AspyError, fromErrorAnswer } from '../../../shared/contract/errors.ts'
import type { ErrorAnswer } from '../../../shared/contract/errors.ts'
import type { JsonObject } from '../../../shared/event.ts'
import type { LiveBatch } from '../../../shared/contract/live.ts'
import type { TapParcel } from '../../proxy/protocol/tap-protocol.ts'
import { endThread, LOADING_MS } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { createHookQueue } from './hook-queue.ts'
import { createPendingCalls } from './pending-calls.ts'
import { createPoisonExchanges } from './poison-exchanges.ts'
import type { FromRecorder, RecorderStart, RecorderStatus, ToRecorder } from '../protocol.ts'
import { createStatusTotals } from './status-totals.ts'
import { TIMING } from './timing.ts'
import type { RecorderTiming } from './timing.ts'
import { openVitalSigns } from '../vital-signs.ts'
import { startWatchdog } from './watchdog.ts'

/** How the recorder fares, restarts included. */
export interface RecorderHealth extends Omit<RecorderStatus, 'state'> {
  readonly state: 'running' | 'restarting' | 'spooling' | 'failed'
  readonly restarts: number
  /** Why there is no store, where the recorder cannot begin properly. */
  readonly fault: ErrorAnswer | null
  /** Hooks that are not committed yet. */
  readonly hooks_waiting: number
}

export interface RecorderOptions extends Omit<RecorderStart, 'vitalSigns' | 'timeOrigin'> {
  /** The exchange is safe: the tap may forget its bytes. */
  onAcknowledge(exchange: string): void
  /** A recorder is ready, the first one or a new one: the tap posts again all that is not acknowledged. */
  onReady(): void
  onLive(batch: LiveBatch): void
  onStatus(health: RecorderHealth): void
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly timing?: Partial<RecorderTiming>
  /** The thread's code, where it is another than the product's. */
  readonly entry?: URL
}

/** From so many failures in a row on the recorder counts as failed; it is still tried again. */
const FAILURES_UNTIL_FAILED = 5
const MAX_HEAP_MB = 1024
/** From its last word to the end of its thread. */
const ENDING_MS = 2000

/** The recorder as the main thread sees it: a worker that is kept alive. */
export interface Recorder {
  start(): void
  /** For the tap. Throws while no recorder is ready: the tap keeps what it has until `onReady`. */
  post(parcels: readonly TapParcel[], transfer: ArrayBuffer[]): void
  /** Takes a hook's body; it survives a restart. Returns at once. */
  hook(body: JsonObject): void
  /** Runs an operation whose place is the recorder. Throws `store_unavailable` where it cannot be asked now. */
  call(name: string, input: unknown, onProgress?: (value: unknown) => void): Promise<unknown>
  /** A new line from an importer to the recorder of now; it closes when that recorder ends. */
  importerPort(): MessagePort
  health(): RecorderHealth
  /** Ends this worker as if it had died, between two of its steps; a new one follows. */
  restart(): Promise<void>
  /**
   * Goes on with other settings: this worker commits what is pending and ends, a new one begins with them and gets what
   * was not committed.
   */
  reconfigure(config: Config, deadlineMs: number): Promise<void>
  /** Commits what is pending and ends; after `deadlineMs` without asking. */
  stop(deadlineMs: number): Promise<void>
}

/** Starts nothing yet: `start` does. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { dataDir, appVersion, isDemo, logger } = options
  let { config } = options
  const timing = { ...TIMING, ...options.timing }
  const hooks = createHookQueue()
  const totals = createStatusTotals()
  const calls = createPendingCalls()
  const poison = createPoisonExchanges()
  let vitalSigns = openVitalSigns()
  let worker: Worker | null = null
  let isReady = false
  const firstReady = Promise.withResolvers<void>()
  let isStopping = false
  let isChanging = false
  let fault: ErrorAnswer | null = null
  let restarts = 0
  let failuresInARow = 0
  let backoff: NodeJS.Timeout | null = null
  let endWatch: () => void = () => undefined
  let onStopped: () => void = () => undefined

  function spawn(): void {
    backoff = null
    vitalSigns = openVitalSigns()
    // Of the one before, which may have ended in it.
    vitalSigns.away(0)
    const start: RecorderStart = {
      dataDir,
      config,
      appVersion,
      isDemo,
      vitalSigns: vitalSigns.shared,
      timeOrigin: performance.timeOrigin,
    }
    const next = new Worker(options.entry ?? threadEntry('recorder-thread'), {
      name: 'recorder',
      workerData: start,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    worker = next
    next.on('message', (message: FromRecorder) => receive(message))
    next.on('error', (error) => logger.error(withoutWords(error), 'the recorder failed'))
    next.on('exit', (code) => died(next, code))
    endWatch = startWatchdog({
      vitalSigns,
      hangMs: timing.hangMs,
      patienceMs: () => (isReady ? timing.hangMs + vitalSigns.awayMs() : timing.startMs),
      onHang() {
        logger.error('the recorder gives no sign of life; it is ended')
        void next.terminate()
      },
    })
  }

  function receive(message: FromRecorder): void {
    switch (message.type) {
      case 'ready':
        isReady = true
        firstReady.resolve()
        for (const hook of hooks.waiting()) send(hook)
        options.onReady()
        return report()
      case 'acknowledge':
        failuresInARow = 0
        for (const exchange of message.exchanges) {
          poison.cleared(exchange)
          options.onAcknowledge(exchange)
        }
        return
      case 'hook_recorded':
        failuresInARow = 0
        return hooks.recorded(message.id)
      case 'live':
        return options.onLive({ events: message.events, deltas: message.deltas })
      case 'status':
        totals.update(message.status)
        if (message.status.state === 'running') fault = null
        return report()
      case 'fault':
        fault = message.error
        logger.error({ code: message.error.code }, message.error.message)
        return report()
      case 'result':
        return calls.resolve(message.call, message.value)
      case 'progress':
        return calls.progress(message.call, message.value)
      case 'failure':
        return calls.reject(message.call, fromErrorAnswer(message.error))
      case 'stopped':
        return onStopped()
    }
  }

  function died(dead: Worker, code: number): void {
    if (dead !== worker) return
    worker = null
    isReady = false
    endWatch()
    calls.rejectAll(() => new AspyError('store_unavailable', 'the recorder was restarted: try again'))
    if (isStopping) return onStopped()
    totals.closeRun()
    if (isChanging) {
      isChanging = false
      onStopped()
      return spawn()
    }
    blame(vitalSigns.workedOn())
    restarts += 1
    failuresInARow += 1
    const wait = Math.min(timing.maxBackoffMs, timing.minBackoffMs * 2 ** (failuresInARow - 1))
    logger.warn({ code, restarts, wait_ms: wait }, 'the recorder ended unasked; it is started again')
    backoff = setTimeout(spawn, wait)
    backoff.unref()
    report()
  }

  /** The exchange that was worked on when the recorder died may be why. */
  function blame(exchange: string | null): void {
    if (exchange === null || !poison.diedOver(exchange)) return
    totals.drop('recorder_failed')
    logger.error({ exchange }, 'an exchange that ends every recorder is not recorded')
    options.onAcknowledge(exchange)
  }

  function send(message: ToRecorder, transfer: (ArrayBuffer | MessagePort)[] = []): void {
    if (worker === null || !isReady) throw new AspyError('store_unavailable', 'the recorder is starting: try again')
    worker.postMessage(message, transfer)
  }

  function health(): RecorderHealth {
    const { state, ...rest } = totals.status()
    const stateNow = isReady ? state : failuresInARow >= FAILURES_UNTIL_FAILED ? 'failed' : 'restarting'
    const dropped = { ...rest.dropped }
    if (hooks.dropped() > 0) dropped['queue_full'] = (dropped['queue_full'] ?? 0) + hooks.dropped()
    return { ...rest, dropped, state: stateNow, restarts, fault, hooks_waiting: hooks.waiting().length }
  }

  const report = () => options.onStatus(health())

  async function end(running: Worker, hasLoaded: boolean, deadlineMs: number): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      onStopped = resolve
    })
    running.postMessage({ type: 'stop' } satisfies ToRecorder)
    const deadline = setTimeout(() => {
      logger.warn({ deadline_ms: deadlineMs }, 'the recorder did not end in time')
      onStopped()
    }, deadlineMs)
    await stopped
    clearTimeout(deadline)
    await endThread(running, hasLoaded ? ENDING_MS : LOADING_MS)
  }

  return {
    start: spawn,
    post: (parcels, transfer) => send({ type: 'tap', parcels }, transfer),
    hook(body) {
      const hook = { type: 'hook', id: uuidv7(), body, wall: Date.now(), at: performance.now() } as const
      if (hooks.add(hook) && isReady) send(hook)
    },
    async call(name, input, onProgress) {
      if (!isReady && restarts === 0)
        await Promise.race([firstReady.promise, pause(timing.callMs, undefined, { ref: false })])
      return calls.open((call) => send({ type: 'call', call, name, input }), onProgress)
    },
    importerPort() {
      const { port1, port2 } = new MessageChannel()
      send({ type: 'importer', port: port2 }, [port2])
      return port1
    },
    health,
    async restart() {
      const dying = worker
      if (dying === null) return
      dying.postMessage({ type: 'die' } satisfies ToRecorder)
      await endThread(dying)
    },
    async reconfigure(next, deadlineMs) {
      config = next
      if (worker === null || isStopping) return
      isChanging = true
      const hasLoaded = isReady
      // The tap and the hooks keep what comes until the next one is ready.
      isReady = false
      await end(worker, hasLoaded, deadlineMs)
    },
    async stop(deadlineMs) {
      isStopping = true
      if (backoff !== null) clearTimeout(backoff)
      if (worker !== null) await end(worker, isReady, deadlineMs)
    },
  }
}

/** An error's message may quote traffic, and nobody redacts on this thread: only its name and where it happened. */
function withoutWords(error: unknown): object {
  if (!(error instanceof Error)) return { error: typeof error }
  const lines = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  return { error: error.name, ...('code' in error ? { code: error.code } : {}), stack: lines.join('\n') }
}
