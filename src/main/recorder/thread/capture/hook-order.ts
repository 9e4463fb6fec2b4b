import { setTimeout as pause } from 'node:timers/promises'
import type { ReceivedHook } from './hook-intake.ts'

/** Hooks that report the end of work that an answer began. */
const ENDS: ReadonlySet<unknown> = new Set(['Stop', 'StopFailure', 'SessionEnd'])
/**
 * Twice the time for which the tap collects bytes: by then, everything that the client had read before its hook has
 * arrived.
 */
const TAP_MS = 40
/** The answer is complete when its hook comes, so this waits only for decoding. */
const MAX_MS = 1000

export interface HookOrderOptions {
  /** Resolves when everything received so far is decoded, and the open answers of a session are queued for the log. */
  answered(sessionId: string): Promise<void>
  take(message: ReceivedHook): void
}

/** Keeps the end of a turn behind its answer: a hook may arrive before the answer's last bytes are decoded. */
export class HookOrder {
  readonly #options: HookOrderOptions
  /** The last hook that waits in each session. Later hooks of the session wait behind it. */
  readonly #waiting = new Map<string, Promise<void>>()

  constructor(options: HookOrderOptions) {
    this.#options = options
  }

  receive(message: ReceivedHook): void {
    const session = String(message.body['session_id'])
    const before = this.#waiting.get(session)
    const isEnd = ENDS.has(message.body['hook_event_name'])
    if (before === undefined && !isEnd) return this.#options.take(message)
    const turn = this.#takeAfter(before, isEnd ? session : null, message).then(() => {
      if (this.#waiting.get(session) === turn) this.#waiting.delete(session)
    })
    this.#waiting.set(session, turn)
  }

  /** Settles when no hook waits. */
  async settled(): Promise<void> {
    while (this.#waiting.size > 0) await Promise.all(this.#waiting.values())
  }

  async #takeAfter(before: Promise<void> | undefined, session: string | null, message: ReceivedHook): Promise<void> {
    await before
    if (session !== null) {
      await pause(TAP_MS)
      const timer = new AbortController()
      const limit = pause(MAX_MS, undefined, { signal: timer.signal }).catch(stopped)
      await Promise.race([this.#options.answered(session), limit])
      timer.abort()
    }
    this.#options.take(message)
  }
}

/** The timer was stopped because the answers were decoded in time. */
function stopped(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error
}
