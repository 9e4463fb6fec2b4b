import type { Json, Payloads } from '../../../shared/event.ts'
import { exceeds, packJson, SHOWN_JSON_BYTES } from '../log/payload.ts'

/** JSON that is longer, or takes more work to go through, is parsed once instead of each time its text is needed. */
const MAX_DRAWN_CHARACTERS = 16_384
const MAX_DRAWN_STEPS = 500_000

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

/** Returns true if `tool_texts` derives a row's text from its JSON; it scans the rest of the JSON once for each string. */
export function isDrawn(json: string): boolean {
  if (json.length > MAX_DRAWN_CHARACTERS || json.includes('"$content"')) return false
  if (json.startsWith('"') || json.length ** 2 <= MAX_DRAWN_STEPS) return true
  const quotes = json.replaceAll('\\"', '').split('"').length - 1
  return json.length * quotes <= MAX_DRAWN_STEPS
}
