import { z } from 'zod'
import { uuid } from './fields.ts'
import { operation } from './operation.ts'

export const requestThread = operation({
  name: 'requests.thread',
  summary: 'The whole conversation of a request that carries only the new part of its message thread.',
  input: z.object({ uuid }),
  output: z.object({
    uuid: z.string(),
    /** The messages and answers of each request of the thread, oldest first. */
    messages: z.array(
      z.object({
        /** The request that sent it, or that it answers. */
        request_uuid: z.string(),
        role: z.string(),
        content: z.unknown(),
      }),
    ),
    /** False if an earlier part of the thread is not stored; `missing` says which. */
    complete: z.boolean(),
    missing: z.string().nullable(),
  }),
})
