/** Headers of one connection, not of the message (RFC 9110, section 7.6.1); Connection can name more. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])
/**
 * What the proxy answers itself: Host is the upstream's, Expect is met towards the client, and trailers of a request
 * cannot be sent on.
 */
const OWN_OF_REQUEST = new Set(['host', 'expect', 'trailer'])
const NONE: ReadonlySet<string> = new Set()

/** A request's raw headers (name, value, name, …) as the upstream gets them: names, order and case unchanged. */
export function requestHeaders(raw: readonly string[], upstreamHost: string): string[] {
  return withoutHops(raw, OWN_OF_REQUEST, ['host', upstreamHost])
}

/** A response's raw headers as the client gets them. */
export function responseHeaders(raw: readonly string[]): string[] {
  return withoutHops(raw, NONE, [])
}

function withoutHops(raw: readonly string[], own: ReadonlySet<string>, forwarded: string[]): string[] {
  let named: Set<string> | null = null
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]
    // Cheaper than changing the case of every name.
    if (name?.length !== 10 || name.toLowerCase() !== 'connection') continue
    named ??= new Set()
    for (const option of (raw[index + 1] ?? '').split(',')) named.add(option.trim().toLowerCase())
  }
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    const key = name.toLowerCase()
    if (HOP_BY_HOP.has(key) || own.has(key) || named?.has(key) === true) continue
    forwarded.push(name, raw[index + 1] ?? '')
  }
  return forwarded
}

/** The headers of a response or its trailers as undici gives them, flat; they are Latin-1 on the wire. */
export function flatHeaders(raw: unknown): string[] {
  if (!Array.isArray(raw)) return []
  return raw.map((part: unknown) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part)))
}

/** Flat raw headers as pairs. */
export function headerPairs(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < flat.length; index += 2) pairs.push([flat[index] ?? '', flat[index + 1] ?? ''])
  return pairs
}
