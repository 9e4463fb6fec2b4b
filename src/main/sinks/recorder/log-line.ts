import { z } from 'zod'
import { EVENT_KINDS, EVENT_SOURCES } from '../../../shared/event.ts'
import type { AnyEvent, EventKind, Json, JsonObject } from '../../../shared/event.ts'
import type { ForeignEvent } from '../../store/transfer/restore-events.ts'

/** The field of a payload that a line shows as its content; the other kinds show their whole payload. */
const CONTENT_FIELDS: Partial<Record<EventKind, string>> = {
  user_prompt: 'text',
  thinking: 'text',
  assistant_text: 'text',
  notification: 'text',
  tool_call: 'input',
  tool_result: 'output',
  compaction: 'summary',
  error: 'message',
  turn_ended: 'last_text',
  agent_ended: 'last_text',
}

/** `tool_call` → `ToolCall`: the older names of these files. */
export function typeName(kind: string): string {
  return kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * One event as a line: `type` and `content` first of all, so that `select(.content | contains("…"))` works on any. What
 * follows is for coming back (`eventOfLine`): `payload` is the rest of the payload, `content_of` names the field that
 * content stands for. `keys`: by which other sources know the event.
 */
export function sessionLogLine(event: AnyEvent, keys: readonly string[]): string {
  const { content, ...rest } = contentOf(event)
  const line = {
    type: typeName(event.kind),
    timestamp: event.ts_wall,
    session_id: event.session_id,
    turn_id: event.turn_id,
    uuid: event.uuid,
    content,
    agent_id: event.agent_id,
    parent_uuid: event.parent_uuid,
    source: event.source,
    duration_ms: event.duration_ms,
    success: event.success,
    ...fieldsOf(event),
    ...tagsOf(event),
    seq: event.seq,
    error_message: event.error_message,
    request_id: event.request_id,
    user_id: event.user_id,
    project: event.project,
    schema_version: event.schema_version,
    ...rest,
    keys,
  }
  return `${JSON.stringify(line)}\n`
}

interface Content {
  /** What the event says, as one string; never null, so that jq's `contains` does not fail on it. */
  readonly content: string
  /** The field of the payload that content is; `payload`: all of it. */
  readonly content_of?: string
  /** That field is no text: content is its JSON. */
  readonly content_is?: 'json'
  readonly payload?: JsonObject
}

function contentOf(event: AnyEvent): Content {
  const payload = event.payload as unknown as JsonObject
  switch (event.kind) {
    // The blocks of a request stand in the database alone: each would be written again with every request.
    case 'model_request':
      return { content: `${event.payload.method} ${event.payload.path}`, payload: { ...payload, request: null } }
    case 'model_response':
      return { content: event.payload.stop_reason ?? String(event.payload.status), payload }
  }
  const field = CONTENT_FIELDS[event.kind]
  if (field === undefined) return { content: JSON.stringify(payload), content_of: 'payload', content_is: 'json' }
  const value = payload[field]
  // It keeps its place among the fields.
  const rest = { ...payload, [field]: null }
  if (typeof value === 'string') return { content: value, content_of: field, payload: rest }
  if (value === undefined || value === null) return { content: '', payload }
  return { content: JSON.stringify(value), content_of: field, content_is: 'json', payload: rest }
}

/** What a processor of the user's own tagged it with. */
function tagsOf({ payload }: AnyEvent): object {
  return 'tags' in payload && Array.isArray(payload.tags) ? { tags: payload.tags } : {}
}

/** The few fields besides content that people filter on. */
function fieldsOf(event: AnyEvent): object {
  switch (event.kind) {
    case 'tool_call':
      return { tool_name: event.payload.tool_name, call_id: event.payload.call_id }
    case 'tool_result':
      return {
        tool_name: event.payload.tool_name,
        call_id: event.payload.call_id,
        is_error: event.payload.is_error,
        rejected: event.payload.rejected,
      }
    case 'api_usage':
      return { model: event.payload.model, usage: event.payload.usage }
    case 'model_request':
      return { model: event.payload.model, request_kind: event.payload.request_kind }
    case 'model_response':
      return { model: event.payload.model, status: event.payload.status }
    default:
      return {}
  }
}

const KINDS: ReadonlyMap<string, EventKind> = new Map(EVENT_KINDS.map((kind) => [typeName(kind), kind]))

const logLine = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  session_id: z.string().min(1),
  turn_id: z.int().min(0),
  uuid: z.string().min(1),
  content: z.string(),
  agent_id: z.string().nullable(),
  parent_uuid: z.string().nullable(),
  source: z.enum(EVENT_SOURCES),
  duration_ms: z.number().nullable(),
  success: z.boolean().nullable(),
  seq: z.int().min(0),
  error_message: z.string().nullable(),
  request_id: z.string().nullable(),
  user_id: z.string().nullable(),
  project: z.string().nullable(),
  schema_version: z.int(),
  content_of: z.string().optional(),
  content_is: z.literal('json').optional(),
  payload: z.record(z.string(), z.json()).optional(),
  keys: z.array(z.string()),
})

/** The event that a line tells of, to be taken into a store; null: it is no line of a session log. */
export function eventOfLine(value: unknown): ForeignEvent | null {
  const parsed = logLine.safeParse(value)
  const kind = KINDS.get(parsed.data?.type ?? '')
  if (!parsed.success || kind === undefined) return null
  const { type: _, timestamp, content, content_of, content_is, payload: rest = {}, keys, ...columns } = parsed.data
  const said = content_is === 'json' ? jsonOf(content) : content
  const payload =
    content_of === undefined ? rest : content_of === 'payload' ? (said as JsonObject) : { ...rest, [content_of]: said }
  const event = { ...columns, kind, ts_wall: timestamp, ts_monotonic: null, payload }
  const { source, session_id } = columns
  return {
    event: event as unknown as ForeignEvent['event'],
    keys,
    parent_keys: [],
    sightings: [{ source, session_id, seen_at: timestamp, payload: null }],
    contents: {},
  }
}

/** What redaction took a piece out of may be JSON no more: it stays a text. */
function jsonOf(content: string): Json {
  try {
    return JSON.parse(content) as Json
  } catch {
    return content
  }
}
