import type { SinkStatus } from '../protocol.ts'

/** A sink as the outbox runs it. */
export interface Sender {
  /**
   * Does the next piece of work: null: there is nothing until something is committed; else after how many ms to go on.
   * With `isLast` nothing waits for company any more. Throws `DeliveryFailure`, or what the log says.
   */
  step(signal: AbortSignal, isLast: boolean): Promise<number | null>
  status(): Omit<SinkStatus, 'problem'>
  close(): void
}

/** The other side did not take it; it is tried again. */
export class DeliveryFailure extends Error {
  /** It asked to be left alone for so long. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

const FIRST_BACKOFF_MS = 500
const LAST_BACKOFF_MS = 5 * 60_000
/** A log that was not looked at for so long is looked at unasked. */
const IDLE_MS = 30_000

export interface RunningSender {
  /** Something was committed. Ends no backoff: who is down is not asked more often because more is to be sent. */
  wake(): void
  status(): SinkStatus
  /** Sends what is there, if the other side takes it, and ends at the latest when `signal` aborts. */
  stop(signal: AbortSignal): Promise<void>
}

/** Runs one sink: one delivery after the other, retried at longer and longer intervals for as long as it takes. */
export function runSender(sender: Sender, onChange: () => void): RunningSender {
  const abort = new AbortController()
  let problem: string | null = null
  let failures = 0
  let isStopping = false
  let isAwaken = false
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

  /** How long to wait; null: until something is committed. */
  async function next(): Promise<number | null> {
    isAwaken = false
    try {
      const wait = await sender.step(abort.signal, isStopping)
      problem = null
      failures = 0
      return wait
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
      failures += 1
      const asked = error instanceof DeliveryFailure ? error.retryAfterMs : null
      return asked === null ? backoff(failures) : Math.max(asked, FIRST_BACKOFF_MS)
    }
  }

  /** Ends early where it is stopped or, if `untilCommit`, woken. */
  async function rest(ms: number, untilCommit: boolean): Promise<void> {
    if (isStopping || (untilCommit && isAwaken)) return
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
    wake() {
      isAwaken = true
      wakeUp()
    },
    status: () => ({ ...sender.status(), problem }),
    async stop(signal) {
      isStopping = true
      // Who did not take the last one is not asked again now.
      if (problem !== null) abort.abort()
      else signal.addEventListener('abort', () => abort.abort(), { once: true })
      wakeUp()
      await ended
      sender.close()
    },
  }
}

/** Half of it, and a random part of the other half: those who were turned away together do not come back together. */
function backoff(failures: number): number {
  const most = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
  return most / 2 + (Math.random() * most) / 2
}
