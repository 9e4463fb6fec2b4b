import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'
import { currency, sinceStartOf } from '../../lib/operation.ts'
import { history } from '../../lib/history.ts'
import { inRange, offsetSegments, type Range, rangeStart, startOfDay, viewerZone } from '../../lib/time-range.ts'
import type { Filtered } from '../../lib/filters.ts'
import { bucketLabel } from './bucket-label.ts'
import { bucketBounds, type BucketUnit, bucketKeys, type CostItem } from './cost-buckets.ts'
import { type COST_FILTERS, COSTS_PRESET, type CostsSearch } from './costs-search.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

/** The user's selection of costs. */
type Chosen = Filtered<typeof COST_FILTERS>

const MONTHS_FROM_DAYS = 120

/** The zone whose days costs are by: the viewer's, but UTC for those of a team, which are kept by day. */
export const costsZone = (): string => (history === 'team' ? 'UTC' : viewerZone())

export interface Costs {
  readonly items: readonly CostItem[]
  readonly keys: readonly string[]
  readonly unit: BucketUnit
}

/** The day or the range of a search, as moving fields of an operation's input. */
export const spanOf = ({ day, range = COSTS_PRESET }: CostsSearch) =>
  day === undefined ? sinceStartOf(range) : { of: day, fields: () => boundsOf(day) }

/** Says when the span of a search was, at the end of a sentence. */
export const inSpan = ({ day, range = COSTS_PRESET }: CostsSearch): string =>
  day === undefined ? inRange(range) : `on ${bucketLabel(day, 'day', true)}`

/** Returns where a day of costs begins and ends. */
export function boundsOf(day: string): { readonly since: string; readonly until: string } {
  const { from, to } = bucketBounds(day, 'day', costsZone())
  return { since: new Date(from).toISOString(), until: new Date(to).toISOString() }
}

/** Costs of a range by day. Sends one request for each UTC offset in the range. */
export function costsQuery(range: Range, chosen: Chosen) {
  return queryOptions({
    queryKey: ['costs.series', range, chosen],
    queryFn: ({ signal }) => fetchCosts(range, chosen, signal),
    ...currency('costs.series'),
  })
}

/** Costs of the previous period of the same length, up to the same point. All time has no previous period. */
export function costsBeforeQuery(range: Range, chosen: Chosen) {
  return queryOptions({
    queryKey: ['costs.series', 'before', range, chosen],
    queryFn: ({ signal }) => fetchCostsBefore(range, chosen, signal),
    enabled: range !== 'all',
    staleTime: 60_000,
  })
}

/** Costs of the last days, today among them. */
export function daysQuery(days: number, chosen: Chosen) {
  return queryOptions({
    queryKey: ['costs.series', 'days', days, chosen],
    queryFn({ signal }) {
      const now = Date.now()
      return fetchSpan({ start: startOfDay(now, costsZone(), days), end: now, unit: 'day', chosen, signal })
    },
    staleTime: 60_000,
  })
}

async function fetchCosts(range: Range, chosen: Chosen, signal: AbortSignal): Promise<Costs> {
  const zone = costsZone()
  const now = Date.now()
  const start = rangeStart(range, now, zone) ?? (await firstSession(signal))
  if (start === null) return { items: [], keys: [], unit: 'day' }
  return fetchSpan({ start, end: now + 60_000, unit: unitOf(range, start, now), chosen, signal })
}

const unitOf = (range: Range, start: number, now: number): BucketUnit =>
  range === '24h' && history !== 'team' ? 'hour' : now - start > MONTHS_FROM_DAYS * DAY_MS ? 'month' : 'day'

async function fetchCostsBefore(range: Range, chosen: Chosen, signal: AbortSignal): Promise<Costs> {
  const zone = costsZone()
  const now = Date.now()
  const start = rangeStart(range, now, zone)
  if (start === null) return { items: [], keys: [], unit: 'day' }
  const days = Math.round((startOfDay(now, zone) - startOfDay(start, zone)) / DAY_MS) + 1
  const unit = unitOf(range, start, now)
  const from = range === '24h' ? start - DAY_MS : startOfDay(start, zone, days)
  const costs = await fetchSpan({ start: from, end: now - (start - from), unit, chosen, signal })
  return { ...costs, keys: bucketKeys(from, start, unit, zone) }
}

interface CostSpan {
  readonly start: number
  readonly end: number
  readonly unit: BucketUnit
  readonly chosen: Chosen
  readonly signal: AbortSignal
}

async function fetchSpan({ start, end, unit, chosen, signal }: CostSpan): Promise<Costs> {
  const zone = costsZone()
  const answers = await Promise.all(
    offsetSegments(start, end, zone).map((segment) =>
      call(
        'costs.series',
        {
          since: new Date(segment.since).toISOString(),
          until: new Date(segment.until).toISOString(),
          bucket: unit,
          utc_offset_minutes: segment.offsetMinutes,
          ...chosen,
        },
        signal,
      ),
    ),
  )
  return { items: answers.flatMap((answer) => answer.items), keys: bucketKeys(start, end - 60_000, unit, zone), unit }
}

async function firstSession(signal: AbortSignal): Promise<number | null> {
  const { first_session: first } = await call('stats.summary', {}, signal)
  return first === null ? null : Date.parse(first)
}
