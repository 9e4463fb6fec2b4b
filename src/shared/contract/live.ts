import { z } from 'zod'
import { kinds } from './events.ts'
import { sessionId } from './fields.ts'
import { operation } from './operation.ts'
import type { Delta, EventSummary } from '../event.ts'

/** One batch of the live feed: at most ten a second to one reader. */
export interface LiveBatch {
  readonly events: readonly EventSummary[]
  readonly deltas: readonly Delta[]
  /** Events that this reader was too slow for; it can fetch them by id. */
  readonly missed?: number
}

export const liveSubscribe = operation({
  name: 'live.subscribe',
  summary: 'Events as they are committed, and text as it is written.',
  place: 'main',
  answer: 'stream',
  http: { method: 'GET', path: '/api/live' },
  input: z.object({
    session_id: sessionId.optional(),
    kinds,
    /** Log id of the last event that the reader has: what came since is sent first. Absent: from now on. */
    last_event_id: z.coerce.number().int().min(0).optional(),
  }),
  output: z.custom<LiveBatch>(),
})
