import { viewerDate } from '../../lib/viewer-locale.ts'
import type { BucketUnit } from './cost-buckets.ts'

/** Formats a bucket for people. Buckets are already in the viewer's zone, so the date is read as UTC. */
export function bucketLabel(bucket: string, unit: BucketUnit, long = false): string {
  const day = unit === 'month' ? `${bucket}-01` : bucket.slice(0, 10)
  const date = new Date(`${day}T${unit === 'hour' ? bucket.slice(11, 13) : '00'}:00:00Z`)
  return viewerDate(date, { ...partsOf(unit, long), timeZone: 'UTC' })
}

function partsOf(unit: BucketUnit, long: boolean): Intl.DateTimeFormatOptions {
  if (unit === 'month') return { month: long ? 'long' : 'short', year: 'numeric' }
  if (unit === 'day') return { day: 'numeric', month: 'short', ...(long ? { weekday: 'long' } : {}) }
  const clock = { hour: 'numeric', minute: '2-digit' } as const
  return long ? { day: 'numeric', month: 'short', ...clock } : clock
}
