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
}

/** Creates the 502 for an upstream that could not be reached or that disconnected before it responded. */
export function upstreamFailure(origin: string, error: Error, wasConnected: boolean): MessagesError {
  const code = codeOf(error)
  const what = code === null ? error.message : `${code}${error.message === '' ? '' : `: ${error.message}`}`
  const message = wasConnected
    ? `Aspy reached ${origin}, but the connection closed before a response arrived (${what}). Try again.`
    : `Aspy could not reach ${origin} (${what}). ${HINTS[code ?? ''] ?? 'Check the network, the address ([proxy] upstream, --upstream) and HTTPS_PROXY.'}`
  return { status: 502, type: 'api_error', message }
}

function codeOf(error: Error): string | null {
  // All addresses failed: report the first error.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : null
}
