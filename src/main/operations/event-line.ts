import type { EventKind } from '../../shared/event.ts'
import type { EventRow } from '../store/log/log.ts'
import { toFlag } from '../store/read/events.ts'
import type { Reader } from '../store/read/reader.ts'

/** Bounds the text of a line, in characters. */
const LINE_CHARACTERS = 200

/** Returns an event as one line of a list. */
export function toLine(reader: Reader, row: EventRow) {
  const { id, uuid, session_id, turn_id, agent_id, kind, ts_wall, duration_ms } = row
  const payload = reader.payload(row.payload)
  const success = outcomeOf({ kind, success: toFlag(row.success), payload })
  return {
    id,
    uuid,
    session_id,
    turn_id,
    agent_id,
    kind,
    ts_wall,
    duration_ms,
    success,
    text: formatEvent(kind, payload),
  }
}

/** Returns whether the event succeeded: its own field, else that of its result. */
export function outcomeOf(event: {
  readonly kind: EventKind
  readonly success: boolean | null
  readonly payload: { readonly [key: string]: unknown }
}): boolean | null {
  if (event.success !== null || event.kind !== 'tool_result') return event.success
  return event.payload['is_error'] !== true && event.payload['rejected'] !== true
}

export type EventLine = ReturnType<typeof toLine>

/** Returns the text of an event in one line for people. */
export function formatEvent(kind: EventKind, payload: { readonly [key: string]: unknown }): string {
  const text = fieldsOf(kind, payload)
    .filter((part) => part !== '')
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return text.length > LINE_CHARACTERS ? `${text.slice(0, LINE_CHARACTERS - 1).toWellFormed()}…` : text
}

function fieldsOf(kind: EventKind, payload: { readonly [key: string]: unknown }): string[] {
  const field = (name: string): string => say(payload[name])
  switch (kind) {
    case 'user_prompt':
    case 'thinking':
    case 'assistant_text':
    case 'notification':
      return [field('text')]
    case 'tool_call':
      return [field('tool_name'), field('input') || field('digest')]
    case 'tool_result':
      return [field('tool_name'), payload['rejected'] === true ? 'rejected' : '', field('output') || field('digest')]
    case 'api_usage':
    case 'model_request':
      return [field('model'), field('request_kind')]
    case 'model_response':
      return [field('model'), field('status'), field('stop_reason')]
    case 'error':
      return [field('type'), field('status'), field('message')]
    case 'compaction':
      return [field('trigger'), field('summary')]
    case 'agent_started':
    case 'agent_ended':
      return [field('agent_type'), field('agent_id'), field('last_text')]
    case 'session_started':
      return [field('start'), field('model')]
    case 'session_ended':
    case 'turn_ended':
      return [field('reason')]
    case 'task_update':
      return [field('tasks')]
    case 'state_change':
      return [field('name'), field('to')]
    case 'rate_limit':
      return [field('limits')]
    case 'unknown':
      return [field('what')]
  }
}

function say(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.slice(0, 2 * LINE_CHARACTERS)
  return (JSON.stringify(value) ?? '').slice(0, 2 * LINE_CHARACTERS)
}

/** Formats a line: time, kind, text, duration, and the uuid for further calls. */
export function lineText(line: EventLine): string {
  const duration = line.duration_ms === null ? '' : ` ${Math.round(line.duration_ms)} ms`
  const failed = line.success === false ? ' FAILED' : ''
  return `${line.ts_wall.slice(0, 19).replace('T', ' ')} ${line.kind}${duration}${failed}: ${line.text} [session ${line.session_id} turn ${line.turn_id} uuid ${line.uuid}]`
}
