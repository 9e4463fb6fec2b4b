import type { Json, Payloads } from '../../../shared/event.ts'
import { exceeds, packJson } from '../log/payload.ts'

/** Columns with JSON hold this much whole; beyond it, long strings stand in `contents`, as they do in the log. */
const WHOLE_COLUMN_BYTES = 16 * 1024

/** As much of a call or a result as its draft has, too. */
export type ToolTold = {
  [Kind in 'tool_call' | 'tool_result']: { readonly kind: Kind; readonly payload: Payloads[Kind] }
}['tool_call' | 'tool_result']

/** What the row of a call or a result holds as JSON. */
export const toolValue = ({ kind, payload }: ToolTold): Json =>
  kind === 'tool_call' ? (payload.input ?? payload.digest ?? null) : payload.output

/** JSON for a column; `hash` is the store's keyed hash. The texts are stored already, with the event's payload. */
export function columnJson(value: Json, hash: (text: string) => string): string {
  const json = JSON.stringify(value ?? null)
  return exceeds(json, WHOLE_COLUMN_BYTES) ? packJson(value, hash) : json
}
