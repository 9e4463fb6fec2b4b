import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { CACHE_CAUSES } from '../../../shared/cache-causes.ts'
import { call } from '../../lib/client.ts'
import { offsetSegments, type Range, rangeStart, startOfDay, viewerZone } from '../../lib/time-range.ts'
import type { CarryBy } from './costs-search.ts'
import { type BucketUnit, bucketKeys, type CostItem } from './cost-buckets.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

const MONTHS_FROM_DAYS = 120

export interface Costs {
  readonly items: readonly CostItem[]
  readonly keys: readonly string[]
  readonly unit: BucketUnit
}

/** Costs of a range in the viewer's days. Sends one request for each UTC offset in the range. */
export function costsQuery(range: Range, project: string | undefined) {
  return queryOptions({
    queryKey: ['costs.series', range, project],
    queryFn: ({ signal }) => fetchCosts(range, project, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
}

/** Costs of the period before a range: as long, and up to the same point. Nothing comes before all time. */
export function costsBeforeQuery(range: Range, project: string | undefined) {
  return queryOptions({
    queryKey: ['costs.series', 'before', range, project],
    queryFn: ({ signal }) => fetchCostsBefore(range, project, signal),
    enabled: range !== 'all',
    staleTime: 60_000,
  })
}

/** Cost by project and session, and cache savings. */
export function breakdownQuery(range: Range, project: string | undefined) {
  return queryOptions({
    queryKey: ['costs.breakdown', range, project],
    queryFn: ({ signal }) => call('costs.breakdown', { limit: 15, ...scopeOf(range, project) }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
}

/** What cache misses cost in a range, by cause. */
export function cacheSummaryQuery(range: Range, project: string | undefined) {
  return queryOptions({
    queryKey: ['cache.summary', range, project],
    queryFn: ({ signal }) => call('cache.summary', scopeOf(range, project), signal),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
}

/** What the context of requests cost in a range, by group. */
export function carryQuery(by: CarryBy, range: Range, project: string | undefined) {
  return queryOptions({
    queryKey: ['carry.list', by, range, project],
    queryFn: ({ signal }) => call('carry.list', { by, limit: 12, ...scopeOf(range, project) }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
}

/** Requests that missed the cache for one cause, newest first. */
export function cacheMissesQuery(cause: string, range: Range, project: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['cache.list', cause, range, project],
    queryFn: ({ signal, pageParam }) => {
      const known = CACHE_CAUSES.find((kind) => kind === cause)
      if (known === undefined) return { items: [], next: null }
      const page = pageParam === null ? {} : { cursor: pageParam }
      return call('cache.list', { cause: known, limit: 20, ...scopeOf(range, project), ...page }, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
}

function scopeOf(range: Range, project: string | undefined): { readonly since?: string; readonly project?: string } {
  const since = rangeStart(range, Date.now(), viewerZone())
  return {
    ...(since === null ? {} : { since: new Date(since).toISOString() }),
    ...(project === undefined ? {} : { project }),
  }
}

/** Use of each limit, by whom, with its curve and forecast. */
export const limitsQuery = queryOptions({
  queryKey: ['limits.now'],
  queryFn: ({ signal }) => call('limits.now', {}, signal),
  refetchInterval: 60_000,
})

/** Spending of this month, its forecast and the month before. */
export function spendingQuery(project: string | undefined) {
  return queryOptions({
    queryKey: ['budgets.forecast', project],
    queryFn: ({ signal }) => call('budgets.forecast', project === undefined ? {} : { project }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

/** Answers that were served otherwise than asked or before. */
export function servedQuery(range: Range) {
  const { since } = scopeOf(range, undefined)
  return queryOptions({
    queryKey: ['served.list', range],
    queryFn: ({ signal }) => call('served.list', { limit: 20, since: since ?? '1970-01-01' }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

async function fetchCosts(range: Range, project: string | undefined, signal: AbortSignal): Promise<Costs> {
  const zone = viewerZone()
  const now = Date.now()
  const start = rangeStart(range, now, zone) ?? (await firstSession(signal))
  if (start === null) return { items: [], keys: [], unit: 'day' }
  return fetchSpan({ start, end: now + 60_000, unit: unitOf(range, start, now), project, signal })
}

function unitOf(range: Range, start: number, now: number): BucketUnit {
  return range === '24h' ? 'hour' : now - start > MONTHS_FROM_DAYS * DAY_MS ? 'month' : 'day'
}

async function fetchCostsBefore(range: Range, project: string | undefined, signal: AbortSignal): Promise<Costs> {
  const zone = viewerZone()
  const now = Date.now()
  const start = rangeStart(range, now, zone)
  if (start === null) return { items: [], keys: [], unit: 'day' }
  const days = Math.round((startOfDay(now, zone) - startOfDay(start, zone)) / DAY_MS) + 1
  const unit = unitOf(range, start, now)
  const from = range === '24h' ? start - DAY_MS : startOfDay(start, zone, days)
  const costs = await fetchSpan({ start: from, end: now - (start - from), unit, project, signal })
  return { ...costs, keys: bucketKeys(from, start, unit, zone) }
}

interface CostSpan {
  readonly start: number
  readonly end: number
  readonly unit: BucketUnit
  readonly project: string | undefined
  readonly signal: AbortSignal
}

async function fetchSpan({ start, end, unit, project, signal }: CostSpan): Promise<Costs> {
  const zone = viewerZone()
  const answers = await Promise.all(
    offsetSegments(start, end, zone).map((segment) =>
      call(
        'costs.series',
        {
          since: new Date(segment.since).toISOString(),
          until: new Date(segment.until).toISOString(),
          bucket: unit,
          utc_offset_minutes: segment.offsetMinutes,
          ...(project === undefined ? {} : { project }),
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
