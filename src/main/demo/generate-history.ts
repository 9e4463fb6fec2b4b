import type { AnyDraft } from '../decode/draft.ts'
import { type DemoSession, startDemoSession } from './demo-session.ts'
import { createRandom } from './random.ts'
import { PROJECTS } from './vocabulary.ts'

export interface HistoryOptions {
  /** The same seed and options give the same history. */
  readonly seed: string
  readonly sessions: number
  /** Exact total number of drafts; by default, sessions have their natural length. */
  readonly events?: number
  /** Number of days the sessions are spread over; 30 by default. */
  readonly days?: number
  /** Latest end of the last session (ms since 1970); a fixed day by default, independent of the clock. */
  readonly until?: number
}

const DAY_MS = 86_400_000
const FIXED_UNTIL = Date.parse('2026-11-20T18:00:00.000Z')

/**
 * Generates a history of coding work, turn by turn, oldest session first: projects, prompts, thinking, answers, tools, subagents,
 * errors, retries, tasks, compactions and several models. Parents precede their children, so a history cut anywhere has no gaps.
 */
export function* generateHistory(options: HistoryOptions): Generator<AnyDraft[], void> {
  const { seed, sessions, events, days = 30, until = FIXED_UNTIL } = options
  const random = createRandom(seed)
  const spread = days * DAY_MS
  let left = events ?? Number.POSITIVE_INFINITY
  for (let index = 0; index < sessions; index += 1) {
    const own = random.fork(`session ${index}`)
    const startedAt = Math.round(until - spread + (spread * (index + own.next() * 0.9)) / Math.max(1, sessions))
    const session = startDemoSession(own, own.pick(PROJECTS), startedAt)
    const share = events === undefined ? null : Math.round(left / (sessions - index))
    if (share === null) yield* naturalLength(session, own.skewed(1, 25))
    else yield* exactLength(session, share)
    left -= share ?? 0
  }
}

function* naturalLength(session: DemoSession, turns: number): Generator<AnyDraft[]> {
  for (let turn = 0; turn < turns; turn += 1) yield session.turn()
  yield session.end()
}

/** Yields turns up to exactly `count` drafts. The last turn is cut, as if the session were still running. */
function* exactLength(session: DemoSession, count: number): Generator<AnyDraft[]> {
  for (let left = count; left > 0;) {
    const drafts = session.turn().slice(0, left)
    left -= drafts.length
    yield drafts
  }
}
