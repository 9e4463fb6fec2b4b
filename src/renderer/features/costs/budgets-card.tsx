import { Link } from '@tanstack/react-router'
import { Card } from '../../components/page.tsx'
import { Meter } from '../../components/meter.tsx'
import { formatBudget, PERIOD_NAMES } from '../../lib/budgets.ts'
import { formatMoment, formatShare, plural, projectName } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import type { BudgetStatus } from '../../../shared/contract/budgets.ts'
import { unpricedOf } from '../../../shared/spend.ts'

/** Spending of each budget in its current period. */
export function BudgetsCard() {
  const { data } = useOperation('budgets.status', {})
  if (!data) return null
  const settings = (
    <Link to="/settings" search={{ q: 'budgets' }} className="text-small text-accent hover:underline">
      {data.items.length === 0 ? 'Set a budget' : 'Change'}
    </Link>
  )
  return (
    <Card title="Budgets" note="at API list prices; notices appear at 80% and 100%" actions={settings}>
      {data.items.length === 0 ? (
        <p className="px-5 pb-4 text-small text-soft">
          No budgets yet. Set one per day, week or month, for all projects or a single one, to get a notice when it is
          nearly spent. Budgets never block requests.
        </p>
      ) : (
        <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(24rem,100%),1fr))] gap-x-10 gap-y-4 px-5 pb-4">
          {data.items.map((status) => (
            <Budget key={`${status.project} ${status.period}`} status={status} />
          ))}
        </dl>
      )}
    </Card>
  )
}

function Budget({ status }: { status: BudgetStatus }) {
  const { project, period, limit_usd: limit, spent_usd: spent, until } = status
  const unpriced = unpricedOf(status)
  const share = spent / limit
  const name = `${PERIOD_NAMES[period]}${project === null ? '' : `, ${projectName(project)}`}`
  return (
    <div>
      <dt className="flex items-baseline gap-3 text-small">
        <span className="min-w-0 truncate font-medium" title={project ?? undefined}>
          {name}
        </span>
        <span className="ml-auto whitespace-nowrap text-faint">until {formatMoment(until)}</span>
      </dt>
      <dd className="mt-1.5 flex items-center gap-3">
        <Meter label={`${name}: spent`} share={share} warnFrom={0.8} badFrom={1} />
        <span className="w-12 text-right font-semibold">{formatShare(share)}</span>
      </dd>
      <dd className={`mt-0.5 text-meta ${share >= 1 ? 'text-bad' : 'text-soft'}`}>
        {formatBudget(spent)} of {formatBudget(limit)}
        {share >= 1 ? `, ${formatBudget(spent - limit)} over` : ''}
        {unpriced > 0 && <span className="text-warn"> and {plural(unpriced, 'request')} without a price</span>}
      </dd>
    </div>
  )
}
