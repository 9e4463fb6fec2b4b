import { createHash } from 'node:crypto'
import { isObject, stringOf } from '../../../../../shared/json-fields.ts'
import { bareLine, parseWellFormed } from '../../../json-access.ts'
import { isSilentLine, rolloutLine, timeOfUuid, turnIdOf, type RolloutLine } from './rollout-line.ts'
import type { RolloutThread } from './rollout-thread.ts'

/** Copies without turn ids are written at once, when the fork is made. */
const COPYING_MS = 1000

/** A line with its text, and whether it is a copy. */
export interface ToldLine {
  readonly line: RolloutLine
  readonly text: string
  readonly isCopy: boolean
}

/**
 * Recognizes the lines at the beginning of a fork's or subagent's rollout that are copies of its parent's. Copies carry
 * the time at which they were made, but keep the ids of their turns, which are older than the thread itself. Without
 * such ids, copies are the lines that the original has, in its order. A prompt alone proves nothing, as both threads may
 * go on with the same words: the beginning of a turn is held until the answer tells whose it is.
 */
export class CopiedHistory {
  readonly #thread: RolloutThread
  readonly #bornAt: number | null
  readonly #linesOfThread: (threadId: string) => Iterable<string> | null
  #isCopying: boolean
  #sawTurn = false
  /** Time of the first line, then of the newest one that the original has. */
  #copiedAt: number | null = null
  #original: OriginalLines | null = null
  #held: Omit<ToldLine, 'isCopy'>[] = []
  /** True if the original lacks a line that is held. */
  #hasMissed = false

  constructor(thread: RolloutThread, linesOfThread: (threadId: string) => Iterable<string> | null = () => null) {
    this.#thread = thread
    this.#linesOfThread = linesOfThread
    this.#bornAt = timeOfUuid(thread.threadId)
    this.#isCopying = thread.forkedFrom !== null
  }

  /** Takes each line in order; returns the lines that are decided by it: none while the beginning of a turn is held. */
  take(line: RolloutLine, text: string): readonly ToldLine[] {
    if (!this.#isCopying) return [{ line, text, isCopy: false }]
    const isOwn = this.#isOwn(line)
    this.#held.push({ line, text })
    return isOwn === null ? [] : this.#decide(isOwn)
  }

  /** Returns the lines that are held at the current end of the file, unless the original has them all so far. */
  end(): readonly ToldLine[] {
    return this.#hasMissed ? this.#decide(true) : []
  }

  #decide(isOwn: boolean): readonly ToldLine[] {
    const decided = this.#held.map((held) => ({ ...held, isCopy: !isOwn }))
    this.#held = []
    this.#hasMissed = false
    this.#isCopying = !isOwn
    return decided
  }

  /** Null if that is not known yet. */
  #isOwn(line: RolloutLine): boolean | null {
    const { ownFrom, threadId } = this.#thread
    if (ownFrom !== null && line.ordinal !== null) return line.ordinal >= ownFrom
    this.#copiedAt ??= line.at
    if (line.type === 'session_meta') return false
    if (line.payload['thread_id'] === threadId) return true
    const turn = turnIdOf(line)
    const startedAt = turn === null ? null : timeOfUuid(turn)
    if (startedAt !== null && this.#bornAt !== null) {
      this.#sawTurn = true
      return startedAt >= this.#bornAt
    }
    return this.#sawTurn ? false : this.#isOwnByContent(line)
  }

  #isOwnByContent(line: RolloutLine): boolean | null {
    const original = (this.#original ??= this.#readOriginal())
    // Where nothing else tells: copies are written at once, when the fork is made.
    const isLate = line.at !== null && this.#copiedAt !== null && line.at > this.#copiedAt + COPYING_MS
    if (original === null) return isLate
    const isThere = original.goesOnWith(line)
    const part = partOfTurn(line)
    if (isThere) this.#copiedAt = line.at ?? this.#copiedAt
    else if (part !== 'answer' || this.#held.length > 0) this.#hasMissed = true
    if (part === 'words') return isThere ? null : true
    if (part === 'beginning' || (part === 'other' && this.#held.length > 0)) return null
    if (isThere) return false
    return this.#held.length > 0 || isLate
  }

  #readOriginal(): OriginalLines | null {
    const { forkedFrom } = this.#thread
    const lines = forkedFrom === null ? null : this.#linesOfThread(forkedFrom)
    return lines === null ? null : new OriginalLines(lines)
  }
}

/** The lines of a fork's original, by content. */
class OriginalLines {
  /** Positions of each line, the first one last. */
  readonly #positions = new Map<string, number[]>()
  #next = 0

  constructor(lines: Iterable<string>) {
    let position = 0
    for (const text of lines) {
      const parsed = isSilentLine(text) ? null : parseWellFormed(bareLine(text))
      const line = isObject(parsed) ? rolloutLine(parsed) : null
      if (line === null) continue
      const digest = digestOf(line)
      const positions = this.#positions.get(digest)
      if (positions === undefined) this.#positions.set(digest, [position])
      else positions.push(position)
      position += 1
    }
    for (const positions of this.#positions.values()) positions.reverse()
  }

  /** True if the original has the line after those that were found before. */
  goesOnWith(line: RolloutLine): boolean {
    const positions = this.#positions.get(digestOf(line)) ?? []
    let position = positions.pop()
    while (position !== undefined && position < this.#next) position = positions.pop()
    if (position !== undefined) this.#next = position + 1
    return position !== undefined
  }
}

const digestOf = ({ type, payload }: RolloutLine): string =>
  createHash('sha256').update(type).update(JSON.stringify(payload)).digest('base64url').slice(0, 16)

/** What a line is in its turn: `words` are the person's own, as they are never changed by a copy. */
function partOfTurn({ type, payload }: RolloutLine): 'words' | 'beginning' | 'answer' | 'other' {
  const inner = stringOf(payload['type']) ?? ''
  if (type === 'turn_context') return 'beginning'
  if (type === 'response_item') return inner === 'message' && payload['role'] !== 'assistant' ? 'beginning' : 'answer'
  if (type === 'compacted' || type === 'token_usage_record') return 'answer'
  if (type !== 'event_msg') return 'other'
  if (inner === 'user_message') return 'words'
  if (inner === 'task_started' || inner === 'turn_started') return 'beginning'
  return ANSWER_EVENTS.includes(inner) ? 'answer' : 'other'
}

const ANSWER_EVENTS = ['agent_message', 'token_count', 'task_complete', 'turn_complete', 'turn_aborted']
