import type { Json } from '../../../shared/event.ts'
import { hasTooManyValues, MAX_JSON_VALUES } from '../json-values.ts'
import type { LeftOut } from '../left-out.ts'
import { decodeBody } from './content-encoding.ts'

/** A request's body; null if there is none or it cannot be read. Unless it is merely not JSON, the reason is given. */
export interface ParsedRequestBody {
  readonly body: Json | null
  readonly leftOut: LeftOut | null
}

/** Parses a request's body. */
export function parseRequestBody(
  bytes: Uint8Array,
  encoding: string | null,
  parse: (plain: Buffer) => Json | null,
): ParsedRequestBody {
  if (bytes.length === 0) return { body: null, leftOut: null }
  const decoded = decodeBody(bytes, encoding)
  const plain = Buffer.from(decoded.bytes.buffer, decoded.bytes.byteOffset, decoded.bytes.byteLength)
  const body = parse(plain)
  if (decoded.error !== null) {
    const reason = decoded.isTooLarge ? 'request_too_large' : 'decode_failed'
    return { body, leftOut: { reason, message: `the request's body: ${decoded.error}` } }
  }
  if (body !== null || !hasTooManyValues(plain)) return { body, leftOut: null }
  const message = `the request's body has more than ${MAX_JSON_VALUES} values`
  return { body, leftOut: { reason: 'request_too_large', message } }
}
