import { betasOf } from '../../decode/wire/betas.ts'
import type { ContextPoint } from './session-usage.ts'
import type { Reader } from './reader.ts'

/** A session sends the same betas with each request, except in side calls, so only this many of the newest are read. */
const REQUESTS_READ = 5
/** The largest window there is: a context that exceeds the table's window was sent with this one. */
const LARGEST_WINDOW = 1_000_000
/** A client that compacts on its own below this share of a window has set itself a smaller one. */
const FULL_ENOUGH = 0.5

/**
 * Adds to each point the context window of its call: that of the model, of the beta, or one large enough for the
 * context; null if the client compacted on its own long before it was full.
 */
export function withWindows(
  reader: Reader,
  sessionId: string,
  points: readonly ContextPoint[],
): (ContextPoint & { readonly context_window: number | null })[] {
  const betas = points.length === 0 ? [] : betasOfSession(reader, sessionId)
  // One session has one window per model: a call below the limit had the same room as the one that exceeded it.
  const largest = new Map<string, number>()
  for (const { model, context_tokens: tokens } of points) largest.set(model, Math.max(tokens, largest.get(model) ?? 0))
  const compacted = leastCompacted(reader, sessionId)
  return points.map((point) => {
    const window = reader.pricing.contextWindow(point.model, point.timestamp, betas)
    if (window !== null && compacted < window * FULL_ENOUGH) return { ...point, context_window: null }
    const exceeds = window !== null && (largest.get(point.model) ?? 0) > window
    return { ...point, context_window: exceeds ? Math.max(LARGEST_WINDOW, point.context_tokens) : window }
  })
}

function betasOfSession(reader: Reader, sessionId: string): readonly string[] {
  const rows = reader.all<{ readonly payload: string }>(
    `SELECT payload FROM events WHERE kind = 'model_request' AND session_id = ? ORDER BY id DESC LIMIT ${REQUESTS_READ}`,
    sessionId,
  )
  return rows.flatMap(({ payload }) => {
    const { headers } = reader.payload(payload)
    return Array.isArray(headers) ? betasOf(headers as readonly (readonly [string, string])[]) : []
  })
}

/** Returns the fewest tokens at which the client compacted on its own. */
function leastCompacted(reader: Reader, sessionId: string): number {
  const rows = reader.all<{ readonly payload: string; readonly tokens: number }>(
    `SELECT e.payload, c.tokens_before AS tokens FROM compactions c JOIN events e ON e.id = c.id
     WHERE c.session_id = ? AND c.tokens_before IS NOT NULL AND e.agent_id IS NULL`,
    sessionId,
  )
  return Math.min(
    ...rows.flatMap(({ payload, tokens }) => (reader.payload(payload)['trigger'] === 'auto' ? [tokens] : [])),
  )
}
