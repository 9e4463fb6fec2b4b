import { cacheSumsTable } from '../../../shared/columns/cache.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { type Sentence, Sentences } from '../../components/sentences.tsx'
import { Table } from '../../components/table.tsx'
import { causeLabel } from '../../../shared/cache-causes.ts'
import { largestCause, rangeSentence } from '../../lib/cost-sentence.ts'
import { formatCost, formatShare, plural } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import { CacheRequests } from './cache-requests.tsx'
import type { CostsCardProps, CostsSearch } from './costs-search.ts'
import { inSpan, spanOf } from './queries.ts'

type CacheSummary = OperationOutput<'cache.summary'>

/** Cost of cache misses, by cause. Each cause opens the list of its requests. */
export function CacheCard({ search, onChange }: CostsCardProps) {
  const { project, cause } = search
  const query = useOperation('cache.summary', { project }, { moving: spanOf(search) })
  const { data } = query
  return (
    <Card title="Cache misses" note="input that was paid in full, though it could have been read from the cache">
      {loaded({ query, look: 'line' }, (data) => (
        <>
          <Sentences className="px-5 pb-4 text-body" sentences={missSentences(data, search)} />
          <Causes summary={data} cause={cause} onCause={(chosen) => onChange({ cause: chosen })} />
        </>
      ))}
      {data && cause !== undefined && <CacheRequests search={search} onChange={onChange} />}
    </Card>
  )
}

/** Says what the misses cost, and their largest cause that a person could change. Empty without a miss. */
function missSentences(summary: CacheSummary, search: CostsSearch): readonly Sentence[] {
  const { waste_usd: waste, cost_usd: cost, judged_cost_usd: judged, by_cause: causes } = summary
  const total = rangeSentence('Cache misses cost', waste, inSpan(search))
  if (total === null) return []
  const cause = largestCause(waste, causes)
  const to = { to: '/costs', search: { ...search, tab: 'why', cause: cause?.cause } } as const
  return [
    { text: total },
    {
      text: `That is ${formatShare(cost === 0 ? null : waste / cost)} of the ${formatCost(cost)} spent: for the rest, see Context.`,
      links: [['Context', { to: '/costs', search: { ...search, tab: 'context', cause: undefined } }]],
    },
    ...(cause === null ? [] : [{ text: cause.text, links: [[cause.happened, to]] } satisfies Sentence]),
    // What was imported without its requests cannot be judged.
    ...(formatCost(judged) === formatCost(cost)
      ? []
      : [{ text: `Only ${formatCost(judged)} of it could be checked for misses.` }]),
  ]
}

interface CausesProps {
  readonly summary: CacheSummary
  /** The cause whose requests are listed. */
  readonly cause: CostsSearch['cause']
  readonly onCause: (cause: CostsSearch['cause']) => void
}

function Causes({ summary, cause, onCause }: CausesProps) {
  const rows = summary.by_cause
    .filter((row) => row.missed_tokens > 0 || row.waste_usd > 0)
    .map((row) => ({
      ...row,
      name: row.cause,
      share: summary.waste_usd === 0 ? null : row.waste_usd / summary.waste_usd,
    }))
  const unknown = summary.requests - summary.judged
  if (rows.length === 0) return <p className="px-5 pb-4 text-small text-soft">{noMisses(summary)}</p>
  return (
    <>
      <Table
        columns={cacheSumsTable}
        rows={rows}
        keyOf={(row) => row.cause}
        isLink
        isSelected={(row) => row.cause === cause}
        cells={{
          name: (row) => (
            <button
              type="button"
              aria-expanded={row.cause === cause}
              onClick={() => onCause(row.cause === cause ? undefined : row.cause)}
              className="text-left font-medium after:absolute after:inset-0"
            >
              {causeLabel(row.cause)}
            </button>
          ),
        }}
      />
      {(unknown > 0 || summary.unpriced > 0) && (
        <p className="px-5 pb-4 text-meta text-faint">
          {[
            unknown > 0 ? `The cause of ${plural(unknown, 'request')} is unknown.` : '',
            summary.unpriced > 0 ? `${plural(summary.unpriced, 'request')} without a price: waste not counted.` : '',
          ]
            .filter((text) => text !== '')
            .join(' ')}
        </p>
      )}
    </>
  )
}

function noMisses({ requests, judged }: CacheSummary): string {
  if (requests === 0) return 'Cache misses appear after the first answer from the API.'
  if (judged === 0) return 'No misses can be found here: what these requests sent was not recorded.'
  if (requests < 2) return 'Misses appear from the second request of a session on.'
  return 'No cache misses in this range. Every request read all it could.'
}
