import { setTimeout as pause } from 'node:timers/promises'
import { toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { Hiding } from '../../../store/delete/session-hiding.ts'

/** How long a deletion can be undone. */
const UNDO_MS = 10_000
/** Events of hidden sessions arrive in bursts: their sums are counted once for each. */
const RECOUNT_MS = 250
/** The session is hidden already; an answer waits no longer for the sums, which may be behind other work. */
const SUMS_MS = 1000

export interface DelayedDeletionsOptions {
  /** The run of the app. */
  readonly run: string
  /** Throws `store_unavailable`. */
  hiding(): Hiding
  /** Returns an empty list if there is no store. */
  hidden(): readonly string[]
  /** Deletes a session for good if it is still hidden. */
  carryOut(sessionId: string): Promise<unknown>
  countSums(): Promise<unknown>
  /** Called when sessions were hidden or shown. */
  onChanged(): void
  readonly logger: { warn(object: object, message: string): void }
}

/**
 * Deletions that wait ten seconds, during which they can be undone. They are in the database, so they survive whatever
 * ends the recorder: within the same run of the app the wait continues, and the next run carries them out at once.
 */
export class DelayedDeletions {
  readonly #options: DelayedDeletionsOptions
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #recount: NodeJS.Timeout | null = null
  #finished = 0

  constructor(options: DelayedDeletionsOptions) {
    this.#options = options
  }

  /** Deletions of an earlier run that this one carried out. */
  get finished(): number {
    return this.#finished
  }

  /** Hides the session and deletes it in ten seconds. Throws `not_found`. */
  async begin(sessionId: string): Promise<{ session_id: string; undo_until: string }> {
    const { run, hiding, countSums, onChanged } = this.#options
    const undo_until = new Date(Date.now() + UNDO_MS).toISOString()
    hiding().hide(sessionId, { run, undo_until })
    this.#schedule(sessionId, UNDO_MS)
    onChanged()
    await Promise.race([this.#tried(countSums()), pause(SUMS_MS, undefined, { ref: false })])
    return { session_id: sessionId, undo_until }
  }

  /** Shows the session again. Throws `not_found` if it is too late. */
  undo(sessionId: string): { session_id: string } {
    this.#options.hiding().show(sessionId)
    this.#clear(sessionId)
    this.#options.onChanged()
    return { session_id: sessionId }
  }

  /** Continues with what an earlier recorder left. Call it when the store can be written. */
  resume(): void {
    const { run, hiding, hidden, onChanged } = this.#options
    if (hidden().length === 0) return
    const pending = hiding().pending()
    for (const [sessionId, deletion] of pending) {
      const isOurs = deletion.run === run
      if (!isOurs) this.#finished += 1
      this.#schedule(sessionId, isOurs ? Math.max(0, Date.parse(deletion.undo_until) - Date.now()) : 0)
    }
    onChanged()
  }

  /** Something was written: it may belong to a hidden session. */
  onWritten(): void {
    if (this.#recount !== null || this.#options.hidden().length === 0) return
    this.#recount = setTimeout(() => {
      this.#recount = null
      void this.#tried(this.#options.countSums())
    }, RECOUNT_MS)
  }

  stop(): void {
    for (const sessionId of this.#timers.keys()) this.#clear(sessionId)
    if (this.#recount !== null) clearTimeout(this.#recount)
  }

  #schedule(sessionId: string, ms: number): void {
    const { carryOut, onChanged } = this.#options
    this.#clear(sessionId)
    const timer = setTimeout(() => void this.#tried(carryOut(sessionId)).then(onChanged), ms)
    this.#timers.set(sessionId, timer)
  }

  #clear(sessionId: string): void {
    clearTimeout(this.#timers.get(sessionId))
    this.#timers.delete(sessionId)
  }

  /** What fails here is tried again when the store can be written, or at the next start. */
  async #tried(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.#options.logger.warn({ message: toErrorAnswer(error).message }, 'a pending deletion waits')
    }
  }
}
