import { decodeBody } from '../../decode/wire/content-encoding.ts'
import { headerOf } from '../../decode/headers.ts'
import type { RawHeaders } from '../../proxy/protocol/tap-protocol.ts'

/** The conversation that a request continues, as far as it is known. */
export interface Earlier {
  readonly tokens: number
  /** Messages of the conversation so far. */
  readonly messages: number
  /** The running turn, as in `RequestOutline`. */
  readonly turn: readonly (readonly string[])[]
}

/** The conversation that a complete request continues. */
export const NOTHING_EARLIER: Earlier = { tokens: 0, messages: 0, turn: [] }

/** A request as its sender encoded it. */
export interface FoundRequest {
  /** null if it cannot be read. */
  readonly body: Uint8Array | null
  /** It asks the model for nothing. */
  readonly isExempt: boolean
  readonly earlier: Earlier
  /** Called with the request joined with the conversation that it continues. */
  readonly onPriced?: (whole: Earlier) => void
}

/** Unpacks the body of a request. One that unpacks to more than 64 MiB cannot be read. */
export function plainRequest(headers: readonly string[], bytes: Uint8Array): FoundRequest {
  const { bytes: body, error } = decodeBody(bytes, headerOf(pairs(headers), 'content-encoding'))
  return { body: error === null ? body : null, isExempt: false, earlier: NOTHING_EARLIER }
}

/** Returns flat headers (name, value, name, …) in pairs. */
export function pairs(flat: readonly string[]): RawHeaders {
  const found: [string, string][] = []
  for (let at = 0; at + 1 < flat.length; at += 2) found.push([flat[at] ?? '', flat[at + 1] ?? ''])
  return found
}
