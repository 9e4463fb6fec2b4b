import { listed } from './listed.ts'
import type { RawHeaders } from '../proxy/protocol/tap-protocol.ts'

/**
 * Request and response headers that may be stored: client, protocol, limits and timing. Everything else is dropped, above all
 * authorization, x-api-key, cookie, set-cookie, proxy-* and the organization's id.
 */
const ALLOWED = new Set(
  listed(
    'accept|accept-encoding|anthropic-beta|anthropic-version|cf-ray|content-encoding|content-length|' +
      'content-type|date|openai-beta|openai-model|openai-processing-ms|openai-version|originator|request-id|' +
      'sec-websocket-extensions|sec-websocket-version|session-id|thread-id|upgrade|version|retry-after|server|' +
      'server-timing|transfer-encoding|user-agent|via|x-app|x-claude-code-agent-id|x-claude-code-parent-agent-id|' +
      'x-claude-code-session-id|x-envoy-upstream-service-time|x-request-id|x-should-retry',
  ),
)
const ALLOWED_PREFIXES = ['anthropic-ratelimit-', 'anthropic-fast-', 'x-codex-', 'x-ratelimit-', 'x-stainless-']

/** Checks whether a header may be stored; case-insensitive. */
export function isAllowedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return ALLOWED.has(lower) || ALLOWED_PREFIXES.some((prefix) => lower.startsWith(prefix))
}

/** Returns the allowed headers in order, their values passed through `redact`. */
export const allowedHeaders = (headers: RawHeaders, redact: (text: string) => string): RawHeaders =>
  headers.flatMap(([name, value]) => (isAllowedHeader(name) ? [[name, redact(value)] as const] : []))
