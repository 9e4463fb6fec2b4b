import type { RawHeaders } from '../proxy/protocol/tap-protocol.ts'

/**
 * The headers that are kept, of requests and responses: what tells of client, protocol, limits and timing. Everything
 * else is left out, above all authorization, x-api-key, cookie, set-cookie, proxy-* and the organization's id.
 */
const KEPT = new Set([
  'accept',
  'accept-encoding',
  'anthropic-beta',
  'anthropic-version',
  'cf-ray',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'request-id',
  'retry-after',
  'server',
  'server-timing',
  'transfer-encoding',
  'user-agent',
  'via',
  'x-app',
  'x-claude-code-agent-id',
  'x-claude-code-parent-agent-id',
  'x-claude-code-session-id',
  'x-envoy-upstream-service-time',
  'x-request-id',
  'x-should-retry',
])
const KEPT_PREFIXES = ['anthropic-ratelimit-', 'anthropic-fast-', 'x-stainless-']

/** Whether a header may be stored; names are compared without case. */
export function isKeptHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return KEPT.has(lower) || KEPT_PREFIXES.some((prefix) => lower.startsWith(prefix))
}

/** Only the kept headers, in their order, values passed through `redact`. */
export function keptHeaders(headers: RawHeaders, redact: (text: string) => string): RawHeaders {
  return headers.flatMap(([name, value]) => (isKeptHeader(name) ? [[name, redact(value)] as const] : []))
}
