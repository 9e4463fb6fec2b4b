import type { MessagesError } from './messages-error.ts'

/** Hints for people, by error code. */
const HINTS: { readonly [code: string]: string } = {
  ECONNREFUSED: 'Check the address ([proxy] upstream, --upstream) and that the service is running.',
  ENOTFOUND: 'The host name was not found: check the network, DNS and the address ([proxy] upstream, --upstream).',
  EAI_AGAIN: 'The host name could not be resolved: check the network and DNS.',
  ENETUNREACH: 'Check the network connection.',
  EHOSTUNREACH: 'Check the network connection.',
  ETIMEDOUT: 'Check the network, and HTTPS_PROXY if you are behind a proxy.',
  UND_ERR_CONNECT_TIMEOUT: 'Check the network, and HTTPS_PROXY if you are behind a proxy.',
  EMFILE: 'Too many files are open: try again, or raise the limit (ulimit -n).',
  ENFILE: 'Too many files are open on this machine: close some programs and try again.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Name your own certificate authority in NODE_EXTRA_CA_CERTS.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Name the certificate in NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Name your own certificate authority in NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Name your own certificate authority in NODE_EXTRA_CA_CERTS.',
  CERT_HAS_EXPIRED: 'Its certificate has expired: check the clock of this machine, then who answers at this address.',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet: check the clock of this machine.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host: something else answers at this address.',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'It does not offer HTTP/1.1, the only version that Aspy speaks.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'It does not speak TLS: check the address ([proxy] upstream, --upstream).',
}

/** Hints for the answers of a network's proxy. */
const PROXY_HINTS: readonly (readonly [said: RegExp, hint: string])[] = [
  [/^Proxy response \(407\)/, "The network's proxy wants a login: put its user name and password into HTTPS_PROXY."],
  [/^Proxy response /, "The network's proxy refused to connect to it: ask who runs the proxy, or check HTTPS_PROXY."],
  [/^Proxy Connection failed/, "The network's proxy closed the connection: check HTTPS_PROXY."],
  [/^Headers Timeout Error/, "The network's proxy did not answer in time: check HTTPS_PROXY."],
]

const ANY_HINT = 'Check the network, the address ([proxy] upstream, --upstream) and HTTPS_PROXY.'

/** Faults of a certificate, a protocol or a login, which would recur at every attempt. */
const LASTING = /CERT|SIGNATURE|APPLICATION_PROTOCOL|WRONG_VERSION|^Proxy response \(40[37]\)/

/** Creates the 502 for an upstream that could not be reached or that disconnected before it responded. */
export function upstreamFailure(origin: string, error: Error, wasConnected: boolean): MessagesError {
  const code = codeOf(error)
  // OpenSSL adds a place in its source and a line break.
  const said = error.message.replace(/^.*:SSL routines:[^:]*:([^:\n]*):[\s\S]*$/, '$1').trim()
  const what = code === null ? said : `${code}${said === '' ? '' : `: ${said}`}`
  if (wasConnected) {
    const message = `Aspy reached ${origin}, but the connection closed before a response arrived (${what}). Try again.`
    return { status: 502, type: 'api_error', message }
  }
  const hint = HINTS[code ?? ''] ?? PROXY_HINTS.find(([pattern]) => pattern.test(said))?.[1] ?? ANY_HINT
  const message = `Aspy could not reach ${origin} (${what}). ${hint}`
  const isLasting = LASTING.test(code ?? '') || LASTING.test(said)
  return { status: 502, type: 'api_error', message, ...(isLasting ? { isLasting } : {}) }
}

function codeOf(error: Error): string | null {
  // All addresses failed: report the first error.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : null
}
