import { clientCostsTable, memberCostsTable } from '../../../shared/columns/costs.ts'
import { modelTotalsTable, totalsTable } from '../../../shared/columns/stats.ts'
import type { OperationInput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { record, table } from '../table.ts'
import type { Printed } from './reading-command.ts'

/** `aspy stats`: totals, and those of each member if the history is a team's. */
export async function stats(client: Client, input: OperationInput<'stats.summary'>): Promise<Printed> {
  const total = await client.call('stats.summary', input)
  const byUser = client.isTeam ? ((await client.call('costs.breakdown', input)).by_user ?? []) : []
  const tables = [
    ...(total.by_model.length === 0 ? [] : [table(total.by_model, modelTotalsTable)]),
    ...(total.by_client.length === 0 ? [] : [table(total.by_client, clientCostsTable)]),
    ...(byUser.length === 0 ? [] : [table(byUser, memberCostsTable)]),
  ]
  const json = client.isTeam ? { ...total, by_user: byUser } : total
  return { json, text: [record(total, totalsTable), ...tables].join('\n\n') }
}
