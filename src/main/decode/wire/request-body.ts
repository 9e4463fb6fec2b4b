import type { Json } from '../../../shared/event.ts'
import { decodeBody } from './content-encoding.ts'

/** Parses a request's body; null if there is none or it cannot be read. */
export function parseRequestBody(
  bytes: Uint8Array,
  encoding: string | null,
  parse: (plain: Buffer) => Json | null,
): Json | null {
  if (bytes.length === 0) return null
  const plain = decodeBody(bytes, encoding).bytes
  return parse(Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength))
}
