import { isTunnelProxyUrl } from '../../../../shared/tunnel-key.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that add certificates to those that a program trusts (Node, Bun). */
export const ADDING = 'NODE_EXTRA_CA_CERTS'
/** Variables that replace them, for OpenSSL, curl and Python's requests: their files need the system's certificates, too. */
export const REPLACING = ['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE'] as const

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'] as const

/** Everything that connects a client in full mode, by variable. */
export type FullVariables = Readonly<Record<string, string>>

interface FullConnection {
  /** The tunnel's address, with the key. */
  readonly proxyUrl: string
  /** The hosts whose TLS the tunnel ends. */
  readonly hosts: readonly string[]
  /** A file for each variable of `ADDING` and `REPLACING`. */
  readonly files: Readonly<Record<string, string>>
}

/** Returns the variables of a client that had `env` before. Programs read either spelling of a proxy's variables. */
export function fullVariables(env: Environment, { proxyUrl, hosts, files }: FullConnection): FullVariables {
  const direct = directHosts(env, hosts)
  return { HTTPS_PROXY: proxyUrl, https_proxy: proxyUrl, NO_PROXY: direct, no_proxy: direct, ...files }
}

/** Returns the `NO_PROXY` that keeps loopback direct. Entries that would bypass the tunnel for a recorded host are left out. */
function directHosts(env: Environment, hosts: readonly string[]): string {
  const given = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[\s,]+/).filter(Boolean)
  const kept = given.filter((entry) => !hosts.some((host) => covers(entry.toLowerCase(), host)))
  return [...new Set([...kept, ...LOOPBACK])].join(',')
}

function covers(entry: string, host: string): boolean {
  const domain = entry.replace(/:\d+$/, '').replace(/^\*?\./, '')
  return entry === '*' || host === domain || host.endsWith(`.${domain}`)
}

/** The network's proxy that a client would use without Aspy. */
export interface OuterProxy {
  /** As in `HTTPS_PROXY`; '' if there is none. */
  readonly https_proxy: string
  readonly no_proxy: string
}

/** Returns the network's proxy of an environment; null if it names a tunnel of Aspy, behind which the proxy is not known. */
export function outerProxyOf(env: Environment): OuterProxy | null {
  const https_proxy = env['https_proxy'] || env['HTTPS_PROXY'] || env['all_proxy'] || env['ALL_PROXY'] || ''
  if (isTunnelProxyUrl(https_proxy)) return null
  return { https_proxy, no_proxy: env['no_proxy'] || env['NO_PROXY'] || '' }
}
