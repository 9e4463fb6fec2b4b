import type { Json } from '../../shared/event.ts'
import { STORIES_OF_BUGS } from './stories-bugs.ts'
import { STORIES_OF_DECISIONS } from './stories-decisions.ts'

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

export const STORIES: readonly DemoStory[] = [...STORIES_OF_DECISIONS, ...STORIES_OF_BUGS]
