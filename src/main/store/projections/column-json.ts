import type { Json, Payloads } from '../../../shared/event.ts'
import { exceeds, packJson } from '../log/payload.ts'

/** Columns store JSON up to this size whole; beyond it, long strings move to `contents`, as in the log. */
const WHOLE_COLUMN_BYTES = 16 * 1024

/** The fields of a call or a result that its draft has, too. */
export type ToolTold = {
  [Kind in 'tool_call' | 'tool_result']: { readonly kind: Kind; readonly payload: Payloads[Kind] }
}['tool_call' | 'tool_result']

/** Returns the JSON value for the row of a call or a result. */
export const toolValue = ({ kind, payload }: ToolTold): Json =>
  kind === 'tool_call' ? (payload.input ?? payload.digest ?? null) : payload.output

/** Returns JSON for a column; `hash` is the store's keyed hash. Its texts are already stored with the event's payload. */
export function columnJson(value: Json, hash: (text: string) => string): string {
  const json = JSON.stringify(value ?? null)
  return exceeds(json, WHOLE_COLUMN_BYTES) ? packJson(value, hash) : json
}
