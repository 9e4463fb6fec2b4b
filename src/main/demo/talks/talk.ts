import type { DemoProject } from '../vocabulary.ts'

/** What was said in one turn. */
export interface TalkTurn {
  readonly prompt: string
  readonly thought: string
  readonly answer: string
}

/** A conversation about one piece of work, written by hand: what it decides can be searched for. */
export interface Talk {
  /** Below the project's folder. */
  readonly file: string
  readonly functionName: string
  readonly turns: readonly TalkTurn[]
}

/** A talk and the project that it belongs to. */
export interface ProjectTalk {
  readonly project: DemoProject
  readonly talk: Talk
}

type Said = readonly [prompt: string, thought: string, answer: string]

/** Makes a talk of its turns, each a prompt, a thought and an answer. */
export function talk(file: string, functionName: string, ...turns: readonly Said[]): Talk {
  return { file, functionName, turns: turns.map(([prompt, thought, answer]) => ({ prompt, thought, answer })) }
}
