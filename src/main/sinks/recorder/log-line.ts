import { EVENT_KINDS, type AnyEvent, type EventKind, type JsonObject } from '../../../shared/event.ts'

/** The payload field that a line shows as its content. Other kinds show their whole payload. */
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

/** Converts a kind to the name used in these files: `tool_call` → `ToolCall`. */
export const typeName = (kind: string): string =>
  kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const TYPE_NAMES = Object.fromEntries(EVENT_KINDS.map((kind) => [kind, typeName(kind)])) as Record<EventKind, string>

/**
 * Formats an event as a line. Every line has `type` and `content`, so that `select(.content | contains("…"))` always works.
 * The other fields allow restoring the event (`eventOfLine`): `payload` is the rest of the payload, `content_of` names the field
 * that became the content, and `keys` are the event's keys in other sources.
 */
export function sessionLogLine(event: AnyEvent, keys: readonly string[]): string {
  const { content, ...rest } = contentOf(event)
  const line = {
    type: TYPE_NAMES[event.kind],
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
  /** The event's text. Never null, since jq's `contains` fails on null. */
  readonly content: string
  /** The payload field shown as content; `payload` for all of it. */
  readonly content_of?: string
  /** The field is not a string: content is its JSON. */
  readonly content_is?: 'json'
  readonly payload?: JsonObject
}

function contentOf(event: AnyEvent): Content {
  const payload = event.payload as unknown as JsonObject
  switch (event.kind) {
    // A request's blocks are only in the database: here, every request would repeat all of them.
    case 'model_request':
      return { content: `${event.payload.method} ${event.payload.path}`, payload: { ...payload, request: null } }
    case 'model_response':
      return { content: event.payload.stop_reason ?? String(event.payload.status), payload }
  }
  const field = CONTENT_FIELDS[event.kind]
  if (field === undefined) return { content: JSON.stringify(payload), content_of: 'payload', content_is: 'json' }
  const value = payload[field]
  // Null keeps the field's position.
  const rest = { ...payload, [field]: null }
  if (typeof value === 'string') return { content: value, content_of: field, payload: rest }
  if (value === undefined || value === null) return { content: '', payload }
  return { content: JSON.stringify(value), content_of: field, content_is: 'json', payload: rest }
}

/** Returns tags added by a user's processor. */
function tagsOf({ payload }: AnyEvent): object {
  return 'tags' in payload && Array.isArray(payload.tags) ? { tags: payload.tags } : {}
}

/** Returns the few other fields that people filter on. */
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
