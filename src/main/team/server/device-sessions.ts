import { createHmac, timingSafeEqual } from 'node:crypto'

/** Lifetime of a device's session in minutes. */
const SESSION_MS = 15 * 60_000

/**
 * Sessions of devices as signed tokens: any server of the team can check one. A revoked device is refused at once all the
 * same, since each request looks it up.
 */
export class DeviceSessions {
  readonly #key: Buffer
  readonly #now: () => number

  constructor(key: Buffer, now: () => number = Date.now) {
    this.#key = key
    this.#now = now
  }

  /** Returns a session for a device, and when it ends. */
  open(deviceId: string): { readonly token: string; readonly expires_at: string } {
    const expires = this.#now() + SESSION_MS
    const body = `${deviceId}.${expires}`
    return { token: `${body}.${this.#sign(body)}`, expires_at: new Date(expires).toISOString() }
  }

  /** Returns the device of a session; null if it is forged or has ended. */
  deviceOf(token: string): string | null {
    const parts = /^([0-9a-f-]{36})\.(\d{13})\.([\w-]{43})$/.exec(token)
    if (parts === null) return null
    const [, deviceId = '', expires = '', signature = ''] = parts
    const expected = Buffer.from(this.#sign(`${deviceId}.${expires}`))
    const given = Buffer.from(signature)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
    return Number(expires) > this.#now() ? deviceId : null
  }

  /** Returns a session that follows one that is more than half over; null if it is too early. */
  renewed(token: string): string | null {
    const device = this.deviceOf(token)
    const left = Number(token.split('.')[1]) - this.#now()
    return device === null || left > SESSION_MS / 2 ? null : this.open(device).token
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#key).update(body).digest('base64url')
  }
}
