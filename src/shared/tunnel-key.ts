/**
 * Keys of the tunnel: the password in the `HTTPS_PROXY` that full mode gives to a client. They begin with a fixed prefix, so
 * that they are recognised, and redacted, wherever they appear.
 */

/** Prefix of every tunnel key; 43 characters (base64url of 32 random bytes) follow. */
export const TUNNEL_KEY_PREFIX = 'aspy-tunnel-'

/** The length of the random part, in characters. */
export const TUNNEL_KEY_LENGTH = 43

/** The user name that goes with a key. */
export const TUNNEL_USER = 'aspy'

const VALID = new RegExp(`^${TUNNEL_KEY_PREFIX}[\\w-]{${TUNNEL_KEY_LENGTH}}$`)

/** Returns whether a text has the format of a tunnel key. */
export const isTunnelKey = (text: string): boolean => VALID.test(text)

/** Returns the `HTTPS_PROXY` of a client: the tunnel's address (`http://127.0.0.1:PORT`) with a key. */
export const tunnelProxyUrl = (tunnelUrl: string, key: string): string =>
  tunnelUrl.replace('http://', `http://${TUNNEL_USER}:${key}@`)

const IN_URL = new RegExp(`^http://${TUNNEL_USER}:${TUNNEL_KEY_PREFIX}[\\w-]{${TUNNEL_KEY_LENGTH}}@([^/]+)/?$`)

/** Returns whether a proxy address is a tunnel of Aspy, by the form of its key. */
export const isTunnelProxyUrl = (text: string): boolean => IN_URL.test(text)

/** Returns the address of a tunnel without its key (`http://127.0.0.1:PORT`); null if it is not a tunnel's. */
export function withoutTunnelKey(text: string): string | null {
  const host = IN_URL.exec(text)?.[1]
  return host === undefined ? null : `http://${host}`
}
