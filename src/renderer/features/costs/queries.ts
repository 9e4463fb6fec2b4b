import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'
import { offsetSegments, type Range, rangeStart, viewerZone } from '../../lib/time-range.ts'
import { type BucketUnit, bucketKeys, type CostItem } from './cost-buckets.ts'

const DAY_MS = 86_400_000
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

/** Cost by project and session, and cache savings. */
export function breakdownQuery(range: Range, project: string | undefined) {
  return queryOptions({
    queryKey: ['costs.breakdown', range, project],
    queryFn: ({ signal }) => {
      const since = rangeStart(range, Date.now(), viewerZone())
      return call(
        'costs.breakdown',
        {
          limit: 15,
          ...(since === null ? {} : { since: new Date(since).toISOString() }),
          ...(project === undefined ? {} : { project }),
        },
        signal,
      )
    },
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
}

export const limitsQuery = queryOptions({
  queryKey: ['limits.latest'],
  queryFn: ({ signal }) => call('limits.latest', {}, signal),
  refetchInterval: 60_000,
})

async function fetchCosts(range: Range, project: string | undefined, signal: AbortSignal): Promise<Costs> {
  const zone = viewerZone()
  const now = Date.now()
  const start = rangeStart(range, now, zone) ?? (await firstSession(signal))
  if (start === null) return { items: [], keys: [], unit: 'day' }
  const unit = range === '24h' ? 'hour' : now - start > MONTHS_FROM_DAYS * DAY_MS ? 'month' : 'day'
  const answers = await Promise.all(
    offsetSegments(start, now + 60_000, zone).map((segment) =>
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
  return { items: answers.flatMap((answer) => answer.items), keys: bucketKeys(start, now, unit, zone), unit }
}

async function firstSession(signal: AbortSignal): Promise<number | null> {
  const { first_session: first } = await call('stats.summary', {}, signal)
  return first === null ? null : Date.parse(first)
}
