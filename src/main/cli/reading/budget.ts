import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { budgetText } from '../guard-caps.ts'
import { dollars, percent, plain, when } from '../table.ts'
import { answered, type Printed } from './reading-command.ts'

/** `aspy budget`: the period so far and its forecast, and each budget of another period or of a project that is set. */
export async function budget(client: Client, asked: OperationInput<'budgets.forecast'>): Promise<Printed> {
  // The app may have started in another time zone than that of this terminal.
  const input = { tz: Intl.DateTimeFormat().resolvedOptions().timeZone, ...asked }
  const printed = await answered(client, 'budgets.forecast', input, forecastText)
  const { items } = await client.call('budgets.status', {})
  const { period, project } = printed.json as OperationOutput<'budgets.forecast'>
  const others = items.filter(
    (each) => (project === null || each.project === project) && !(each.period === period && each.project === project),
  )
  const lines = others.map((each) => `Budget of ${budgetText(each)}`)
  return { ...printed, text: [printed.text, ...lines].join('\n') }
}

/** Writes the cost of the month or week so far, its forecast, and the previous period. */
function forecastText(found: OperationOutput<'budgets.forecast'>): string {
  const { period, previous, forecast: made, forecast_checks: checks, limit_usd: limit, change_share: change } = found
  const compared =
    change === null
      ? ''
      : `, ${percent(Math.abs(change))} ${change < 0 ? 'less' : 'more'} than at this point last ${period}`
  return [
    `This ${period}: ${dollars(found.spent_usd)} spent since ${when(found.since)} local time${compared}`,
    `Last ${period}: ${dollars(previous.spent_usd)}, ${dollars(previous.same_point_usd)} of it by this point`,
    ...(made === null
      ? []
      : [
          `Forecast: ${dollars(made.usd)} by ${when(found.until)} (${dollars(made.low)} to ${dollars(made.high)}, nine times in ten` +
            `${checks.checks === 0 ? ', not checked yet' : `; computed in hindsight, ${checks.hits} of ${checks.checks} held`})`,
          ...(checks.typical_error === null
            ? []
            : [`Typical error of past forecasts: ${percent(checks.typical_error)}`]),
        ]),
    ...(limit === null ? [] : [`Budget: ${dollars(limit)}, ${percent(found.spent_usd / limit)} spent`]),
    ...(made?.limit_reached_at ? [`At this rate, the budget runs out ${when(made.limit_reached_at)}`] : []),
    ...found.gaps.map(plain),
  ].join('\n')
}
