import type { Context } from 'hono'
import { AspyError } from '../../../shared/contract/errors.ts'
import { callerOfDevice, callerOfToken, type Caller } from '../store/callers.ts'
import type { Sql } from '../store/connection.ts'
import { onDatabase } from '../store/database-error.ts'
import { hashSecret } from '../store/members.ts'
import type { DeviceSessions } from './device-sessions.ts'

const COOKIE = 'aspy_team'

/** Recognises callers: by the session of a device, or by a device's token when a session is opened. */
export class Admission {
  readonly #sql: Sql
  readonly #sessions: DeviceSessions
  readonly #isSecure: boolean

  /** `isSecure`: the server itself ends TLS, so its cookies need it. */
  constructor(sql: Sql, sessions: DeviceSessions, isSecure: boolean) {
    this.#isSecure = isSecure
    this.#sql = sql
    this.#sessions = sessions
  }

  /** Opens a session for the device token of a request. Throws `unauthorized`. */
  async open(context: Context): Promise<{ readonly token: string; readonly expires_at: string }> {
    const token = bearerOf(context)
    const caller = token === null ? null : await onDatabase(() => callerOfToken(this.#sql, hashSecret(token)))
    if (caller === null)
      throw refused('the device token is unknown or was revoked; ask for a code and run aspy team join')
    return this.#sessions.open(caller.deviceId)
  }

  /** Returns the caller of a request. Throws `unauthorized`. */
  async caller(context: Context): Promise<Caller> {
    const bearer = bearerOf(context)
    const token = bearer ?? cookieOf(context)
    const caller = token === null ? null : await this.callerOf(token)
    // The window stays signed in while it is used.
    const renewed = caller === null || bearer !== null || token === null ? null : this.#sessions.renewed(token)
    if (renewed !== null) context.header('set-cookie', this.cookie(renewed))
    if (caller === null) throw refused('send "Authorization: Bearer SESSION"; a session lasts 15 minutes')
    return caller
  }

  /** Returns the `Set-Cookie` of a session. */
  cookie(token: string): string {
    return `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict${this.#isSecure ? '; Secure' : ''}`
  }

  /** Returns the caller of a session token; null if it is forged, has ended or its device was revoked. */
  async callerOf(token: string): Promise<Caller | null> {
    const device = this.#sessions.deviceOf(token)
    return device === null ? null : onDatabase(() => callerOfDevice(this.#sql, device))
  }
}

const refused = (message: string): AspyError => new AspyError('unauthorized', message)

const bearerOf = (context: Context): string | null =>
  /^Bearer +(\S{1,500})$/i.exec(context.req.header('authorization') ?? '')?.[1] ?? null

/** Returns the session of the window's cookie, only for requests of its own page. */
function cookieOf(context: Context): string | null {
  const site = context.req.header('sec-fetch-site') ?? 'none'
  if (site !== 'same-origin' && site !== 'none') return null
  for (const part of (context.req.header('cookie') ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === COOKIE && value !== undefined) return value
  }
  return null
}
