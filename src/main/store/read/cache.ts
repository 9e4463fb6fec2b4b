import type { CacheCauseKind } from '../../../shared/cache-causes.ts'
import type { MissGroup } from '../../ledger/miss-sums.ts'
import { fromCursor } from '../../listings/cursor.ts'
import { toPage, where } from './page.ts'
import type { Reader } from './reader.ts'

export interface CacheRow {
  readonly id: number
  readonly request_uuid: string | null
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  readonly timestamp: string
  readonly model: string
  readonly could_read: number
  readonly read_tokens: number
  readonly missed_tokens: number
  readonly waste_usd: number | null
  readonly kind: CacheCauseKind
  readonly place: string | null
  readonly detail: string | null
  readonly vendor_type: string | null
  readonly vendor_tokens: number | null
}

interface Range {
  readonly since?: string
  readonly until?: string
  readonly project?: string
}

/** Returns requests with a cause, newest first. */
export function cacheMisses<Item>(
  reader: Reader,
  options: Range & {
    readonly session_id?: string
    readonly cause?: CacheCauseKind
    readonly limit: number
    readonly cursor?: string
  },
  toItem: (row: CacheRow) => Item,
): { items: Item[]; next: string | null } {
  const filter = inRange(options)
  filter.add('c.kind IS NOT NULL')
  if (options.session_id !== undefined) filter.add('c.session_id = ?', options.session_id)
  if (options.cause !== undefined) filter.add('aspy_in_time() AND c.kind = ?', options.cause)
  if (options.cursor !== undefined)
    filter.add('(c.timestamp, c.id) < (?, ?)', ...fromCursor(options.cursor, ['string', 'number']))
  const rows = reader.inTime<CacheRow>(
    `SELECT c.id, c.request_uuid, c.session_id, c.turn_id, c.agent_id, c.timestamp, c.model, c.could_read, c.read_tokens,
       c.missed_tokens, c.waste_usd, c.kind, c.place, c.detail, c.vendor_type, c.vendor_tokens
     FROM cache_calls c ${filter.sql} ORDER BY c.timestamp DESC, c.id DESC LIMIT ?`,
    ...filter.values,
    options.limit + 1,
  )
  return toPage(rows, options.limit, (row) => [row.timestamp, row.id], toItem, reader.budget)
}

/** The cause of a request, and the request before it in its line; undefined if the ledger does not hold it. */
export function cacheRowOf(
  reader: Reader,
  exchange: string,
): (Pick<CacheRow, 'place' | 'detail'> & { kind: CacheCauseKind | null; before: string | null }) | undefined {
  return reader.get(
    `SELECT c.kind, c.place, c.detail, coalesce((SELECT b.request_uuid FROM cache_calls b WHERE b.id = c.before_id),
       (SELECT b.request_uuid FROM cache_calls b WHERE b.session_id = c.session_id AND b.agent_id IS c.agent_id AND b.line = c.line
         AND b.id < c.id AND b.request_uuid IS NOT NULL AND (b.id < c.sent_id OR b.begun_at <= unixepoch(c.timestamp, 'subsec') * 1000)
       ORDER BY b.model = c.model DESC, b.id DESC LIMIT 1)) AS before
     FROM cache_calls c WHERE c.request_uuid = ? ORDER BY c.id DESC LIMIT 1`,
    exchange,
  )
}

/** Misses of one reason that the API named. */
interface ComparedGroup extends MissGroup {
  readonly vendor_type: string | null
}

/** Sums misses by all that the summary groups them by. */
export function missGroups(reader: Reader, range: Range): readonly ComparedGroup[] {
  const filter = inRange(range)
  filter.add('c.kind IS NOT NULL')
  return reader.all(
    `SELECT c.kind AS cause, c.vendor_type, s.project, date(c.timestamp, '-6 days', 'weekday 1') AS week, s.client_version,
       count(*) AS requests, sum(c.missed_tokens) AS missed_tokens, total(c.waste_usd) AS waste_usd
     FROM cache_calls c LEFT JOIN sessions s ON s.id = c.session_id ${filter.sql} GROUP BY 1, 2, 3, 4, 5`,
    ...filter.values,
  )
}

export interface CacheTotals {
  readonly requests: number
  readonly judged: number
  readonly cost_usd: number
  readonly judged_cost_usd: number
  readonly could_read: number
  readonly read: number
  readonly missed_tokens: number
  readonly waste_usd: number
  readonly unpriced: number
}

export function cacheTotals(reader: Reader, range: Range): CacheTotals | undefined {
  const filter = inRange(range)
  return reader.get<CacheTotals>(
    `SELECT count(*) AS requests, count(*) FILTER (WHERE c.kind IS NOT 'unknown') AS judged,
       total(c.cost_usd) AS cost_usd, total(c.cost_usd) FILTER (WHERE c.kind IS NOT 'unknown') AS judged_cost_usd,
       coalesce(sum(c.could_read), 0) AS could_read, coalesce(sum(c.read_tokens), 0) AS read,
       coalesce(sum(c.missed_tokens), 0) AS missed_tokens, total(c.waste_usd) AS waste_usd,
       count(*) FILTER (WHERE c.waste_usd IS NULL) AS unpriced
     FROM cache_calls c ${filter.sql}`,
    ...filter.values,
  )
}

function inRange({ since, until, project }: Range): ReturnType<typeof where> {
  const filter = where()
  // Always present: an index of times is read, not the whole table.
  filter.add('c.timestamp >= ?', since ?? '')
  if (until !== undefined) filter.add('c.timestamp < ?', until)
  if (project !== undefined) filter.add('(SELECT o.project FROM sessions o WHERE o.id = c.session_id) = ?', project)
  return filter
}
