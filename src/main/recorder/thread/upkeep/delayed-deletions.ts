import { v7 as uuidv7 } from 'uuid'
import { toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { UndoTimes } from '../../protocol.ts'
import type { ListedDeletion, PendingDeletions } from '../../../store/delete/pending-deletions.ts'

const UNDO_TIMES: UndoTimes = { seenMs: 10_000, unseenMs: 60_000 }

export interface DelayedDeletionsOptions {
  readonly times?: UndoTimes | undefined
  /** Throws `store_unavailable`. */
  pending(): PendingDeletions
  /**
   * Deletes the sessions of a deletion for good, behind other work, unless it was undone or is no longer due by then.
   */
  carryOut(id: string, isDue: () => boolean): Promise<unknown>
  readonly logger: { warn(object: object, message: string): void }
}

/**
 * Deletions that can be undone until they begin. They are in the database, so they survive the end of the recorder or
 * the app: the wait continues, and deletions that are due begin at once.
 */
export class DelayedDeletions {
  readonly #options: DelayedDeletionsOptions
  readonly #times: UndoTimes
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(options: DelayedDeletionsOptions) {
    this.#options = options
    this.#times = options.times ?? UNDO_TIMES
  }

  /** Requests the deletion of sessions. Throws `not_found` if none is known. */
  request(sessionIds: readonly string[]): { sessions: number; undo_until: string } {
    const { unseenMs } = this.#times
    const [id, undo_until] = [uuidv7(), timeIn(unseenMs)]
    const sessions = this.#options.pending().request(id, sessionIds, undo_until)
    this.#schedule(id, unseenMs)
    return { sessions, undo_until }
  }

  /** A person sees that the deletion of these sessions can be undone. */
  see(sessionIds: readonly string[]): { deletions: number } {
    const { seenMs } = this.#times
    const seen = this.#options.pending().see(sessionIds, timeIn(seenMs))
    for (const id of seen) this.#schedule(id, seenMs)
    return { deletions: seen.length }
  }

  /** Keeps sessions after all. Throws `not_found` if it is too late. */
  undo(sessionIds: readonly string[]): { sessions: number } {
    return { sessions: this.#options.pending().undo(sessionIds) }
  }

  /** Continues with the deletions that an earlier recorder left. */
  resume(deletions: readonly ListedDeletion[]): void {
    const { seenMs, unseenMs } = this.#times
    const longest = Math.max(seenMs, unseenMs)
    for (const { id, has_begun, undo_until } of deletions) {
      // The clock of the computer may have been set back since.
      const left = Math.min(Math.max(Date.parse(undo_until) - Date.now(), 0), longest)
      this.#schedule(id, has_begun ? 0 : left)
    }
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #schedule(id: string, ms: number): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.set(
      id,
      setTimeout(() => void this.#carryOut(id), ms),
    )
  }

  /** Failed deletions are retried when the store can be written, or at the next start. */
  async #carryOut(id: string): Promise<void> {
    this.#timers.delete(id)
    try {
      await this.#options.carryOut(id, () => !this.#timers.has(id))
    } catch (error) {
      this.#options.logger.warn({ message: toErrorAnswer(error).message }, 'a deletion failed; it will be retried')
    }
  }
}

const timeIn = (ms: number): string => new Date(Date.now() + ms).toISOString()
