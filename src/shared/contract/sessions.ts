import { z } from 'zod'
import { cursor, limit, list, moment, sessionId } from './fields.ts'
import { operation } from './operation.ts'

export const session = z.object({
  id: z.string(),
  user_id: z.string().nullable(),
  project: z.string().nullable(),
  git_branch: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  last_event_at: z.string(),
  source: z.enum(['hook', 'warmup', 'first_seen', 'transcript']),
  title: z.string().nullable(),
  turn_count: z.number(),
  prompts: z.number(),
  total_tokens: z.number(),
  total_cost_usd: z.number(),
  unpriced_calls: z.number(),
  tool_calls: z.number(),
  thinking_blocks: z.number(),
  errors: z.number(),
  active_ms: z.number(),
})
export type Session = z.infer<typeof session>

export const sessionsList = operation({
  name: 'sessions.list',
  summary: 'Sessions, newest first.',
  http: { method: 'GET', path: '/api/lifestats/sessions' },
  input: z.object({
    limit: limit(10),
    user_id: z.string().optional(),
    project: z.string().optional(),
    before: moment.optional(),
    /** A word of the title, project or id. */
    query: z.string().max(200).optional(),
    cursor: cursor.optional(),
  }),
  output: list(session),
})

export const sessionGet = operation({
  name: 'sessions.get',
  summary: 'One session.',
  http: { method: 'GET', path: '/api/sessions/:session_id' },
  input: z.object({ session_id: sessionId }),
  output: session,
})
