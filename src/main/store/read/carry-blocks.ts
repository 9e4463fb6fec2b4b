import { CHARGES } from '../../ledger/class-split.ts'
import { costsInSpan, type SpanRequest } from '../../ledger/carry-span.ts'
import type { CarryRange, CarrySums, PartialLine } from './carry.ts'
import type { Reader } from './reader.ts'

/** A block of a line with its cost in a range. */
export interface BlockCost extends CarrySums {
  readonly line: PartialLine
  /** The usage of the request in which it entered, and its position there. */
  readonly event_id: number
  readonly position: number
  readonly kind: string
  readonly tool: string | null
  readonly server: string | null
  readonly name: string | null
  readonly turn_id: number
  readonly bytes: number | null
  /** For this block alone, counted once. */
  readonly tokens: number
  readonly first: number
  /** Number of the last request that had it; null: to the end of the line. */
  readonly last: number | null
}

type BlockRow = Omit<BlockCost, keyof CarrySums | 'line'>

type CallRow = Readonly<
  Record<
    | 'event_id'
    | 'number'
    | 'sent_at'
    | 'kept'
    | 'read_end'
    | 'written_1h_end'
    | 'cached_end'
    | `${(typeof CHARGES)[number]}_${'tokens' | 'usd'}`,
    number
  >
>

const NONE: ReadonlySet<number> = new Set()

const CALL = `event_id, number, sent_at, kept, read_end, written_1h_end, cached_end,
  ${CHARGES.flatMap((name) => [`${name}_tokens`, `${name}_usd`]).join(', ')}`

/**
 * Returns the blocks that a line carried in the range, in the order in which they entered, each with its cost. Requests
 * with a usage in `without` cost nothing.
 */
export function blocksOfLine(
  reader: Reader,
  line: PartialLine,
  { since, until }: CarryRange,
  without: ReadonlySet<number> = NONE,
): BlockCost[] {
  const from = since === undefined ? Number.MIN_SAFE_INTEGER : Date.parse(since)
  const to = until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until)
  const edges = reader.get<{ first: number | null; last: number | null }>(
    `SELECT min(number) AS first, max(number) AS last FROM carry_calls WHERE line_id = ? AND sent_at >= ? AND sent_at < ?`,
    line.line_id,
    from,
    to,
  )
  if (edges === undefined || edges.first === null || edges.last === null) return []
  const calls = reader.all<CallRow>(
    `SELECT ${CALL} FROM carry_calls WHERE line_id = ? AND number BETWEEN ? AND ? ORDER BY number`,
    line.line_id,
    edges.first,
    edges.last,
  )
  const blocks = reader.all<BlockRow>(
    `SELECT c.event_id, c.position, c.bytes, c.tokens, c.first, c.last, g.kind, g.tool, g.server, g.name, turn.turn_id
     FROM carried c JOIN carry_groups g ON g.event_id = c.line_id AND g.number = c.group_number
     JOIN carry_groups turn ON turn.event_id = c.line_id AND turn.number = c.turn_number
     WHERE c.line_id = ? AND c.first <= ? AND (c.last IS NULL OR c.last >= ?) ORDER BY c.first, c.position`,
    line.line_id,
    edges.last,
    edges.first,
  )
  // If the clock was set back, some requests in between are outside the range.
  const isIn = (call: CallRow) => call.sent_at >= from && call.sent_at < to && !without.has(call.event_id)
  const requests = calls.map((call) => requestOf(call, isIn(call)))
  const costs = costsInSpan(requests, blocks)
  return blocks.flatMap((block, at) => {
    const cost = costs[at]
    return cost === undefined ? [] : [{ ...block, line, ...sumsOf(cost) }]
  })
}

const sumsOf = (cost: CarrySums): CarrySums => ({
  requests: cost.requests,
  read_tokens: cost.read_tokens,
  read_usd: cost.read_usd,
  written_tokens: cost.written_tokens,
  written_usd: cost.written_usd,
  uncached_tokens: cost.uncached_tokens,
  uncached_usd: cost.uncached_usd,
})

function requestOf(call: CallRow, isIn: boolean): SpanRequest {
  const rate = (name: (typeof CHARGES)[number]) => ({ tokens: call[`${name}_tokens`], usd: call[`${name}_usd`] })
  return {
    number: call.number,
    kept: call.kept,
    split: { read: call.read_end, written1h: call.written_1h_end, cached: call.cached_end },
    rates: {
      read: rate('read'),
      written_1h: rate('written_1h'),
      written_5m: rate('written_5m'),
      uncached: rate('uncached'),
    },
    isIn,
  }
}

/** Returns, by turn, the input of a line's requests in the range that no block accounts for. */
export function overheadOfLine(
  reader: Reader,
  { line_id: line }: PartialLine,
  { since, until }: CarryRange,
): { readonly turn_id: number; readonly requests: number; readonly tokens: number; readonly usd: number }[] {
  return reader.all(
    `SELECT q.turn_id, count(*) AS requests, total(call.rest_tokens) AS tokens, total(call.rest_usd) AS usd
     FROM carry_calls call JOIN cache_calls q ON q.id = call.event_id
     WHERE call.line_id = ? AND call.sent_at >= ? AND call.sent_at < ? AND call.rest_tokens > 0 GROUP BY 1`,
    line,
    since === undefined ? Number.MIN_SAFE_INTEGER : Date.parse(since),
    until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until),
  )
}

/** Returns the lines of a session. */
export const linesOfSession = (reader: Reader, session: string): PartialLine[] =>
  reader.all(
    `SELECT line.line_id, line.session_id, line.agent_id, NULL AS project FROM carry_lines line WHERE line.session_id = ?`,
    session,
  )

/** Finds the line of a request and its number there; undefined if its blocks are not known. */
export function placeOfRequest(
  reader: Reader,
  uuid: string,
): { readonly line_id: number; readonly number: number } | undefined {
  return reader.get(
    `SELECT call.line_id, call.number FROM cache_calls q JOIN carry_calls call ON call.event_id = q.id
     WHERE q.request_uuid = ? AND call.line_id IS NOT NULL LIMIT 1`,
    uuid,
  )
}

/** A request of a line: its uuid and when it was sent (ms since 1970). */
export interface LineRequest {
  readonly exchange: string | null
  readonly sent_at: number
}

/** Returns the request with a number in its line; without a number the last one. */
export function requestOfLine(reader: Reader, line: number, number: number | null): LineRequest | undefined {
  return reader.get(
    `SELECT q.request_uuid AS exchange, call.sent_at FROM carry_calls call JOIN cache_calls q ON q.id = call.event_id
     WHERE call.line_id = ? AND call.number <= ? ORDER BY call.number DESC LIMIT 1`,
    line,
    number ?? Number.MAX_SAFE_INTEGER,
  )
}
