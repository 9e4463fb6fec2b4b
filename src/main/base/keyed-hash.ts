import { createHmac, hash as digest } from 'node:crypto'

/** The block size of SHA-256; HMAC puts a block made from the key before the text (RFC 2104). */
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** Texts up to this length are hashed in a buffer that is reused. */
const SHORT_CHARACTERS = 16 * 1024

/** Returns a keyed hash of texts: the first 16 bytes of HMAC-SHA-256, hex. */
export function createKeyedHash(key: Uint8Array): (text: string) => string {
  const hmac = createHmacHex(key)
  return (text) => hmac(text).slice(0, 32)
}

/** Returns HMAC-SHA-256 of texts under a key, as hex. Short texts take a fifth of the time that Node's own HMAC takes. */
export function createHmacHex(key: Uint8Array): (text: string) => string {
  const padded = Buffer.alloc(BLOCK_BYTES)
  padded.set(key.length > BLOCK_BYTES ? digest('sha256', key, 'buffer') : key)
  const inner = Buffer.alloc(BLOCK_BYTES + 3 * SHORT_CHARACTERS)
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
  for (const [at, byte] of padded.entries()) {
    inner[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  }
  return (text) => {
    if (text.length > SHORT_CHARACTERS) return createHmac('sha256', key).update(text).digest('hex')
    const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES)
    outer.set(digest('sha256', inner.subarray(0, end), 'buffer'), BLOCK_BYTES)
    return digest('sha256', outer, 'hex')
  }
}
