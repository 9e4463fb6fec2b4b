import type { Config } from '../../shared/config.ts'
import { apiPathOf } from '../proxy/protocol/api-path.ts'

/** The programs that full mode records, each by its own hosts: a run can sign only for the hosts of its client. */
export const FULL_MODE_CLIENTS = ['claude-code', 'codex'] as const
export type FullModeClient = (typeof FULL_MODE_CLIENTS)[number]

/** Destination of a request to an intercepted host. */
export interface HostRoute {
  /** Its path, if any, is prefixed to the request's. */
  readonly upstream: URL
  /** Path and query below the upstream's own path. */
  readonly path: string
  /** The path to record it with, the one that a base URL gives it; null: it passes unread. */
  readonly recordedAs: string | null
}

/** The hosts of a client whose TLS the tunnel ends. */
export interface InterceptedClient {
  readonly hosts: readonly string[]
  /** WebSockets of recorded paths: recorded, or refused so that the client sends plain requests. */
  readonly sockets: 'recorded' | 'refused'
  routeOf(host: string, path: string): HostRoute
}

const FIRST_PARTY = 'https://api.anthropic.com'
/** The vendor's own paths of the Responses API: with an API key, and with a ChatGPT login. */
const CODEX_HOSTS = [
  { host: 'api.openai.com', below: '/v1', name: 'openai' },
  { host: 'chatgpt.com', below: '/backend-api/codex', name: 'chatgpt' },
] as const

type ProxyConfig = Config['proxy']

/**
 * Returns the interception rules for each client: requests to its hosts' APIs are recorded, and all other paths pass
 * unread. A user's own upstream replaces a host with all of its paths.
 */
export const interceptedClients = (config: ProxyConfig): Readonly<Record<FullModeClient, InterceptedClient>> => ({
  'claude-code': messagesHosts(config),
  codex: responsesHosts(config),
})

function messagesHosts({ intercept_hosts: hosts, upstream }: ProxyConfig): InterceptedClient {
  const own = new URL(upstream)
  return {
    hosts,
    sockets: 'recorded',
    routeOf: (host, path) => ({
      upstream: host === hosts[0] && own.origin !== FIRST_PARTY ? own : new URL(`https://${host}`),
      path,
      recordedAs: apiPathOf(path) === null ? null : path,
    }),
  }
}

function responsesHosts({ upstreams, websockets }: ProxyConfig): InterceptedClient {
  return {
    hosts: CODEX_HOSTS.map(({ host }) => host),
    sockets: websockets === 'relay' ? 'recorded' : 'refused',
    routeOf(host, path) {
      const { below, name } = CODEX_HOSTS.find((one) => one.host === host) ?? CODEX_HOSTS[0]
      const upstream = new URL(upstreams[name])
      const isApi = apiPathOf(path) !== null
      const rest = path.startsWith(`${below}/`) ? path.slice(below.length) : null
      if (rest !== null) return { upstream, path: rest, recordedAs: isApi ? `/openai/v1${rest}` : null }
      // In another spelling, it may still be the API's path for the host.
      return { upstream: new URL(upstream.origin), path, recordedAs: isApi ? `/openai${path}` : null }
    },
  }
}
