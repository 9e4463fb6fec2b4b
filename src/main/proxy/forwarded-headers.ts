/** Headers of the connection, not of the message (RFC 9110, section 7.6.1). Connection can name more. */
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
 * Request headers that the proxy handles itself: Host becomes the upstream's, Expect is answered here, and request trailers
 * cannot be forwarded.
 */
const HANDLED_HERE = new Set(['host', 'expect', 'trailer'])
const NONE: ReadonlySet<string> = new Set()

/** Returns a request's raw headers (name, value, name, …) for the upstream; names, order and case are unchanged. */
export const requestHeaders = (raw: readonly string[], upstreamHost: string): string[] =>
  withoutHopByHop(raw, HANDLED_HERE, ['host', upstreamHost])

/** Returns a response's raw headers for the client. */
export const responseHeaders = (raw: readonly string[]): string[] => withoutHopByHop(raw, NONE, [])

function withoutHopByHop(raw: readonly string[], own: ReadonlySet<string>, forwarded: string[]): string[] {
  let named: Set<string> | null = null
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]
    // Comparing the length first is cheaper than lower-casing every name.
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

/** Flattens the headers or trailers of a response as undici gives them. They are Latin-1 on the wire. */
export function flatHeaders(raw: unknown): string[] {
  if (!Array.isArray(raw)) return []
  return raw.map((part: unknown) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part)))
}

/** Turns flat raw headers into pairs. */
export function headerPairs(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < flat.length; index += 2) pairs.push([flat[index] ?? '', flat[index + 1] ?? ''])
  return pairs
}
