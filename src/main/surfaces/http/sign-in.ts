import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Grant } from '../../dispatch/grant.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

/** Prefix of the session cookie's name. The port follows, because cookies are shared by all ports of a host. */
const COOKIE = 'aspy_session'
/** A session ends after this time, however often the app was restarted meanwhile. */
const SESSION_MS = 30 * DAY_MS

export type SignIn = ReturnType<typeof createSignIn>

/**
 * Checks keys and browser sessions. Only the first grant can sign in a browser; the others are for programs. A session is
 * signed with that grant's key and stored nowhere: it outlives a restart of the app, and ends when the key changes.
 */
export function createSignIn(grants: readonly Grant[], now: () => number = Date.now) {
  const hashes = grants.map((grant) => ({ grant, hash: sha256(grant.key) }))
  const owner = grants[0]

  function grantOf(key: string): Grant | null {
    const hash = sha256(key)
    let found: Grant | null = null
    // Compares all keys, so that the time reveals nothing.
    for (const known of hashes) if (timingSafeEqual(known.hash, hash)) found = known.grant
    return found
  }

  const signature = (key: string, session: string) =>
    createHmac('sha256', key).update(`browser session ${session}`).digest('base64url')

  function isOwnSession(value: string): boolean {
    const [id = '', until = '', signed = ''] = value.split('.')
    if (owner === undefined || !/^\d{1,15}$/.test(until) || Number(until) < now()) return false
    return timingSafeEqual(sha256(signed), sha256(signature(owner.key, `${id}.${until}`)))
  }

  return {
    /** Returns the grant of the bearer key or of the session cookie; null if neither is known. */
    grantOfRequest(headers: Headers): Grant | null {
      const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')
      if (bearer !== null) return grantOf(bearer[1] ?? '')
      // Browsers sometimes send the cookie with requests from pages of another origin; this header reveals that.
      const site = headers.get('sec-fetch-site') ?? 'none'
      if (site !== 'same-origin' && site !== 'none') return null
      return cookies(headers.get('cookie') ?? '').some(isOwnSession) ? (owner ?? null) : null
    },
    /** Returns the `Set-Cookie` of a new session; null if the key does not sign in. */
    open(key: string, port: number): string | null {
      if (owner === undefined || grantOf(key) !== owner) return null
      const session = `${randomBytes(32).toString('base64url')}.${now() + SESSION_MS}`
      return `${COOKIE}_${port}=${session}.${signature(owner.key, session)}; Path=/; HttpOnly; SameSite=Strict`
    },
  }
}

const cookies = (header: string): string[] =>
  header.split(';').flatMap((part) => {
    const [name, value] = part.trim().split('=', 2)
    return name?.startsWith(COOKIE) === true && value !== undefined ? [value] : []
  })

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
