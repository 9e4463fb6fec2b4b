import { isTunnelProxyUrl } from '../../shared/tunnel-key.ts'

/** The network's own proxy, which tunnels go through. */
export interface Network {
  /** Address of the proxy, as in `HTTPS_PROXY`; '' if there is none. */
  readonly httpsProxy: string
  /** Hosts to reach directly, as in `NO_PROXY`. */
  readonly noProxy: string
}

type Environment = Readonly<Record<string, string | undefined>>

export const NO_NETWORK_PROXY: Network = { httpsProxy: '', noProxy: '' }

/** Reads the network's proxy from an environment. A tunnel of Aspy is never one: it would lead to itself. */
export function networkOf(env: Environment): Network {
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? env['all_proxy'] ?? env['ALL_PROXY'] ?? ''
  if (isTunnelProxyUrl(httpsProxy)) return NO_NETWORK_PROXY
  return { httpsProxy, noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '' }
}

/** Returns the environment variables of a network, for the client that connects to the upstream. */
export const environmentOf = ({ httpsProxy, noProxy }: Network): Environment => ({
  HTTPS_PROXY: httpsProxy,
  HTTP_PROXY: httpsProxy,
  NO_PROXY: noProxy,
})

/** Returns whether `NO_PROXY` names a host: itself, a domain above it, or `*`; optionally with a port. */
export function isDirect(noProxy: string, host: string, port: number): boolean {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      if (onlyPort !== undefined && Number(onlyPort) !== port) return false
      const domain = name.replace(/^\*?\./, '')
      return name === '*' || host === domain || host.endsWith(`.${domain}`)
    })
}
