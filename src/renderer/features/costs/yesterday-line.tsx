import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../../components/copy-button.tsx'
import { useOperation } from '../../lib/operation.ts'
import { viewerZone } from '../../lib/time-range.ts'
import { bucketBounds } from './cost-buckets.ts'
import { COST_FILTERS, type CostsSearch } from './costs-search.ts'
import { daysQuery } from './queries.ts'
import { costByDay, daySentence, largestCause, WEEKS } from './yesterday.ts'

/** Says what yesterday cost, how that compares, and what most of the avoidable part was. Nothing if it cost nothing. */
export function YesterdayLine({ search }: { readonly search: CostsSearch }) {
  const { data } = useQuery(daysQuery(WEEKS * 7 + 1, COST_FILTERS.of(search)))
  const costs = costByDay(data?.items ?? [])
  // The last day is today.
  const day = (weeksBack: number) => data?.keys.at(-2 - 7 * weeksBack) ?? ''
  const spent = costs.get(day(0)) ?? 0
  const sentence = daySentence(
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
  const cause = summary.data === undefined ? null : largestCause(spent, summary.data)
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-body">
      <Link
        to="/sessions"
        search={{ when: 'yesterday', sort: 'cost', project: search.project }}
        className="hover:underline"
      >
        {sentence}
      </Link>
      {cause !== null && (
        <Link to="/costs" search={{ ...search, tab: 'why', cause: cause.cause }} className="hover:underline">
          {cause.text}
        </Link>
      )}
      <CopyButton
        name="Copy this sentence"
        text={[sentence, cause?.text ?? ''].join(' ').trim()}
        notice="Copied the sentence"
      />
    </p>
  )
}
