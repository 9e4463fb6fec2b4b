import { formatEvent } from '../../../../shared/event-text.ts'
import type { TeamEventRow } from './events.ts'

/** Returns an event as one line of a list. If only metadata was sent, the line names the tool or model. */
export function toLine(row: TeamEventRow) {
  const { id, uuid, session_id, user_id, turn_id, agent_id, kind, ts_wall, duration_ms, tool_name, model, outcome } =
    row
  const known = [tool_name, model, outcome].filter((word) => word !== null).join(' ')
  const byOutcome = kind === 'tool_result' && outcome !== null ? outcome === 'ok' : null
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
    success: row.success === null ? byOutcome : row.success !== 0,
    text: row.level === 'full' ? formatEvent(kind, row.payload) : known,
  }
}
