import type { EventKind } from '../../shared/event.ts'
import { formatEvent } from '../../shared/event-text.ts'
import type { EventRow } from '../store/log/log.ts'
import { toFlag } from '../store/read/events.ts'
import type { Reader } from '../store/read/reader.ts'

/** Returns an event as one line of a list. */
export function toLine(reader: Reader, row: EventRow) {
  const { id, uuid, session_id, user_id, turn_id, agent_id, kind, ts_wall, duration_ms } = row
  const payload = reader.payload(row.payload)
  const success = outcomeOf({ kind, success: toFlag(row.success), payload })
  return {
    id,
    uuid,
    session_id,
    user_id,
    turn_id,
    agent_id,
    kind,
    ts_wall,
    duration_ms,
    success,
    text: formatEvent(kind, payload),
  }
}

/** Returns whether the event succeeded: from its own field, else from its result. */
export function outcomeOf(event: {
  readonly kind: EventKind
  readonly success: boolean | null
  readonly payload: { readonly [key: string]: unknown }
}): boolean | null {
  if (event.success !== null || event.kind !== 'tool_result') return event.success
  return event.payload['is_error'] !== true && event.payload['rejected'] !== true
}

export type EventLine = ReturnType<typeof toLine>

/** Formats a line: time, kind, text, duration, and the uuid for further calls. */
export function lineText(line: EventLine): string {
  const duration = line.duration_ms === null ? '' : ` ${Math.round(line.duration_ms)} ms`
  const failed = line.success === false ? ' FAILED' : ''
  return `${line.ts_wall.slice(0, 19).replace('T', ' ')} ${line.kind}${duration}${failed}: ${line.text} [session ${line.session_id} turn ${line.turn_id} uuid ${line.uuid}]`
}
