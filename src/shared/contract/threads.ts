import { z } from 'zod'
import { uuid } from './fields.ts'
import { operation } from './operation.ts'

export const requestThread = operation({
  name: 'requests.thread',
  summary: 'The whole conversation behind a request that carries only what is new of its message thread.',
  input: z.object({ uuid }),
  output: z.object({
    uuid: z.string(),
    /** Oldest first: what each request of the thread sent, and what was answered. */
    messages: z.array(
      z.object({
        /** The request that sent it, or whose answer it is. */
        request_uuid: z.string(),
        role: z.string(),
        content: z.unknown(),
      }),
    ),
    /** False where an earlier part of the thread is not stored; `missing` says which. */
    complete: z.boolean(),
    missing: z.string().nullable(),
  }),
})
