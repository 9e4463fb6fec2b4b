import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { newestLimits } from '../../store/read/breakdowns.ts'
import { limitsByBucket } from '../../store/read/reconcile.ts'
import { given } from './given.ts'

const MAX_EVENTS = 20

export const limitsLatest: ReaderHandler<'limits.latest'> = (reader) => {
  const newestFirst = newestLimits(reader, MAX_EVENTS).map(({ ts_wall: at, payload }) => ({
    at,
    limits: (reader.payload(payload)['limits'] ?? {}) as { readonly [name: string]: unknown },
  }))
  const windows = (['5h', '7d'] as const).flatMap((name) => {
    const newest = newestFirst.find(({ limits }) => numberOf(limits[`unified-${name}-utilization`]) !== null)
    const utilization = numberOf(newest?.limits[`unified-${name}-utilization`])
    return newest === undefined || utilization === null
      ? []
      : [{ name, utilization, resets_at: momentOf(newest.limits[`unified-${name}-reset`]) }]
  })
  return { at: windows.length === 0 ? null : (newestFirst[0]?.at ?? null), windows }
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Parses a time of the API: seconds since 1970, or ISO 8601. */
function momentOf(value: unknown): string | null {
  const seconds = numberOf(value)
  const time = seconds === null ? Date.parse(String(value)) : seconds * 1000
  return Number.isFinite(time) ? new Date(time).toISOString() : null
}

const MAX_BUCKETS = 2000

export const limitsSeries: ReaderHandler<'limits.series'> = (reader, input) => {
  const rows = limitsByBucket(reader, { ...given(input), limit: MAX_BUCKETS + 1 })
  return { items: rows.slice(-MAX_BUCKETS), partial: rows.length > MAX_BUCKETS }
}
