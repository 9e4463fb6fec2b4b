import { createHmacHex } from '../../base/keyed-hash.ts'

/** Ids and hashes under the team's key: the same on every device of a team, and meaningless outside of it. */
export type KeyedIds = ReturnType<typeof createKeyedIds>

export function createKeyedIds(key: Uint8Array) {
  const hmac = createHmacHex(key)
  return {
    /** Returns a UUID (version 8) for a value. `of` separates values of different meaning. */
    id: (of: 'event' | 'session' | 'agent' | 'key' | 'project' | 'account', value: string) =>
      toUuid(hmac(`${of}\0${value}`)),
    /** Returns the hash of a content as hex: HMAC-SHA256. */
    contentHash: (text: string) => hmac(`content\0${text}`),
  }
}

/** Formats the first 16 bytes of a hash as a UUID of version 8 (RFC 9562: content is the maker's own). */
function toUuid(hex: string): string {
  const variant = ((Number.parseInt(hex[16] ?? '', 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}
