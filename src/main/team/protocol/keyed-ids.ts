import { createHmac } from 'node:crypto'

/** Ids and hashes under the team's key: the same on every device of a team, and meaningless outside of it. */
export interface KeyedIds {
  /** Returns a UUID (version 8) for a value. `of` separates values of different meaning. */
  id(of: 'event' | 'session' | 'agent' | 'key' | 'project' | 'account', value: string): string
  /** Returns the hash of a content as hex: HMAC-SHA256. */
  contentHash(text: string): string
}

export function createKeyedIds(key: Uint8Array): KeyedIds {
  const hmac = (text: string) => createHmac('sha256', key).update(text)
  return {
    id: (of, value) => toUuid(hmac(`${of}\0${value}`).digest()),
    contentHash: (text) => hmac(`content\0${text}`).digest('hex'),
  }
}

/** Formats the first 16 bytes as a UUID of version 8 (RFC 9562: content is the maker's own). */
function toUuid(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
