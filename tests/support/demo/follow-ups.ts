import texts from './texts/follow-ups.json' with { type: 'json' }
import type { Talk, TalkTurn } from './talks.ts'

/** How many turns there are that people ask for after any piece of work. */
export const FOLLOW_UP_COUNT = texts.turns.length

/** What the agent does for a turn that may follow any piece of work. */
export type Deed =
  | 'test'
  | 'failing'
  | 'passing'
  | 'newTest'
  | 'commit'
  | 'read'
  | 'edit'
  | 'grep'
  | 'changelog'
  | 'docs'
  | 'diff'
  | 'pull'
  | 'lint'
  | 'stat'

interface FollowUpText {
  readonly prompt: string
  readonly thought: string
  readonly answer: string
  /** None: its words fit no particular work, so no work shows them. */
  readonly does?: readonly string[]
  /** The prompt that has to come right before. */
  readonly follows?: string
}

const TURNS: readonly FollowUpText[] = texts.turns

/** Returns groups of turns that make sense in this order after any work, each turn by its index with what is done. */
export const followUpGroups = (): (readonly { readonly index: number; readonly does: readonly Deed[] }[])[] =>
  TURNS.flatMap(({ prompt, does, follows }, index) => {
    if (does === undefined || follows !== undefined) return []
    const next = TURNS.flatMap((turn, at) => (turn.follows === prompt ? [at] : []))
    return [[index, ...next].map((at) => ({ index: at, does: (TURNS[at]?.does ?? []) as readonly Deed[] }))]
  })

/** Returns what people ask about any piece of work, after what they came for. */
export function followUp(index: number, { file, functionName }: Pick<Talk, 'file' | 'functionName'>): TalkTurn {
  const fill = (text: string) => text.replaceAll('{file}', file).replaceAll('{functionName}', functionName)
  const { prompt = '', thought = '', answer = '' } = texts.turns[index] ?? {}
  return { prompt: fill(prompt), thought: fill(thought), answer: fill(answer) }
}

/** Thoughts and messages between two steps of any work. */
export const STEP_TEXTS: readonly string[] = texts.stepTexts
export const STEP_THOUGHTS: readonly string[] = texts.stepThoughts

interface AgentJob {
  readonly description: string
  readonly prompt: string
  readonly report: string
}

/** A subagent's task and report. */
export const AGENT_JOBS: readonly AgentJob[] = texts.agentJobs
/** Names of tests in any project. */
export const TEST_NAMES: readonly string[] = texts.testNames
/** Tasks that a list of any work may hold. */
export const TASKS: readonly string[] = texts.tasks
/** Messages of a project's newest commits. */
export const COMMITS: readonly string[] = texts.commits
