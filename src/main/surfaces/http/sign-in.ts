import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Grant } from '../../dispatch/grant.ts'

/** The session cookie's name begins so; the port follows, since cookies do not know ports. */
const COOKIE = 'aspy_session'
const MAX_SESSIONS = 100

export interface SignIn {
  /** Who asks: the grant of the bearer key or of the session cookie; null where neither is known. */
  whoAsks(headers: Headers): Grant | null
  /** Trades a key for the `Set-Cookie` of a new session; null where the key does not sign in. */
  open(key: string, port: number): string | null
}

/** Keys and browser sessions. Only the first grant signs in to sessions: the others are for programs. */
export function createSignIn(grants: readonly Grant[]): SignIn {
  const hashes = grants.map((grant) => ({ grant, hash: sha256(grant.key) }))
  const sessions = new Set<string>()
  const owner = grants[0]

  function grantOf(key: string): Grant | null {
    const hash = sha256(key)
    let found: Grant | null = null
    // All are compared, so that the time tells nothing.
    for (const known of hashes) if (timingSafeEqual(known.hash, hash)) found = known.grant
    return found
  }

  return {
    whoAsks(headers) {
      const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')
      if (bearer !== null) return grantOf(bearer[1] ?? '')
      // A page of another origin makes the browser send the cookie along in some cases; the browser says so here.
      const site = headers.get('sec-fetch-site') ?? 'none'
      if (site !== 'same-origin' && site !== 'none') return null
      for (const value of cookies(headers.get('cookie') ?? ''))
        if (sessions.has(sha256(value).toString('hex'))) return owner ?? null
      return null
    },
    open(key, port) {
      if (owner === undefined || grantOf(key) !== owner) return null
      const id = randomBytes(32).toString('base64url')
      sessions.add(sha256(id).toString('hex'))
      for (const oldest of sessions) {
        if (sessions.size <= MAX_SESSIONS) break
        sessions.delete(oldest)
      }
      return `${COOKIE}_${port}=${id}; Path=/; HttpOnly; SameSite=Strict`
    },
  }
}

function* cookies(header: string): Generator<string> {
  for (const part of header.split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name?.startsWith(COOKIE) === true && value !== undefined) yield value
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
