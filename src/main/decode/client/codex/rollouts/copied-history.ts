import type { RolloutLine } from './rollout-line.ts'
import { timeOfUuid, turnIdOf } from './rollout-line.ts'
import type { RolloutThread } from './rollout-thread.ts'

/** Copies without turn ids are written at once, when the fork is made. */
const COPYING_MS = 1000

/**
 * Recognizes the lines at the beginning of a fork's or subagent's rollout that are copies of its parent's. Copies carry
 * the time at which they were made, but keep the ids of their turns, which are older than the thread itself.
 */
export class CopiedHistory {
  readonly #thread: RolloutThread
  readonly #bornAt: number | null
  #isCopying: boolean
  #sawTurn = false
  #firstAt: number | null = null

  constructor(thread: RolloutThread) {
    this.#thread = thread
    this.#bornAt = timeOfUuid(thread.threadId)
    this.#isCopying = thread.forkedFrom !== null
  }

  /** Takes each line in order; returns true for a copy. */
  isCopy(line: RolloutLine): boolean {
    if (!this.#isCopying) return false
    const { ownFrom } = this.#thread
    if (ownFrom !== null && line.ordinal !== null) {
      this.#isCopying = line.ordinal < ownFrom
      return this.#isCopying
    }
    this.#firstAt ??= line.at
    if (this.#isOwn(line)) this.#isCopying = false
    return this.#isCopying
  }

  #isOwn(line: RolloutLine): boolean {
    if (line.type === 'session_meta') return false
    if (line.payload['thread_id'] === this.#thread.threadId) return true
    const turn = turnIdOf(line)
    const startedAt = turn === null ? null : timeOfUuid(turn)
    if (startedAt !== null && this.#bornAt !== null) {
      this.#sawTurn = true
      return startedAt >= this.#bornAt
    }
    if (this.#sawTurn || line.at === null || this.#firstAt === null) return false
    return line.at > this.#firstAt + COPYING_MS
  }
}
