import type { SinkStatus } from '../protocol.ts'
import { errorMessage } from '../../../shared/error-text.ts'

/** A sink that the outbox runs. */
export interface Sender {
  /**
   * Does the next piece of work. Returns the delay before the next step in ms, or null to wait for a commit. With `isLast` it
   * sends incomplete batches too. Throws `DeliveryFailure`, or errors of the log.
   */
  step(signal: AbortSignal, isLast: boolean): Promise<number | null>
  status(): Omit<SinkStatus, 'problem'>
  close(): void
}

/** The receiver did not accept a delivery. It is retried. */
export class DeliveryFailure extends Error {
  /** Delay that the receiver asked for. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

const FIRST_BACKOFF_MS = 500
const LAST_BACKOFF_MS = 5 * 60_000
/** Reads the log at least this often, even without a commit message. */
const IDLE_MS = 30_000

export type RunningSender = ReturnType<typeof runSender>

/** Runs one sink, one delivery at a time. Failed deliveries are retried with exponential backoff, without limit. */
export function runSender(sender: Sender, onChange: () => void) {
  const abort = new AbortController()
  let problem: string | null = null
  let failures = 0
  let isStopping = false
  let isWoken = false
  let wakeUp: () => void = () => undefined

  async function run(): Promise<void> {
    while (!abort.signal.aborted) {
      const wait = await next()
      onChange()
      if (isStopping && (wait === null || problem !== null)) return
      if (wait === 0) continue
      await rest(problem === null ? (wait ?? IDLE_MS) : (wait ?? 0), problem === null && wait === null)
    }
  }

  /** Runs a step. Returns the delay before the next in ms, or null to wait for a commit. */
  async function next(): Promise<number | null> {
    isWoken = false
    try {
      const wait = await sender.step(abort.signal, isStopping)
      problem = null
      failures = 0
      return wait
    } catch (error) {
      problem = errorMessage(error)
      failures += 1
      const asked = error instanceof DeliveryFailure ? error.retryAfterMs : null
      return asked === null ? backoff(failures) : Math.max(asked, FIRST_BACKOFF_MS)
    }
  }

  /** Waits. Ends early on stop or, with `untilCommit`, on `wake`. */
  async function rest(ms: number, untilCommit: boolean): Promise<void> {
    if (isStopping || (untilCommit && isWoken)) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wakeUp = () => {
        if (!isStopping && !untilCommit) return
        clearTimeout(timer)
        resolve()
      }
    })
    wakeUp = () => undefined
  }

  const ended = run()
  return {
    /** Called after a commit. Does not shorten a backoff: more events must not mean more retries. */
    wake() {
      isWoken = true
      wakeUp()
    },
    status: () => ({ ...sender.status(), problem }),
    /** Sends the rest, unless deliveries are failing. Stops at the latest when `signal` aborts. */
    async stop(signal: AbortSignal) {
      isStopping = true
      // If the last delivery failed, do not retry now.
      if (problem !== null) abort.abort()
      else signal.addEventListener('abort', () => abort.abort(), { once: true })
      wakeUp()
      await ended
      sender.close()
    },
  }
}

/** Returns the delay before a retry, with random jitter so that clients do not retry in step. */
function backoff(failures: number): number {
  const most = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
  return most / 2 + (Math.random() * most) / 2
}
