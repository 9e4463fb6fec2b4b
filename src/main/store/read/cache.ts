import type { CacheCauseKind } from '../../../shared/cache-causes.ts'
import type { MissGroup } from '../../ledger/miss-sums.ts'
import type { ParsedInput, OperationOutput } from '../../../shared/contract/index.ts'
import { CACHE_RANGE, MISSES, toMiss, type CacheRow } from '../../listings/cache.ts'
import type { Condition } from '../../listings/page-query.ts'
import { listPage, narrowed } from './list-page.ts'
import type { Reader } from './reader.ts'

type Range = Partial<ParsedInput<'cache.summary'>>

/** Returns requests with a cause, newest first. */
export const cacheMisses = (reader: Reader, input: ParsedInput<'cache.list'>) =>
  listPage(reader, MISSES, { ...input, ...begun(input) }, () => toMiss)

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

/** Misses for one of the API's reasons. */
interface ComparedGroup extends MissGroup {
  readonly vendor_type: string | null
}

/** Sums misses by all properties that the summary groups by. */
export function missGroups(reader: Reader, range: Range): readonly ComparedGroup[] {
  const filter = ofRange(range, ['c.kind IS NOT NULL'])
  return reader.all(
    `SELECT c.kind AS cause, c.vendor_type, s.project, date(c.timestamp, '-6 days', 'weekday 1') AS week, s.client_version,
       count(*) AS requests, sum(c.missed_tokens) AS missed_tokens, total(c.waste_usd) AS waste_usd
     FROM cache_calls c LEFT JOIN sessions s ON s.id = c.session_id ${filter.sql} GROUP BY 1, 2, 3, 4, 5`,
    ...filter.values,
  )
}

export type CacheTotals = Omit<OperationOutput<'cache.summary'>, 'vendor' | `by_${string}`>

export function cacheTotals(reader: Reader, range: Range): CacheTotals | undefined {
  const filter = ofRange(range)
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

const ofRange = (range: Range, ...conditions: readonly Condition[]) =>
  narrowed(CACHE_RANGE, { ...range, ...begun(range) }, conditions)

/** A range always has a start, so an index by time is read instead of the whole table. */
const begun = ({ since }: Range) => ({ since: since ?? '' })
