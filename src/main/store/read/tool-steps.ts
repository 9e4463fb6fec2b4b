import type { Json, JsonObject } from '../../../shared/json.ts'
import { toFlag } from './events.ts'
import { numbersOfTurn } from './joined-turns.ts'
import type { Reader } from './reader.ts'

/** A tool call of a session with the outcome of its result. */
export interface ToolStep {
  readonly id: number
  readonly uuid: string
  readonly turn_id: number
  readonly agent_id: string | null
  readonly timestamp: string
  readonly tool_name: string
  /** Long texts are filled in. */
  readonly input: Json
  /** null: no result is known, or it does not report success. */
  readonly success: boolean | null
  /** True if a person rejected or interrupted it. */
  readonly rejected: boolean
  readonly error: string | null
  /** The event of the result; null without one. */
  readonly result_uuid: string | null
  /** Beginning of the output as JSON; null without a result. */
  readonly output: string | null
}

interface StepRow extends Omit<ToolStep, 'success' | 'rejected' | 'input'> {
  readonly input_json: string
  readonly success: number | null
  readonly rejected: number | null
}

/** Returns the newest tool calls of a session, or of one of its turns, newest first. */
export function toolSteps(
  reader: Reader,
  options: { session_id: string; turn_id?: number; limit: number },
): ToolStep[] {
  const { session_id: session, turn_id: turn, limit } = options
  const turns = turn === undefined ? [] : numbersOfTurn(reader, session, turn)
  const within = turn === undefined ? '' : `AND e.turn_id IN (${turns.map(() => '?').join(', ')})`
  return reader
    .all<StepRow>(
      `SELECT c.id, c.event_uuid AS uuid, c.turn_id, c.agent_id, c.timestamp, c.tool_name,
         c.input_json, r.success, r.rejected, r.error, (SELECT p.uuid FROM events p WHERE p.id = r.event_id) AS result_uuid,
         substr(CASE WHEN r.event_id IS NOT NULL THEN coalesce(
           r.output_json, (SELECT p.payload -> '$.output' FROM events p WHERE p.id = r.event_id), 'null') END, 1, 400) AS output
       FROM events e CROSS JOIN tool_calls c ON c.id = e.id
       LEFT JOIN tool_result_rows r ON r.event_id =
         (SELECT x.event_id FROM tool_result_rows x WHERE x.call_id = c.call_id ORDER BY x.event_id LIMIT 1)
       WHERE e.session_id = ? ${within} ORDER BY e.ts_wall DESC, e.id DESC LIMIT ?`,
      session,
      ...turns,
      limit,
    )
    .map(({ input_json: input, ...row }) => ({
      ...row,
      input: input.startsWith('{') ? (reader.payload(input) as JsonObject) : (JSON.parse(input) as Json),
      success: toFlag(row.success),
      rejected: row.rejected === 1,
    }))
}
