import { EnvHttpProxyAgent, Pool } from 'undici'
import type { Dispatcher } from 'undici'
import { isLoopback } from '../../shared/loopback.ts'

/** Past this, a connection that does not come about is given up; nothing that has begun is ever timed. */
const CONNECT_TIMEOUT_MS = 30_000
/** How long an unused connection is kept, unless the upstream's Keep-Alive says otherwise. */
const KEEP_ALIVE_MS = 30_000
/** Of one response, in bytes: more than servers send. */
const MAX_HEADER_BYTES = 64 * 1024

/** The one place where requests go. */
export interface Upstream {
  readonly origin: string
  /** For the Host header. */
  readonly host: string
  /** What comes before a request's own path; no slash at its end. */
  readonly basePath: string
  dispatch(
    options: Omit<Dispatcher.DispatchOptions, 'origin' | 'headers'>,
    headers: string[],
    handler: Dispatcher.DispatchHandler,
  ): void
  /** Ends what is under way, and all connections. */
  destroy(): Promise<void>
}

type Environment = { readonly [name: string]: string | undefined }

/**
 * Connections to the upstream: as many as there are requests at a time, kept alive, HTTP/1.1 (its headers keep order and
 * case, and it is what the client would speak). HTTPS_PROXY, HTTP_PROXY and NO_PROXY count unless the upstream is on
 * loopback; NODE_EXTRA_CA_CERTS is Node's own to honour.
 */
export function createUpstream(url: URL, environment: Environment = process.env): Upstream {
  const { origin, host } = url
  const options = {
    allowH2: false,
    bodyTimeout: 0,
    headersTimeout: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const httpProxy = environment['http_proxy'] ?? environment['HTTP_PROXY'] ?? ''
  const httpsProxy = environment['https_proxy'] ?? environment['HTTPS_PROXY'] ?? ''
  const noProxy = environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''
  const isProxied = (httpProxy !== '' || httpsProxy !== '') && !isLoopback(url.hostname)
  // Behind a proxy undici hands only some of these on, and none for an http upstream: its own timeouts would cut long answers.
  const factory = (target: string | URL, given: object) => new Pool(target, { ...options, ...given })
  const dispatcher = isProxied
    ? new EnvHttpProxyAgent({ ...options, factory, httpProxy, httpsProxy, noProxy })
    : new Pool(origin, options)
  return {
    origin,
    host,
    basePath: url.pathname.replace(/\/+$/, ''),
    dispatch(request, headers, handler) {
      // Behind a proxy undici makes an object of a flat array, and loses repeated names; of pairs it keeps them.
      dispatcher.dispatch({ ...request, origin, headers: isProxied ? pairsOf(headers) : headers }, handler)
    },
    destroy: () => dispatcher.destroy(),
  }
}

function* pairsOf(flat: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < flat.length; index += 2) yield [flat[index] ?? '', flat[index + 1] ?? '']
}
