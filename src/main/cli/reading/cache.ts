import { causeLabel } from '../../../shared/cache-causes.ts'
import { cacheMissesTable, type CacheSums, cacheSumsTable } from '../../../shared/columns/cache.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { count, counted, dollars, table } from '../table.ts'
import { answered, listed, type Printed } from './reading-command.ts'

/** `aspy cache`: the misses, or their cost by cause. */
export function cache(
  client: Client,
  input: OperationInput<'cache.list'>,
  { summary }: { readonly summary?: boolean | undefined },
): Promise<Printed> {
  const { project, since, until } = input
  return summary === true
    ? answered(client, 'cache.summary', { project, since, until }, summaryText)
    : answered(client, 'cache.list', input, missesText)
}

const missesText = listed(cacheMissesTable, 'No cache misses.', { isOfAll: true })

function summaryText(total: OperationOutput<'cache.summary'>): string {
  if (total.requests === 0) return 'No requests yet.'
  const head = [
    `Waste      ${dollars(total.waste_usd)}`,
    `Missed     ${count(total.missed_tokens)} of ${counted(total.could_read, 'token')}`,
    `Judged     ${count(total.judged)} of ${counted(total.requests, 'request')}, ${dollars(total.judged_cost_usd)} of ${dollars(total.cost_usd)}`,
    ...(total.vendor.compared === 0
      ? []
      : [`API agrees ${count(total.vendor.agreed)} of ${count(total.vendor.compared)}`]),
  ]
  const sums = (name: string, rows: readonly CacheSums[]) => table(rows, cacheSumsTable, {}, { name })
  return [
    head.join('\n'),
    sums(
      'Cause',
      total.by_cause.map((row) => ({ ...row, name: causeLabel(row.cause) })),
    ),
    sums(
      'Project',
      total.by_project.map((row) => ({ ...row, name: row.project })),
    ),
    sums(
      'Client version',
      total.by_client_version.map((row) => ({ ...row, name: row.client_version })),
    ),
  ].join('\n\n')
}
