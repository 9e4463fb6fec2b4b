import { isAbsolute } from 'node:path'
import { mainFolderOf } from '../../../shared/folders.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { budgetText } from '../guard-caps.ts'
import { dollars, percent, plain, when } from '../table.ts'
import { answered, type Printed } from './reading-command.ts'

/** `aspy budget`: the period so far and its forecast, and each budget of another period or of a project that is set. */
export async function budget(client: Client, asked: OperationInput<'budgets.forecast'>): Promise<Printed> {
  // The app may have started in another time zone than that of this terminal.
  const project = await folderNamed(client, asked.project)
  const input = { tz: Intl.DateTimeFormat().resolvedOptions().timeZone, ...asked, project }
  const printed = await answered(client, 'budgets.forecast', input, forecastText)
  const { items } = await client.call('budgets.status', {})
  const { period } = printed.json as OperationOutput<'budgets.forecast'>
  const isOther = (each: (typeof items)[number]) => each.period !== period || each.project !== (project ?? null)
  const others = items.filter((each) => (project === undefined || each.project === project) && isOther(each))
  const lines = others.map((each) => `Budget of ${budgetText(each)}`)
  return { ...printed, text: [printed.text, ...lines].join('\n') }
}

/** Returns the recorded folder of this name; budgets are of whole paths. */
async function folderNamed(client: Client, name: string | undefined): Promise<string | undefined> {
  if (name === undefined || isAbsolute(name)) return name
  const { items } = await client.call('sessions.list', { project: name, limit: 1 })
  return mainFolderOf(items[0]?.project ?? name)
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
