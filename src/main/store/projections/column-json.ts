import type { Json, Payloads } from '../../../shared/event.ts'
import { exceeds, packJson, SHOWN_JSON_BYTES } from '../log/payload.ts'

/** The fields of a call or a result that its draft has, too. */
export type ToolTold = {
  [Kind in 'tool_call' | 'tool_result']: { readonly kind: Kind; readonly payload: Payloads[Kind] }
}['tool_call' | 'tool_result']

/** Returns the JSON value for the row of a call or a result. */
export const toolValue = ({ kind, payload }: ToolTold): Json =>
  kind === 'tool_call' ? (payload.input ?? payload.digest ?? null) : payload.output

/**
 * Returns JSON for a column: whole, or with references for the long strings of a large value, as in the log. `hash` is the
 * store's keyed hash.
 */
export function columnJson(value: Json, hash: (text: string) => string): string {
  const json = JSON.stringify(value ?? null)
  return exceeds(json, SHOWN_JSON_BYTES) ? packJson(value, hash) : json
}
