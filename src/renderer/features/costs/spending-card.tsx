import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { ForecastChart, forecastPoints } from '../../components/forecast-chart.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { axisDollars } from '../../lib/axis.ts'
import { formatCost, formatMoment, formatShare } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'

type Spending = OperationOutput<'budgets.forecast'>

/** Spending of this month, its forecast, and the comparison with the last month. */
export function SpendingCard({ project }: { readonly project: string | undefined }) {
  const query = useOperation('budgets.forecast', { project })
  const { data } = query
  if (data && data.spent_usd + data.previous.spent_usd + (data.forecast?.usd ?? 0) === 0) return null
  return (
    <Card title="This month" note={data ? comparison(data) : 'spent, and expected'}>
      {loaded({ query, look: 'line' }, (data) => (
        <Spent spending={data} />
      ))}
    </Card>
  )
}

function comparison({ change_share: change, previous }: Spending): string {
  if (change === null) return 'spent, and expected'
  const share = formatShare(Math.abs(change))
  return `${share} ${change < 0 ? 'less' : 'more'} than at this point of last month (${formatCost(previous.same_point_usd)})`
}

function Spent({ spending }: { readonly spending: Spending }) {
  const { spent_usd: spent, forecast, previous, limit_usd: limit, gaps, project, since } = spending
  const curve = curveOf(spending)
  const until = Date.parse(spending.until)
  const end = forecast && { at: until, value: forecast.usd, low: forecast.low, high: forecast.high }
  return (
    <>
      <dl className="grid grid-cols-3 gap-x-6 px-5 pb-3 text-small">
        <Figure label="Spent">
          <Link
            to="/sessions"
            search={{ project: project ?? undefined, sort: 'cost', when: 'month' }}
            className="hover:underline"
            title={`Sessions started this month, by cost; spending counted since ${formatMoment(since)}`}
          >
            {formatCost(spent)}
          </Link>
        </Figure>
        {forecast && (
          <Figure label="Forecast" note={`${formatCost(forecast.low)} to ${formatCost(forecast.high)}`}>
            {formatCost(forecast.usd)}
          </Figure>
        )}
        {previous.spent_usd > 0 && <Figure label="Last month">{formatCost(previous.spent_usd)}</Figure>}
      </dl>
      {curve.length > 1 && (
        <ForecastChart
          label={describe(spending)}
          points={forecastPoints(curve, end, Date.parse(spending.now))}
          limit={limit}
          format={(usd) => formatCost(usd)}
          axisFormat={axisDollars}
        />
      )}
      <p className="px-5 pb-4 text-meta text-faint">{[...notesOf(spending), ...gaps].join(' ')}</p>
    </>
  )
}

function Figure({ label, note = '', children }: { label: string; note?: string; children: ReactNode }) {
  return (
    <div>
      <dt className="label">{label}</dt>
      <dd className="text-heading font-semibold tabular-nums">{children}</dd>
      {note !== '' && <dd className="text-meta text-faint">{note}</dd>}
    </div>
  )
}

/** Spending since the start of the month, at the end of each day. */
function curveOf({ days, since, now }: Spending): { at: number; value: number }[] {
  let value = 0
  const ends = days.map(({ day, usd }, index) => {
    value += usd
    const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
    const at = index === days.length - 1 ? Date.parse(now) : new Date(year, month - 1, date + 1).getTime()
    return { at, value }
  })
  return [{ at: Date.parse(since), value: 0 }, ...ends]
}

function notesOf({ forecast, forecast_checks: checks, limit_usd: limit }: Spending): string[] {
  if (forecast === null) return []
  const reached = forecast.limit_reached_at
  return [
    checks.checks === 0
      ? 'The forecast is 90% likely to fall in this range.'
      : `The forecast is 90% likely to fall in this range; of ${checks.checks} earlier ones, worked out afterwards, ${checks.hits} did.`,
    ...(checks.typical_error === null ? [] : [`Typical error: ${formatShare(checks.typical_error)}.`]),
    ...(limit === null || reached === null ? [] : [`At this rate, the budget runs out ${formatMoment(reached)}.`]),
  ]
}

function describe({ spent_usd: spent, forecast }: Spending): string {
  const expected = forecast ? `; ${formatCost(forecast.usd)} expected by the end of the month` : ''
  return `Spending this month: ${formatCost(spent)} so far${expected}`
}
