import { STORIES } from './stories.ts'
import { TALKS } from './talks.ts'

/** A month of 40 sessions in which people talk about their work. */
export const DEMO_HISTORY = { seed: 'aspy', sessions: 40, days: 30, stories: STORIES, talks: TALKS } as const
