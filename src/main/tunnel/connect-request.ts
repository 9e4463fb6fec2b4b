import { isIP } from 'node:net'
import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

/** The target of a client's tunnel. */
export interface Target {
  /** Host name in lower case without a final dot, or an IP address without brackets. */
  readonly host: string
  readonly port: number
}

const NAME = /^[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/
const MAX_NAME = 253

/** Reads the target of a CONNECT (RFC 9110, section 9.3.6). Throws a Refusal. */
export function readTarget(text: string): Target {
  const [, name = '', digits = ''] = /^(.*):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  const bracketed = /^\[(.*)\]$/.exec(name)?.[1]
  const host = (bracketed ?? name).toLowerCase().replace(/\.$/, '')
  const isValid =
    bracketed === undefined
      ? isIP(host) === 4 || (host.length <= MAX_NAME && NAME.test(host))
      : isIP(host) === 6 && !host.includes('%')
  if (!isValid || port === 0 || port > 65_535)
    throw new Refusal('bad_target', `"${text.slice(0, 200)}" is not a host and port, such as example.com:443.`)
  return { host, port }
}

/** Returns the password of `Proxy-Authorization: Basic` (RFC 7617); null if there is none. */
export function readKey({ headers }: IncomingMessage): string | null {
  const [, encoded = ''] = /^basic +([\w+/=-]+)$/i.exec(headers['proxy-authorization']?.trim() ?? '') ?? []
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  return colon < 0 ? null : decoded.slice(colon + 1)
}
