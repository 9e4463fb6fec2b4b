import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Grant } from '../../dispatch/grant.ts'

/** Prefix of the session cookie's name. The port follows, because cookies are shared by all ports of a host. */
const COOKIE = 'aspy_session'
const MAX_SESSIONS = 100

export interface SignIn {
  /** Returns the grant of the bearer key or of the session cookie; null if neither is known. */
  grantOfRequest(headers: Headers): Grant | null
  /** Returns the `Set-Cookie` of a new session; null if the key does not sign in. */
  open(key: string, port: number): string | null
}

/** Checks keys and browser sessions. Only the first grant can sign in a browser; the others are for programs. */
export function createSignIn(grants: readonly Grant[]): SignIn {
  const hashes = grants.map((grant) => ({ grant, hash: sha256(grant.key) }))
  const sessions = new Set<string>()
  const owner = grants[0]

  function grantOf(key: string): Grant | null {
    const hash = sha256(key)
    let found: Grant | null = null
    // Compares all keys, so that the time reveals nothing.
    for (const known of hashes) if (timingSafeEqual(known.hash, hash)) found = known.grant
    return found
  }

  return {
    grantOfRequest(headers) {
      const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')
      if (bearer !== null) return grantOf(bearer[1] ?? '')
      // Browsers sometimes send the cookie with requests from pages of another origin; this header reveals that.
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
