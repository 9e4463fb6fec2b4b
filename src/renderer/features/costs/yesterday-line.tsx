import { useQuery } from '@tanstack/react-query'
import { type Sentence, Sentences } from '../../components/sentences.tsx'
import { costSentence, largestCause, largestTool, wastefulSession } from '../../lib/cost-sentence.ts'
import { useOperation } from '../../lib/operation.ts'
import { onWeekday, USUAL_WEEKS } from '../../lib/usual.ts'
import { bucketBounds, costByDay } from './cost-buckets.ts'
import { COST_FILTERS, type CostsSearch } from './costs-search.ts'
import { boundsOf, costsZone, daysQuery } from './queries.ts'
import { toSession } from '../../lib/places.ts'

/** Misses of a day that are looked through for the session they belong to. */
const MOST_MISSES = 200

/** Says what yesterday cost, how that compares, what most of the avoidable part was, and where. Nothing without a cost. */
export function YesterdayLine({ search }: { readonly search: CostsSearch }) {
  const { data } = useQuery(daysQuery(USUAL_WEEKS * 7 + 1, COST_FILTERS.of(search)))
  const costs = costByDay(data?.items ?? [])
  // The last day is today.
  const day = (weeksBack: number) => data?.keys.at(-2 - 7 * weeksBack) ?? ''
  const spent = costs.get(day(0)) ?? 0
  const { from } = bucketBounds(day(0), 'day', costsZone())
  const sentence = costSentence(
    'Yesterday',
    spent,
    Array.from({ length: USUAL_WEEKS }, (_, week) => costs.get(day(week + 1)) ?? 0),
    onWeekday(from, costsZone()),
  )
  const span = sentence === null ? {} : { ...boundsOf(day(0)), project: search.project }
  const summary = useOperation('cache.summary', span, { enabled: sentence !== null })
  const causes = summary.data?.by_cause ?? []
  const kind = largestCause(spent, causes)?.cause
  const misses = useOperation(
    'cache.list',
    { ...span, cause: kind, limit: MOST_MISSES },
    { enabled: kind !== undefined },
  ).data
  const found = misses?.next === null ? wastefulSession(misses.items) : null
  const session = useOperation('sessions.get', { session_id: found?.id ?? '' }, { enabled: found !== null }).data
  const carried = useOperation('carry.list', { ...span, by: 'tool', limit: 2 }, { enabled: sentence !== null }).data
  if (sentence === null) return null
  const title = session?.title ?? ''
  const cause = largestCause(spent, causes, found === null || title === '' ? null : { ...found, title })
  const tool = largestTool(spent, carried?.items ?? [])
  const context = { ...search, tab: 'context', carry: 'tool', day: day(0) } as const
  const sessions = { when: 'yesterday', sort: 'cost', project: search.project } as const
  const why = { ...search, tab: 'why', cause: cause?.cause, day: day(0) } as const
  return (
    <Sentences
      sentences={[
        {
          text: sentence,
          links: [
            ['Yesterday', { to: '/sessions', search: sessions }],
            ['your usual', { to: '/costs', search: { ...search, tab: undefined, range: '90d' } }],
          ],
        },
        ...(tool !== null && tool.usd > (cause?.usd ?? 0)
          ? [{ text: tool.text, links: [[tool.noun, { to: '/costs', search: context }]] } satisfies Sentence]
          : []),
        ...(cause === null || (tool !== null && tool.usd > cause.usd)
          ? []
          : [
              {
                text: cause.text,
                links: [
                  [cause.happened, { to: '/costs', search: why }],
                  [title, toSession(found?.id ?? '', { tab: 'requests' })],
                ],
              } satisfies Sentence,
            ]),
      ]}
    />
  )
}
