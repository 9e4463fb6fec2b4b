import type { Json, JsonObject } from '../../../../shared/event.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'

const LIMIT_PREFIX = 'anthropic-ratelimit-'

/** Returns the account's limits in a response's headers: names without their prefix, numbers as numbers. */
export function limitsOf(headers: RawHeaders): JsonObject {
  const limits: { [name: string]: Json } = {}
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (!lower.startsWith(LIMIT_PREFIX)) continue
    limits[lower.slice(LIMIT_PREFIX.length)] = /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  }
  return limits
}
