import { z } from 'zod'
import { CUT_BY } from '../cut-by.ts'
import { REQUEST_KINDS } from '../event.ts'
import { cursor, limit, list, sessionId, uuid } from './fields.ts'
import { operation } from './operation.ts'
import { RECEIPT_CLASSES } from './receipt.ts'

const usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_creation_tokens: z.number(),
  thinking_tokens: z.number().nullable(),
  /** null if the model has no price. */
  cost_usd: z.number().nullable(),
})

/** A request in lists, with its response. Unknown fields are null. */
export const requestLine = z.object({
  uuid: z.string(),
  session_id: z.string(),
  turn_id: z.number(),
  agent_id: z.string().nullable(),
  ts_wall: z.string(),
  request_kind: z.enum(REQUEST_KINDS),
  /** The tools whose results it sends, each once; of a compaction none. */
  tools: z.array(z.string()),
  model: z.string().nullable(),
  message_count: z.number(),
  body_bytes: z.number(),
  retry_of: z.string().nullable(),
  status: z.number().nullable(),
  stop_reason: z.string().nullable(),
  cut_by: z.enum(CUT_BY).nullable(),
  ttft_ms: z.number().nullable(),
  duration_ms: z.number().nullable(),
  usage: usage.nullable(),
})
export type RequestLine = z.infer<typeof requestLine>

export const requestsList = operation({
  name: 'requests.list',
  summary: 'API requests of a session, newest first, each with its response.',
  input: z.object({ session_id: sessionId, limit: limit(100, 500), cursor: cursor.optional() }),
  output: list(requestLine),
})

const headers = z.array(z.tuple([z.string(), z.string()]))

export const requestGet = operation({
  name: 'requests.get',
  summary: 'One exchange: the restored request, without secrets and images, and its answer.',
  input: z.object({ uuid }),
  output: requestLine.extend({
    /** Tokens (or searches) and cost of each class, which add up to `usage.cost_usd`; empty without usage. */
    by_class: z.array(z.object({ class: z.enum(RECEIPT_CLASSES), units: z.number(), cost_usd: z.number().nullable() })),
    method: z.string(),
    path: z.string(),
    headers,
    /** The body; null if it is not stored, and `body_missing` gives the reason. */
    body: z.looseObject({}).nullable(),
    body_missing: z.string().nullable(),
    /** null if no response was recorded. */
    response: z
      .object({
        uuid: z.string(),
        ts_wall: z.string(),
        message_id: z.string().nullable(),
        streamed: z.boolean(),
        headers,
        body_bytes: z.number(),
        error: z.string().nullable(),
      })
      .nullable(),
    /** Blocks of the answer, in order, as events. */
    blocks: z.array(
      z.object({ uuid: z.string(), kind: z.string(), text: z.string(), tool_name: z.string().nullable() }),
    ),
  }),
})
export type Exchange = z.infer<typeof requestGet.output>
