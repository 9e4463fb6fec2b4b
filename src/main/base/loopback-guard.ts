/**
 * Decides which requests a loopback port accepts. A web page can make a browser send requests to 127.0.0.1, and an
 * attacker's domain can resolve to it (DNS rebinding). So only a Host that names loopback, or that the settings allow,
 * is served. Pure functions, shared by the proxy and the app port.
 */

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const

/**
 * Returns whether a Host header names this loopback port or one of `allowedHosts` (`name:port`, compared as written,
 * ignoring case). A missing header is refused.
 */
export function isAllowedHost(host: string | undefined, port: number, allowedHosts: readonly string[] = []): boolean {
  if (host === undefined) return false
  const wanted = host.toLowerCase()
  for (const name of LOOPBACK_NAMES) if (wanted === `${name}:${port}` || (port === 80 && wanted === name)) return true
  return allowedHosts.some((allowed) => allowed.toLowerCase() === wanted)
}

/**
 * Returns whether an Origin header is this port's own page: `http://` with an allowed host, or `https://` with one of
 * `allowedHosts` (a tunnel). `null`, which sandboxed pages and files send, is refused.
 */
export function isOwnOrigin(origin: string, port: number, allowedHosts: readonly string[] = []): boolean {
  const secure = origin.startsWith('https://')
  if (!secure && !origin.startsWith('http://')) return false
  const host = origin.slice(secure ? 'https://'.length : 'http://'.length)
  return secure
    ? allowedHosts.some((allowed) => allowed.toLowerCase() === host.toLowerCase())
    : isAllowedHost(host, port, allowedHosts)
}
