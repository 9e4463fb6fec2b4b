import type { Json, JsonObject } from '../../../../shared/event.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import { filledString, isObject, numberOf } from '../../../../shared/json-fields.ts'

/** Headers such as `x-codex-primary-used-percent`; a further limit has its name in front: `x-codex-other-primary-…`. */
const HEADER = /^x-codex-((?:[a-z0-9-]{1,40}-)?)(primary|secondary)-(used-percent|window-minutes|reset-at)$/
const API_HEADER = /^x-ratelimit-(limit|remaining)-(requests|tokens)$/

interface Window {
  used?: number
  minutes?: number
  resetAt?: number
}

/**
 * Returns the account's limits in the form that every client's limits have: `unified-<window>-utilization` (0 to 1) and
 * `unified-<window>-reset` (seconds since 1970). The window's name ends in `_codex`, so that it differs from any other
 * vendor's.
 */
export function limitsOfHeaders(headers: RawHeaders): JsonObject {
  const windows = new Map<string, Window>()
  const limits: { [name: string]: Json } = {}
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    const number = /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : null
    const api = API_HEADER.exec(lower)
    if (api !== null && number !== null) limits[`${api[2]}-${api[1]}`] = number
    const [, prefix = '', which, field] = HEADER.exec(lower) ?? []
    if (which === undefined || number === null) continue
    const window = windows.get(prefix + which) ?? {}
    if (field === 'used-percent') window.used = number
    else if (field === 'window-minutes') window.minutes = number
    else window.resetAt = number
    windows.set(prefix + which, window)
  }
  for (const [name, window] of windows)
    Object.assign(limits, windowLimits(window, name.replace(/-?(?:primary|secondary)$/, '')))
  return limits
}

/**
 * Returns the limits of the event `codex.rate_limits`, or of a rollout's `token_count`: the same windows as JSON. A
 * rollout says `resets_at`, and names the limit in `limit_id`: `codex` is the account's.
 */
export function limitsOfEvent(limits: JsonObject): JsonObject {
  const found: { [name: string]: Json } = {}
  const prefix = (filledString(limits['limit_id']) ?? '').replace(/^codex_?/, '')
  for (const which of ['primary', 'secondary']) {
    const window = limits[which]
    if (!isObject(window)) continue
    const read = (name: string) => numberOf(window[name]) ?? undefined
    const [used, minutes] = [read('used_percent'), read('window_minutes')]
    const resetAt = read('reset_at') ?? read('resets_at')
    Object.assign(
      found,
      windowLimits(
        {
          ...(used === undefined ? {} : { used }),
          ...(minutes === undefined ? {} : { minutes }),
          ...(resetAt === undefined ? {} : { resetAt }),
        },
        prefix,
      ),
    )
  }
  return found
}

function windowLimits({ used, minutes, resetAt }: Window, prefix: string): JsonObject {
  if (used === undefined || minutes === undefined || minutes <= 0) return {}
  const length = minutes % 1440 === 0 ? `${minutes / 1440}d` : `${Math.round(minutes / 60)}h`
  const name = [length, 'codex', ...(prefix === '' ? [] : [prefix.replace(/-/g, '_')])].join('_')
  return {
    [`unified-${name}-utilization`]: used / 100,
    ...(resetAt === undefined ? {} : { [`unified-${name}-reset`]: resetAt }),
  }
}
