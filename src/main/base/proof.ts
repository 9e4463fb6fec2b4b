import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * The proof that a program on our port is the app: before a caller sends a key or a body, the app answers a fresh nonce
 * with a MAC under the same key. Loads nothing but Node's own modules, because hooks use it.
 *
 *     GET /healthz/proof?key=NAME&nonce=NONCE   →   204, aspy-proof: MAC
 *
 * The MAC (HMAC-SHA-256, base64url) covers the role, so that no caller's own message can be reflected as an answer; the
 * name of the key; the address that was dialled, so that an answer relayed from another port is worthless; and the nonce,
 * so that an answer cannot be replayed.
 */

export const PROOF_PATH = '/healthz/proof'
export const PROOF_HEADER = 'aspy-proof'

const VERSION = 'aspy-proof-1'
const NONCE_BYTES = 32
const NONCE = /^[\w-]{43}$/

export interface Challenge {
  /** Name of the key: `token`, `hooks`. */
  readonly keyName: string
  /** The port on 127.0.0.1 that the caller dialled. */
  readonly port: number
  /** 32 random bytes, base64url. */
  readonly nonce: string
}

export const createNonce = (): string => randomBytes(NONCE_BYTES).toString('base64url')

export const isNonce = (text: string): boolean => NONCE.test(text)

/** Returns the app's answer to a challenge. */
export function proofOf(key: string, { keyName, port, nonce }: Challenge): string {
  const claim = [VERSION, 'app', keyName, `127.0.0.1:${port}`, nonce].join('\n')
  return createHmac('sha256', key).update(claim).digest('base64url')
}

/** Checks an answer in constant time. */
export function isProof(answer: string, key: string, challenge: Challenge): boolean {
  const expected = Buffer.from(proofOf(key, challenge))
  const given = Buffer.from(answer)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
