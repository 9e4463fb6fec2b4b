import type { KnownFault } from '../known-fault.ts'

const PROXY = 'src/main/proxy'
const LIMITS = ['tests/integration/proxy/limits.test.ts']
const BYTES = ['tests/integration/proxy/bytes.test.ts']
const FAILURES = ['tests/integration/proxy/failures.test.ts']
const TAP = ['src/main/proxy/tap.test.ts']

/** Faults in what stands between a client and its API: proxy, tap, tunnel. */
export const FORWARDING_FAULTS: readonly KnownFault[] = [
  {
    name: 'body-timeout',
    file: `${PROXY}/upstream.ts`,
    from: 'bodyTimeout: 0,',
    to: 'bodyTimeout: 300_000,',
    tests: LIMITS,
  },
  {
    name: 'headers-timeout',
    file: `${PROXY}/upstream.ts`,
    from: 'headersTimeout: 0,',
    to: 'headersTimeout: 300_000,',
    tests: LIMITS,
  },
  {
    name: 'timeouts-behind-a-network-proxy',
    file: `${PROXY}/upstream.ts`,
    from: 'return new Pool(target, { ...options, ...given,',
    to: 'return new Pool(target, { ...given,',
    tests: LIMITS,
  },
  {
    name: 'request-timeout',
    file: `${PROXY}/proxy.ts`,
    from: 'requestTimeout: 0,',
    to: 'requestTimeout: 300_000,',
    tests: LIMITS,
  },
  {
    name: 'client-headers-timeout',
    file: `${PROXY}/proxy.ts`,
    from: 'server.headersTimeout = 0',
    to: 'server.headersTimeout = 60_000',
    tests: LIMITS,
  },
  {
    name: 'keep-alive-timeout',
    file: `${PROXY}/proxy.ts`,
    from: 'keepAliveTimeout: 0,',
    to: 'keepAliveTimeout: 5_000,',
    tests: LIMITS,
  },
  {
    name: 'long-heads-refused',
    file: `${PROXY}/proxy.ts`,
    from: 'maxHeaderSize: MAX_HEADER_BYTES, ',
    to: '',
    tests: LIMITS,
  },
  {
    name: 'full-mode-request-timeout',
    file: 'src/main/tunnel/intercepted-hosts.ts',
    from: 'keepAliveTimeout: 0, requestTimeout: 0 })',
    to: 'keepAliveTimeout: 0 })',
    tests: ['tests/integration/tunnel/intercepted.test.ts'],
  },
  {
    name: 'full-mode-headers-timeout',
    file: 'src/main/tunnel/intercepted-hosts.ts',
    from: 'this.#server.headersTimeout = 0',
    to: 'this.#server.headersTimeout = 60_000',
    tests: ['tests/integration/tunnel/intercepted.test.ts'],
  },
  {
    name: 'full-mode-long-heads-refused',
    file: 'src/main/tunnel/intercepted-hosts.ts',
    from: 'createServer({ maxHeaderSize: MAX_HEADER_BYTES, ',
    to: 'createServer({ ',
    tests: ['tests/integration/tunnel/intercepted.test.ts'],
  },
  {
    name: 'answer-buffered',
    file: `${PROXY}/forwarding.ts`,
    from: 'response.sendDate = false',
    to: 'response.sendDate = false\n    response.cork()',
    tests: ['tests/integration/proxy/at-once.test.ts'],
  },
  {
    name: 'head-waits-for-the-body',
    file: `${PROXY}/forwarding.ts`,
    from: 'response.write(NOTHING)',
    to: 'void NOTHING',
    tests: ['tests/integration/proxy/at-once.test.ts'],
  },
  {
    name: 'slow-client-not-waited-for',
    file: `${PROXY}/forwarding.ts`,
    from: 'controller.pause()\n      this.#response.once',
    to: 'this.#response.once',
    tests: ['tests/integration/proxy/pace.test.ts'],
  },
  {
    name: 'client-gone-upstream-continues',
    file: `${PROXY}/forwarding.ts`,
    from: "this.#controller?.abort(new Error('the client disconnected'))",
    to: 'void this.#controller',
    tests: FAILURES,
  },
  {
    name: 'web-pages-served',
    file: `${PROXY}/proxy.ts`,
    from: "if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {",
    to: "if (headers.origin !== undefined && headers['sec-fetch-site'] !== undefined) {",
    tests: FAILURES,
  },
  {
    name: 'any-host-served',
    file: `${PROXY}/proxy.ts`,
    from: 'if (!isAllowedHost(headers.host, port, allowedHosts)) {',
    to: 'if (headers.host === undefined) {',
    tests: FAILURES,
  },
  {
    name: 'repeated-headers-joined',
    file: `${PROXY}/upstream.ts`,
    from: 'headers: isProxied ? pairsOf(headers) : headers',
    to: 'headers: Object.fromEntries(pairsOf(headers))',
    tests: BYTES,
  },
  {
    name: 'connection-names-forwarded',
    file: `${PROXY}/forwarded-headers.ts`,
    from: ' || named?.has(key) === true) continue',
    to: ') continue',
    tests: BYTES,
  },
  {
    name: 'trailers-lost',
    file: `${PROXY}/forwarding.ts`,
    from: 'if (trailers.length > 0) this.#response.addTrailers',
    to: 'if (trailers.length > 1_000) this.#response.addTrailers',
    tests: BYTES,
  },
  {
    name: 'tap-memory-never-freed',
    file: `${PROXY}/tap.ts`,
    from: 'this.#heldBytes -= exchange.heldBytes',
    to: 'void exchange.heldBytes',
    tests: TAP,
  },
  {
    name: 'tap-unbounded',
    file: `${PROXY}/tap.ts`,
    from: "if (this.#heldBytes + cost > this.#maxQueueBytes) return this.#drop(exchange, 'queue_full')",
    to: '',
    tests: TAP,
  },
  {
    name: 'tap-drop-not-counted',
    file: `${PROXY}/tap.ts`,
    from: 'this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1',
    to: 'this.#dropped[reason] ??= 0',
    tests: TAP,
  },
  {
    name: 'tap-replays-nothing',
    file: `${PROXY}/tap.ts`,
    from: 'exchange.posted = 0\n      if (exchange.deliveries',
    to: 'if (exchange.deliveries',
    tests: TAP,
  },
  {
    name: 'poison-exchange-replayed-forever',
    file: `${PROXY}/tap.ts`,
    from: 'for (const exchange of whole) exchange.deliveries += 1',
    to: 'void whole',
    tests: TAP,
  },
]
