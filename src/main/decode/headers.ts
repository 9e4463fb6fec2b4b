import type { RawHeaders } from '../proxy/protocol/tap-protocol.ts'
import { filledString } from '../../shared/json-fields.ts'

/** Returns a header's value, ignoring the case of its name; null if it is missing or empty. */
export function headerOf(headers: RawHeaders, name: string): string | null {
  const found = headers.find(([key]) => key.toLowerCase() === name)
  return found ? filledString(found[1]) : null
}
