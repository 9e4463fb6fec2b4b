import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CircleDollarSign } from 'lucide-react'
import { useMemo } from 'react'
import { Card, Page, PageBody, Stat, StatRow } from '../../components/page.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { Empty, Failed, LoadingRows } from '../../components/states.tsx'
import { formatCost, formatCount, formatShare, plural } from '../../lib/format.ts'
import { RANGE_WORDS } from '../../lib/time-range.ts'
import { costByModel, costColumns, costTotals } from './cost-buckets.ts'
import { CostChart } from './cost-chart.tsx'
import { COSTS_PRESET } from './costs-search.ts'
import { ModelTable } from './model-table.tsx'
import { costsQuery } from './queries.ts'

const route = getRouteApi('/costs')

/** What it cost, by model and day, and how sure that is. */
export function CostsPage(): ReactNode {
  const range = route.useSearch().range ?? COSTS_PRESET
  const navigate = route.useNavigate()
  const { data, error, refetch, isPlaceholderData } = useQuery(costsQuery(range))
  const models = useMemo(() => costByModel(data?.items ?? []), [data])
  const columns = useMemo(() => costColumns(data?.items ?? [], data?.keys ?? [], data?.unit ?? 'day'), [data])
  const totals = costTotals(data?.items ?? [])
  const inputSide = totals.input + totals.cacheRead + totals.cacheCreation
  return (
    <Page
      title="Costs"
      actions={<RangePicker value={range} onChange={(next) => void navigate({ search: { range: next } })} />}
    >
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <LoadingRows rows={10} />
      ) : totals.calls === 0 ? (
        <Empty icon={CircleDollarSign} title={`No calls in ${RANGE_WORDS[range]}`}>
          <p>Choose a longer range, or run Claude Code through Aspy: each answer is priced as it comes.</p>
        </Empty>
      ) : (
        <PageBody>
          <div className={`flex flex-col gap-6 transition-opacity ${isPlaceholderData ? 'opacity-60' : ''}`}>
            <StatRow>
              <Stat
                label={`Cost, ${RANGE_WORDS[range]}`}
                value={formatCost(totals.cost)}
                note="API list price; a subscription pays its own"
              />
              <Stat
                label="Calls"
                value={formatCount(totals.calls)}
                note={`${formatCost(totals.cost / totals.calls)} each`}
              />
              <Stat
                label="Tokens"
                value={formatCount(inputSide + totals.output)}
                note={`${formatCount(totals.output)} of them written`}
              />
              <Stat
                label="Read from cache"
                value={formatShare(inputSide === 0 ? null : totals.cacheRead / inputSide)}
                note="of what was sent"
              />
              <Stat
                label="Measured"
                value={formatShare((totals.calls - totals.lowerBoundCalls - totals.unpricedCalls) / totals.calls)}
                tone={totals.unpricedCalls > 0 ? 'warn' : undefined}
                note={sureness(totals.lowerBoundCalls, totals.unpricedCalls)}
              />
            </StatRow>
            <Card title={`Cost by ${data.unit}`} note="stacked by model">
              <CostChart columns={columns} models={models.map(({ model }) => model)} unit={data.unit} />
            </Card>
            <Card title="By model">
              <ModelTable models={models} total={totals.cost} />
            </Card>
          </div>
        </PageBody>
      )}
    </Page>
  )
}

/** How many calls are not measured, and why. */
function sureness(lowerBound: number, unpriced: number): string {
  const parts = [
    lowerBound > 0 ? `${plural(lowerBound, 'call')} a lower bound` : '',
    unpriced > 0 ? `${formatCount(unpriced)} without a price` : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'every call, from the API itself' : parts.join(', ')
}
