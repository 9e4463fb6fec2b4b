import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { type DemoSession, startDemoSession } from './demo-session.ts'
import { createRandom } from '../../../src/main/base/fixtures/random.ts'
import type { DemoStory } from './stories.ts'
import type { ProjectTalk } from './talks.ts'
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
  /** Conversations that some of the sessions tell, evenly spread; none by default. */
  readonly stories?: readonly DemoStory[]
  /** What the other sessions talk about, one after the other; made of templates by default. */
  readonly talks?: readonly ProjectTalk[]
}

const DAY_MS = 86_400_000
const FIXED_UNTIL = Date.parse('2026-11-20T18:00:00.000Z')

/**
 * Generates a history of coding work, turn by turn, oldest session first: projects, prompts, thinking, answers, tools, subagents,
 * errors, retries, tasks, compactions and several models. Parents precede their children, so a history cut anywhere has no gaps.
 */
export function* generateHistory(options: HistoryOptions): Generator<AnyDraft[], void> {
  const { seed, sessions, events, days = 30, until = FIXED_UNTIL, stories = [], talks = [] } = options
  const random = createRandom(seed)
  const spread = days * DAY_MS
  let left = events ?? Number.POSITIVE_INFINITY
  for (let index = 0; index < sessions; index += 1) {
    const own = random.fork(`session ${index}`)
    const startedAt = Math.round(until - spread + (spread * (index + own.next() * 0.9)) / Math.max(1, sessions))
    const story = storyOf(stories, index, sessions)
    const picked = own.pick(PROJECTS)
    const told = story === undefined ? talks[index % Math.max(1, talks.length)] : undefined
    const project = projectOf(story) ?? told?.project ?? picked
    const session = startDemoSession(own, project, startedAt, { story, talk: told?.talk })
    if (story !== undefined) {
      yield* naturalLength(session, story.turns.length)
      continue
    }
    const share = events === undefined ? null : Math.round(left / (sessions - index))
    if (share === null) yield* naturalLength(session, own.skewed(1, 25))
    else yield* exactLength(session, share)
    left -= share ?? 0
  }
}

/** Returns the story of a session, if it tells one. */
function storyOf(stories: readonly DemoStory[], index: number, sessions: number): DemoStory | undefined {
  const every = Math.max(1, Math.floor(sessions / Math.max(1, stories.length)))
  return (index + 1) % every === 0 ? stories[(index + 1) / every - 1] : undefined
}

const projectOf = (story: DemoStory | undefined) => PROJECTS.find(({ folder }) => folder === story?.folder)

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
