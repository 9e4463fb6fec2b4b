import type { Random } from '../../../src/main/base/fixtures/random.ts'
import { AGENT_JOBS, FOLLOW_UP_COUNT, followUp, STEP_TEXTS, STEP_THOUGHTS } from './follow-ups.ts'
import type { Talk, TalkTurn } from './talks.ts'

/** Says what a talk says, turn by turn, and then what people ask about any work. */
export interface Talker {
  /** Begins the next turn and returns its prompt. */
  prompt(): string
  /** Returns the turn's thought the first time, later one that fits any step. */
  thought(): string
  /** Returns the message before a step. */
  step(): string
  /** Returns the turn's answer. */
  answer(): string
  /** Returns the topic of the talk and its result. */
  outcome(): readonly string[]
  /** Returns a subagent's task, and a talker that reports its findings. */
  agent(): { readonly description: string; readonly prompt: string; readonly talker: Talker }
}

/** The same random numbers give the same talk. */
export function createTalker(random: Random, talk: Talk): Talker {
  const told: TalkTurn[] = []
  let hasThought = false
  let rest = [...Array(FOLLOW_UP_COUNT).keys()]

  function next(): TalkTurn {
    const own = talk.turns[told.length]
    if (own) return own
    if (rest.length === 0) rest = [...Array(FOLLOW_UP_COUNT).keys()]
    const [index = 0] = rest.splice(random.int(0, rest.length - 1), 1)
    return followUp(index, talk)
  }

  const now = () => told.at(-1) ?? next()

  return {
    prompt() {
      const turn = next()
      told.push(turn)
      hasThought = false
      return turn.prompt
    },
    thought() {
      const isFirst = !hasThought
      hasThought = true
      return isFirst ? now().thought : random.pick(STEP_THOUGHTS)
    },
    step: () => random.pick(STEP_TEXTS),
    answer: () => now().answer,
    outcome: () => talk.turns.slice(0, told.length).flatMap(({ prompt, answer }) => [prompt, answer]),
    agent() {
      const { description, prompt, report } = random.pick(AGENT_JOBS)
      const only: Talk = { ...talk, turns: [{ prompt, thought: random.pick(STEP_THOUGHTS), answer: report }] }
      const talker = createTalker(random, only)
      talker.prompt()
      return { description, prompt: `${prompt} It is about ${talk.functionName} in ${talk.file}.`, talker }
    },
  }
}
