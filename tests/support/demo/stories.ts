import type { Json } from '../../../src/shared/event.ts'
import texts from './texts/stories.json' with { type: 'json' }

/** A tool call of a story and its result. */
export interface StoryCall {
  /** Thoughts before the call. */
  readonly thinking?: string
  readonly says?: string
  readonly tool: 'Read' | 'Grep' | 'Bash' | 'Edit'
  readonly input: Json
  readonly output: string
  readonly fails?: boolean
}

export interface StoryTurn {
  readonly prompt: string
  readonly calls: readonly StoryCall[]
  /** Thoughts before the answer. */
  readonly thinking: string
  readonly answer: string
}

/** A conversation that reads like a real one, so that searches in the demo have answers. */
export interface DemoStory {
  /** Folder of one of the demo's projects. */
  readonly folder: string
  readonly branch: string
  readonly turns: readonly StoryTurn[]
}

/** About decisions, then about the causes of bugs. */
export const STORIES = texts as readonly DemoStory[]
