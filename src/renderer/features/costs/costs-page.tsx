import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CircleDollarSign } from 'lucide-react'
import { useMemo } from 'react'
import { ExportMenu } from '../../components/export-menu.tsx'
import { Card, Page, PageBody, Stat, StatRow } from '../../components/page.tsx'
import { ProjectSelect } from '../../components/project-select.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { Empty, Failed, LoadingRows } from '../../components/states.tsx'
import { formatCost, formatCount, formatShare, plural } from '../../lib/format.ts'
import { RANGE_WORDS } from '../../lib/time-range.ts'
import { costByModel, costColumns, costTotals } from './cost-buckets.ts'
import { CostChart, ModelLegend } from './cost-chart.tsx'
import { COSTS_PRESET } from './costs-search.ts'
import { ModelTable } from './model-table.tsx'
import { ProjectTable, SessionTable } from './cost-tables.tsx'
import { BudgetsCard } from './budgets-card.tsx'
import { LimitsCard } from './limits-card.tsx'
import { breakdownQuery, costsQuery } from './queries.ts'

const route = getRouteApi('/costs')
const TOKEN_COLUMNS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'] as const

/** What it cost, by model and day, and how sure that is. */
export function CostsPage(): ReactNode {
  const search = route.useSearch()
  const range = search.range ?? COSTS_PRESET
  const navigate = route.useNavigate()
  const { data, error, refetch, isPlaceholderData } = useQuery(costsQuery(range, search.project))
  const { data: breakdown } = useQuery(breakdownQuery(range, search.project))
  const models = useMemo(() => costByModel(data?.items ?? []), [data])
  const columns = useMemo(() => costColumns(data?.items ?? [], data?.keys ?? [], data?.unit ?? 'day'), [data])
  const totals = costTotals(data?.items ?? [])
  const inputSide = totals.input + totals.cacheRead + totals.cacheCreation
  return (
    <Page
      title="Costs"
      actions={
        <>
          <ProjectSelect
            value={search.project}
            onChange={(project) => void navigate({ search: (now) => ({ ...now, project }) })}
          />
          <ExportMenu
            name="costs"
            table={() => ({
              columns: [
                'bucket',
                'model',
                'cost_usd',
                'calls',
                'unpriced_calls',
                'lower_bound_calls',
                ...TOKEN_COLUMNS,
              ],
              rows: (data?.items ?? []).map((item) => [
                item.bucket,
                item.model,
                item.cost_usd,
                item.calls,
                item.unpriced_calls,
                item.lower_bound_calls,
                ...TOKEN_COLUMNS.map((column) => item[column]),
              ]),
            })}
          />
          <RangePicker
            value={range}
            onChange={(next) => void navigate({ search: (now) => ({ ...now, range: next }) })}
          />
        </>
      }
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
          <div className={`flex flex-col gap-6 ${isPlaceholderData ? 'awaited' : ''}`}>
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
                label="Saved by the cache"
                value={formatCost(breakdown?.cache.saved_usd)}
                note={
                  (breakdown?.cache.unpriced_models.length ?? 0) > 0
                    ? 'without the models that have no price'
                    : 'against plain input, at today’s prices'
                }
              />
              <Stat
                label="Measured"
                value={formatShare((totals.calls - totals.lowerBoundCalls - totals.unpricedCalls) / totals.calls)}
                tone={totals.unpricedCalls > 0 ? 'warn' : undefined}
                note={sureness(totals.lowerBoundCalls, totals.unpricedCalls)}
              />
            </StatRow>
            <Card title={`Cost by ${data.unit}`} actions={<ModelLegend models={models.map(({ model }) => model)} />}>
              <CostChart columns={columns} models={models.map(({ model }) => model)} unit={data.unit} />
            </Card>
            <div className="grid gap-6 min-[1300px]:grid-flow-col min-[1300px]:auto-cols-fr">
              <BudgetsCard />
              <LimitsCard />
            </div>
            <Card title="By model">
              <ModelTable models={models} total={totals.cost} />
            </Card>
            {breakdown && (
              <div className="grid grid-cols-1 items-start gap-6 min-[1500px]:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
                <Card title="By project">
                  <ProjectTable projects={breakdown.by_project} />
                </Card>
                <Card title="Dearest sessions" note="what they cost within this time">
                  <SessionTable sessions={breakdown.by_session} />
                </Card>
              </div>
            )}
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
