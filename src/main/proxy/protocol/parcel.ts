import type { PackedHeaders, RawHeaders, TapMessage, TapParcel, TapPart } from './tap-protocol.ts'

/** Packs raw headers as Node gives them: name, value, name, … */
export const packHeaders = (flat: readonly string[]): PackedHeaders => (flat.length === 0 ? '' : `${flat.join('\0')}\0`)

function unpackHeaders(packed: PackedHeaders): RawHeaders {
  const flat = packed.split('\0')
  const pairs: [string, string][] = []
  for (let index = 0; index + 2 < flat.length; index += 2) pairs.push([flat[index] ?? '', flat[index + 1] ?? ''])
  return pairs
}

/** Unpacks the messages of a parcel, in order. Their bytes are views of its buffer. */
export function messagesOf({ exchange, parts, bytes }: TapParcel): TapMessage[] {
  let offset = 0
  return parts.map((part) => {
    if (part[0] !== 'request_bytes' && part[0] !== 'response_bytes') return messageOf(exchange, part)
    const [type, at, length] = part
    offset += length
    return { type, exchange, at, bytes: new Uint8Array(bytes, offset - length, length) }
  })
}

type WithoutBytes = Exclude<TapPart, readonly ['request_bytes' | 'response_bytes', ...unknown[]]>

function messageOf(exchange: string, part: WithoutBytes): TapMessage {
  const at = part[1]
  switch (part[0]) {
    case 'open':
      return {
        type: 'open',
        exchange,
        at,
        wall: part[2],
        method: part[3],
        path: part[4],
        headers: unpackHeaders(part[5]),
        isUnproven: part[6] ?? false,
        ...(part[7] === undefined ? {} : { socket: part[7] }),
      }
    case 'request_end':
      return { type: 'request_end', exchange, at }
    case 'response_head':
      return { type: 'response_head', exchange, at, status: part[2], headers: unpackHeaders(part[3]) }
    case 'end':
      return { type: 'end', exchange, at, outcome: part[2], error: part[3] }
    case 'discard':
      return { type: 'discard', exchange, at, reason: part[2] }
  }
}
