import texts from './texts/follow-ups.json' with { type: 'json' }
import type { Talk, TalkTurn } from './talks.ts'

/** How many turns there are that people ask for after any piece of work. */
export const FOLLOW_UP_COUNT = texts.turns.length

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
