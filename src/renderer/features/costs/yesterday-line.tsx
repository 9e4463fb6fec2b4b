import { useQuery } from '@tanstack/react-query'
import { Sentences } from '../../components/sentences.tsx'
import { costSentence, largestCause } from '../../lib/cost-sentence.ts'
import { useOperation } from '../../lib/operation.ts'
import { viewerZone } from '../../lib/time-range.ts'
import { bucketBounds, costByDay } from './cost-buckets.ts'
import { COST_FILTERS, type CostsSearch } from './costs-search.ts'
import { daysQuery } from './queries.ts'

/** Weeks whose same weekday yesterday is compared with. */
const WEEKS = 8

/** Says what yesterday cost, how that compares, and what most of the avoidable part was. Nothing if it cost nothing. */
export function YesterdayLine({ search }: { readonly search: CostsSearch }) {
  const { data } = useQuery(daysQuery(WEEKS * 7 + 1, COST_FILTERS.of(search)))
  const costs = costByDay(data?.items ?? [])
  // The last day is today.
  const day = (weeksBack: number) => data?.keys.at(-2 - 7 * weeksBack) ?? ''
  const spent = costs.get(day(0)) ?? 0
  const sentence = costSentence(
    'Yesterday',
    spent,
    Array.from({ length: WEEKS }, (_, week) => costs.get(day(week + 1)) ?? 0),
  )
  const { from, to } = bucketBounds(day(0), 'day', viewerZone())
  const summary = useOperation(
    'cache.summary',
    sentence === null
      ? {}
      : { since: new Date(from).toISOString(), until: new Date(to - 1).toISOString(), project: search.project },
    { enabled: sentence !== null },
  )
  if (sentence === null) return null
  const cause = summary.data === undefined ? null : largestCause(spent, summary.data.by_cause)
  const sessions = { when: 'yesterday', sort: 'cost', project: search.project } as const
  const why = { ...search, tab: 'why', cause: cause?.cause } as const
  return (
    <Sentences
      sentences={[
        { text: sentence, to: { to: '/sessions', search: sessions } },
        ...(cause === null ? [] : [{ text: cause.text, to: { to: '/costs', search: why } as const }]),
      ]}
    />
  )
}
