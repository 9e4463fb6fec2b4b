import { z } from 'zod'
import { CUT_BY } from '../cut-by.ts'
import { REQUEST_KINDS, type EventKind, type Payloads } from '../event.ts'
import { WHY_NOT } from '../seen-file.ts'

const text = z.string()
const json = z.unknown().refine((value) => value !== undefined, 'expected any JSON value, received undefined')
const nullableText = z.string().nullable().default(null)
const nullableNumber = z.number().nullable().default(null)
const count = z.number().int().min(0).default(0)
const headers = z.array(z.tuple([z.string(), z.string()]).readonly()).default([])
const ofMessage = { message_id: nullableText, index: count }
const usage = z.looseObject({
  input_tokens: z.number().int().min(0),
  output_tokens: z.number().int().min(0),
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation_1h_input_tokens: count,
  thinking_tokens: nullableNumber,
  web_search_requests: count,
  service_tier: nullableText,
  speed: nullableText,
  inference_geo: nullableText,
})
const task = z.looseObject({ id: text, subject: text, status: text })

/** A posted payload and the smallest example of it. */
export interface PostedPayload {
  readonly schema: z.ZodObject
  readonly example: object
}

/** Lists a kind's own fields. Other fields are stored as they are. */
const payload = <K extends EventKind>(
  fields: { readonly [Field in keyof Payloads[K]]?: z.ZodType },
  example: { readonly [Field in keyof Payloads[K]]?: unknown },
): PostedPayload => ({ schema: z.looseObject(fields as z.ZodRawShape), example })

/**
 * The payload that `POST /api/events` takes, by kind. Fields with a default may be left out; the others are required,
 * because a list, a chain or a sum reads them.
 */
export const POSTED_PAYLOADS: { readonly [K in EventKind]: PostedPayload } = {
  session_started: payload<'session_started'>(
    { start: z.enum(['startup', 'resume', 'clear', 'compact', 'fork', 'unknown']).default('unknown') },
    { start: 'startup' },
  ),
  session_ended: payload<'session_ended'>({ reason: nullableText }, { reason: 'exit' }),
  user_prompt: payload<'user_prompt'>({ text }, { text: 'Why does the build fail?' }),
  model_request: payload<'model_request'>(
    {
      exchange_id: text,
      request_kind: z.enum(REQUEST_KINDS).default('prompt'),
      method: text.default('POST'),
      path: text.default('/v1/messages'),
      model: nullableText,
      headers,
      request: z.looseObject({}).nullable().default(null),
      message_count: count,
      body_bytes: count,
    },
    { exchange_id: 'exchange-1', model: 'claude-opus-5-5' },
  ),
  thinking: payload<'thinking'>(
    { text, signature_only: z.boolean().default(false), ...ofMessage },
    { text: 'The build script comes first.' },
  ),
  assistant_text: payload<'assistant_text'>({ text, ...ofMessage }, { text: 'The build passes now.' }),
  tool_call: payload<'tool_call'>(
    { call_id: text, tool_name: text, input: z.unknown().default({}), ...ofMessage },
    { call_id: 'call-1', tool_name: 'Bash', input: { command: 'npm test' } },
  ),
  tool_result: payload<'tool_result'>(
    {
      call_id: text,
      output: json,
      tool_name: nullableText,
      is_error: z.boolean().default(false),
      rejected: z.boolean().default(false),
    },
    { call_id: 'call-1', output: '12 tests passed' },
  ),
  file_seen: payload<'file_seen'>(
    {
      call_id: text,
      path: text,
      at: z.enum(['before', 'after']).default('after'),
      hash: nullableText,
      text: nullableText,
      why_not: z.enum(WHY_NOT).nullable().default(null),
      like: text.optional(),
      is_sure: z.boolean().default(false),
    },
    { call_id: 'call-1', path: '/home/ann/app/src/app.ts', text: 'export {}' },
  ),
  api_usage: payload<'api_usage'>(
    {
      model: text,
      usage,
      message_id: nullableText,
      request_kind: z.enum(REQUEST_KINDS).nullable().default(null),
      basis: z.enum(['measured', 'lower_bound']).default('measured'),
      ttft_ms: nullableNumber,
    },
    { model: 'claude-opus-5-5', usage: { input_tokens: 1200, output_tokens: 80 } },
  ),
  model_response: payload<'model_response'>(
    {
      status: z.number().int(),
      exchange_id: nullableText,
      message_id: nullableText,
      model: nullableText,
      stop_reason: nullableText,
      streamed: z.boolean().default(false),
      cut_by: z.enum(CUT_BY).nullable().default(null),
      ttft_ms: nullableNumber,
      headers,
      body_bytes: count,
    },
    { status: 200, stop_reason: 'end_turn' },
  ),
  turn_ended: payload<'turn_ended'>({ reason: nullableText }, { reason: 'end_turn' }),
  rate_limit: payload<'rate_limit'>(
    { limits: z.looseObject({}), organization: z.string().max(200).optional() },
    { limits: { 'requests-remaining': '49' } },
  ),
  compaction: payload<'compaction'>(
    {
      summary: text,
      trigger: z.enum(['manual', 'auto', 'unknown']).default('unknown'),
      tokens_before: nullableNumber,
      tokens_after: nullableNumber,
    },
    { summary: 'The build was repaired.' },
  ),
  agent_started: payload<'agent_started'>(
    { agent_id: text, agent_type: nullableText, parent_agent_id: nullableText, call_id: nullableText },
    { agent_id: 'agent-1', agent_type: 'Explore' },
  ),
  agent_ended: payload<'agent_ended'>({ agent_id: text, agent_type: nullableText }, { agent_id: 'agent-1' }),
  task_update: payload<'task_update'>(
    { tasks: z.array(task) },
    { tasks: [{ id: '1', subject: 'Repair the build', status: 'completed' }] },
  ),
  state_change: payload<'state_change'>({ name: text, to: json }, { name: 'branch', to: 'main' }),
  notification: payload<'notification'>({ text }, { text: 'The deployment finished.' }),
  error: payload<'error'>(
    {
      message: text,
      origin: z.enum(['upstream', 'stream', 'connection', 'capture', 'client', 'posted']).default('posted'),
      type: nullableText,
      status: nullableNumber,
    },
    { message: 'The deployment failed.' },
  ),
  guard_action: payload<'guard_action'>(
    {
      action: z.enum(['notified', 'held', 'allowed', 'raised', 'refused', 'ended']),
      cap: text,
      decided_by: z.enum(['person', 'rule', 'timeout', 'client', 'stop']).default('rule'),
      limit: z.number().default(0),
      used: z.number().default(0),
      guess: z.number().default(0),
      raised_to: z.number().optional(),
      agent_id: nullableText,
      id: text.default(''),
    },
    { action: 'refused', cap: 'day_usd', limit: 20, used: 19.9, guess: 0.4 },
  ),
  unknown: payload<'unknown'>({ what: text, raw: z.unknown().default(null) }, { what: 'ci', raw: { run: 7 } }),
}
