import { buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici'
import { isLoopback } from '../../shared/loopback.ts'
import { headerPairs } from './forwarded-headers.ts'
import { withoutInformational } from './informational.ts'

/** Limit for establishing a connection. Requests in progress have no time limit. */
const CONNECT_TIMEOUT_MS = 30_000
/** Lifetime of an idle connection, unless the upstream's Keep-Alive header says otherwise. */
const KEEP_ALIVE_MS = 30_000
/** Limit for one response's headers, more than servers send. */
const MAX_HEADER_BYTES = 64 * 1024

/** The service that requests are forwarded to. */
export type Upstream = ReturnType<typeof createUpstream>

type Environment = { readonly [name: string]: string | undefined }

/**
 * Creates a pool of keep-alive connections, one per concurrent request. They use HTTP/1.1, which preserves the order and case
 * of headers and is what the client would use. HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply unless the upstream is on loopback;
 * Node itself applies NODE_EXTRA_CA_CERTS.
 */
export function createUpstream(url: URL, environment: Environment = process.env, connectTimeout = CONNECT_TIMEOUT_MS) {
  const { origin, host } = url
  const options = {
    allowH2: false,
    bodyTimeout: 0,
    headersTimeout: 0,
    connectTimeout,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const httpProxy = environment['http_proxy'] ?? environment['HTTP_PROXY'] ?? ''
  const httpsProxy = environment['https_proxy'] ?? environment['HTTPS_PROXY'] ?? ''
  const noProxy = environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''
  const isProxied = (httpProxy !== '' || httpsProxy !== '') && !isLoopback(url.hostname)
  // Behind a proxy undici passes on only some options, and none for an http upstream. Its default timeouts would cut long responses.
  const factory = (target: string | URL, given: Pool.Options) => {
    const connect = typeof given.connect === 'function' ? withoutInformational(given.connect) : given.connect
    return new Pool(target, { ...options, ...given, ...(connect === undefined ? {} : { connect }) })
  }
  // Connections on which only a CONNECT is sent: a proxy that never answers must not hold up a request.
  const toProxy = (target: URL, given: object) => new Pool(target, { ...given, headersTimeout: connectTimeout })
  const direct = withoutInformational(buildConnector({ allowH2: false, timeout: connectTimeout }))
  const create = (more: Pool.Options = {}): Dispatcher =>
    isProxied
      ? new EnvHttpProxyAgent({ ...options, ...more, factory, clientFactory: toProxy, httpProxy, httpsProxy, noProxy })
      : new Pool(origin, { ...options, ...more, connect: direct })
  const dispatcher = create()
  let unkept: Dispatcher | null = null
  return {
    origin,
    /** For the Host header. */
    host,
    /** Prefix for request paths, without a trailing slash. */
    basePath: url.pathname.replace(/\/+$/, ''),
    dispatch(
      request: Omit<Dispatcher.DispatchOptions, 'origin' | 'headers'>,
      headers: string[],
      handler: Dispatcher.DispatchHandler,
      /** True to open a new connection for it. */
      isAfresh = false,
    ) {
      if (isAfresh) unkept ??= create({ keepAliveTimeout: 1, keepAliveMaxTimeout: 1 })
      const chosen = isAfresh && unkept !== null ? unkept : dispatcher
      // Behind a proxy undici converts a flat array to an object, losing repeated names. Pairs keep them, but not as an array.
      chosen.dispatch({ ...request, origin, headers: isProxied ? headerPairs(headers).values() : headers }, handler)
    },
    /** Aborts requests in progress and closes all connections. */
    async destroy() {
      await Promise.all([dispatcher.destroy(), unkept?.destroy()])
    },
  }
}
