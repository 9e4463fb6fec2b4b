import type { AnyDraft } from '../decode/draft.ts'
import { type DemoSession, startDemoSession } from './demo-session.ts'
import { createRandom } from './random.ts'
import { PROJECTS } from './vocabulary.ts'

export interface HistoryOptions {
  /** The same seed gives the same history, for the same other options. */
  readonly seed: string
  readonly sessions: number
  /** Drafts in all, exactly; without it every session is as long as it comes. */
  readonly events?: number
  /** How far back the sessions lie; 30 by default. */
  readonly days?: number
  /** When the last of them is over at the latest (ms since 1970); a fixed day by default, so that nothing hangs from the clock. */
  readonly until?: number
}

const DAY_MS = 86_400_000
const FIXED_UNTIL = Date.parse('2026-11-20T18:00:00.000Z')

/**
 * A made-up history of coding work, a turn at a time, session after session, the oldest first: projects, prompts,
 * thinking, answers, tools, subagents, errors, retries, tasks, compactions, several models. Parents come before their
 * children, so a history that is cut anywhere has no gaps.
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

/** Turns until there are `count` drafts; the last one is cut, and the session seems to go on. */
function* exactLength(session: DemoSession, count: number): Generator<AnyDraft[]> {
  for (let left = count; left > 0;) {
    const drafts = session.turn().slice(0, left)
    left -= drafts.length
    yield drafts
  }
}
