import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { CircleDollarSign } from 'lucide-react'
import type { ReactNode } from 'react'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { buttonClasses } from '../../components/button.tsx'
import { valueTable } from '../../../shared/columns/column.ts'
import { costSeriesTable } from '../../../shared/columns/costs.ts'
import { DoNext } from '../../components/do-next.tsx'
import { FilterBar } from '../../components/filters.tsx'
import { ExportMenu } from '../../components/export-menu.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card, Page, PageBody, Stat, StatRow } from '../../components/page.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { Segments } from '../../components/segments.tsx'
import { Empty, NothingYet } from '../../components/states.tsx'
import { formatCost, formatCount, formatShare, plural } from '../../lib/format.ts'
import { sinceStartOf, useOperation } from '../../lib/operation.ts'
import { inRange, type Range, RANGE_WORDS } from '../../lib/time-range.ts'
import { BudgetsCard } from './budgets-card.tsx'
import { costByModel, type CostTotals, costTotals } from './cost-buckets.ts'
import { CostCard } from './cost-card.tsx'
import { CarryCard } from './carry-card.tsx'
import { CacheCard } from './cache-card.tsx'
import { ClientTable, MemberTable, ProjectTable, SessionTable } from './cost-tables.tsx'
import { COST_FILTERS, COSTS_PRESET, COSTS_TAB_PRESET, COSTS_TABS, type CostsSearch } from './costs-search.ts'
import { LimitsCard } from './limits-card.tsx'
import { ModelTable } from './model-table.tsx'
import { ServedCard } from './served-card.tsx'
import { SpendingCard } from './spending-card.tsx'
import { YesterdayLine } from './yesterday-line.tsx'
import { type Costs, costsBeforeQuery, costsQuery } from './queries.ts'

const route = getRouteApi('/costs')

type Breakdown = OperationOutput<'costs.breakdown'>

/** What was spent, why, on what context, which limits are left, and what served it. */
export function CostsPage(): ReactNode {
  const search = route.useSearch()
  const range = search.range ?? COSTS_PRESET
  const navigate = route.useNavigate()
  const go = (change: CostsSearch) => void navigate({ search: (now) => ({ ...now, ...change }) })
  const stay = (change: CostsSearch) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false })
  const query = useQuery(costsQuery(range, COST_FILTERS.of(search)))
  const { data, isPlaceholderData } = query
  const scope = { limit: 15, project: search.project }
  const { data: breakdown } = useOperation('costs.breakdown', scope, { moving: sinceStartOf(range) })
  const { data: before } = useQuery(costsBeforeQuery(range, COST_FILTERS.of(search)))
  const totals = costTotals(data?.items ?? [])
  const stored = useOperation('health.get', {}).data?.events_total
  const empty = totals.calls === 0 && (
    <Empty icon={CircleDollarSign} title={`No requests ${inRange(range)}`}>
      {stored === 0 ? <NothingYet /> : range !== 'all' && <p>To see older costs, choose a longer range.</p>}
    </Empty>
  )
  return (
    <Page title="Costs" actions={<Actions search={search} range={range} costs={data} onChange={go} />}>
      <PageBody>
        <div>
          <Segments
            label="Costs view"
            options={COSTS_TABS}
            value={search.tab ?? COSTS_TAB_PRESET}
            onChange={(tab) =>
              go({
                tab: tab === COSTS_TAB_PRESET ? undefined : tab,
                cause: undefined,
                carry: undefined,
                day: undefined,
              })
            }
          />
        </div>
        {search.tab === undefined &&
          loaded({ query, rows: 10, empty }, (data) => (
            <div className={`flex flex-col gap-6 ${isPlaceholderData ? 'awaited' : ''}`}>
              <YesterdayLine search={search} />
              <DoNext project={search.project} />
              <Totals
                range={range}
                totals={totals}
                cache={breakdown?.cache}
                before={before && costTotals(before.items).cost}
              />
              <SpendCards project={search.project} costs={data} total={totals.cost} breakdown={breakdown} />
            </div>
          ))}
        {search.tab === 'why' && <CacheCard search={search} onChange={stay} />}
        {search.tab === 'context' && <CarryCard search={search} onChange={stay} />}
        {search.tab === 'limits' && <LimitsCard />}
        {search.tab === 'served' && <ServedCard search={search} onChange={stay} />}
      </PageBody>
    </Page>
  )
}

interface ActionsProps {
  readonly search: CostsSearch
  readonly range: Range
  readonly costs: Costs | undefined
  readonly onChange: (change: CostsSearch) => void
}

/** The controls that change what the tab shows: limits are of the account and of now. */
function Actions({ search, range, costs, onChange }: ActionsProps) {
  const { tab } = search
  return (
    <>
      {tab !== 'limits' && tab !== 'served' && <FilterBar filters={COST_FILTERS} state={search} onChange={onChange} />}
      {tab === undefined && (
        <>
          <Link to="/costs/receipt" search={{ range: search.range }} className={buttonClasses()}>
            Receipt
          </Link>
          <ExportMenu name="costs" table={() => valueTable(costSeriesTable, costs?.items ?? [])} />
        </>
      )}
      {tab !== 'limits' && (
        <RangePicker
          value={search.day === undefined ? range : undefined}
          onChange={(next) => onChange({ range: next, day: undefined })}
        />
      )}
    </>
  )
}

interface TotalsProps {
  readonly range: Range
  readonly totals: CostTotals
  readonly cache: Breakdown['cache'] | undefined
  /** Cost of the previous period; undefined: none, or not known yet. */
  readonly before: number | undefined
}

function Totals({ range, totals, cache, before }: TotalsProps) {
  const input = totals.input + totals.cacheRead + totals.cacheCreation
  const measured = totals.calls - totals.lowerBoundCalls - totals.unpricedCalls
  return (
    <StatRow>
      <Stat
        label={`Cost, ${RANGE_WORDS[range]}`}
        value={formatCost(totals.cost)}
        note={changeNote(totals.cost, before) || 'API list price; subscriptions bill differently'}
      />
      <Stat
        label="Requests"
        value={formatCount(totals.calls)}
        note={`${formatCost(totals.cost / totals.calls)} each; failed ones are not counted`}
      />
      <Stat label="Tokens" value={formatCount(input + totals.output)} note={`${formatCount(totals.output)} output`} />
      <Stat
        label="Cache read"
        value={formatShare(input === 0 ? null : totals.cacheRead / input)}
        note="of all input tokens"
      />
      <Stat
        label="Cache savings"
        value={formatCost(cache?.saved_usd)}
        note={
          cache?.saved_usd === null
            ? 'known on each laptop, which has the prices'
            : (cache?.unpriced_models.length ?? 0) > 0
              ? 'excluding models without a price'
              : 'versus uncached input, at today’s prices'
        }
      />
      <Stat
        label="Measured"
        value={formatShare(measured / totals.calls)}
        tone={totals.unpricedCalls > 0 ? 'warn' : undefined}
        note={accuracyNote(totals)}
      />
    </StatRow>
  )
}

interface SpendCardsProps {
  readonly project: string | undefined
  readonly costs: Costs
  readonly total: number
  readonly breakdown: Breakdown | undefined
}

function SpendCards({ project, costs, total, breakdown }: SpendCardsProps) {
  const models = costByModel(costs.items)
  return (
    <>
      <CostCard costs={costs} models={models.map(({ model }) => model)} />
      <SpendingCard project={project} />
      <BudgetsCard />
      <Card title="By model">
        <ModelTable models={models} total={total} />
      </Card>
      {breakdown !== undefined && breakdown.by_client.length > 1 && (
        <Card title="By client">
          <ClientTable clients={breakdown.by_client} />
        </Card>
      )}
      {breakdown?.by_user && (
        <Card title="By member">
          <MemberTable members={breakdown.by_user} />
        </Card>
      )}
      {breakdown && (
        <div className="grid grid-cols-1 items-start gap-6 min-[1500px]:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
          <Card title="By project">
            <ProjectTable projects={breakdown.by_project} />
          </Card>
          <Card title="Most expensive sessions" note="cost in this range">
            <SessionTable sessions={breakdown.by_session} />
          </Card>
        </div>
      )}
    </>
  )
}

/** Compares with the previous period of the same length, up to the same point. */
function changeNote(cost: number, before: number | undefined): string {
  if (before === undefined || before === 0) return ''
  const change = cost / before - 1
  return `${formatShare(Math.abs(change))} ${change < 0 ? 'less' : 'more'} than the previous period (${formatCost(before)}), at API list prices`
}

/** Describes how many calls are estimated or missing from the sum. */
function accuracyNote({ lowerBoundCalls, unpricedCalls }: CostTotals): string {
  const parts = [
    lowerBoundCalls > 0 ? `${plural(lowerBoundCalls, 'request')} estimated from transcripts` : '',
    unpricedCalls > 0 ? `${formatCount(unpricedCalls)} without a price` : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'all requests, as the API counted them' : parts.join(', ')
}
