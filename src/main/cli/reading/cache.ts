import type { CacheMiss } from '../../../shared/contract/cache.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { count, counted, dollars, table, when } from '../table.ts'
import { answered, listed } from './reading-command.ts'
import type { Printed } from './reading-command.ts'

/** `aspy cache`: the misses, or what they cost by cause. */
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

const missesText = listed<CacheMiss>(
  [
    { title: 'Sent', of: (row) => when(row.ts_wall) },
    { title: 'Request', of: (row) => row.exchange },
    { title: 'Model', of: (row) => row.model },
    { title: 'Could read', of: (row) => count(row.could_read), right: true },
    { title: 'Cache read', of: (row) => count(row.read), right: true },
    { title: 'Waste', of: (row) => dollars(row.waste_usd), right: true },
    { title: 'Cause', of: (row) => row.cause.kind },
    { title: 'Where', of: (row) => row.cause.where },
    { title: 'Detail', of: (row) => row.cause.detail },
    { title: 'API says', of: (row) => row.vendor?.type ?? null },
  ],
  'No cache misses.',
)

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
  const sums = <Row extends { requests: number; missed_tokens: number; waste_usd: number }>(
    title: string,
    rows: readonly Row[],
    of: (row: Row) => string | null,
  ) =>
    table(rows, [
      { title, of },
      { title: 'Requests', of: (row) => count(row.requests), right: true },
      { title: 'Missed', of: (row) => count(row.missed_tokens), right: true },
      { title: 'Waste', of: (row) => dollars(row.waste_usd), right: true },
    ])
  return [
    head.join('\n'),
    sums('Cause', total.by_cause, (row) => row.cause),
    sums('Project', total.by_project, (row) => row.project),
    sums('Client version', total.by_client_version, (row) => row.client_version),
  ].join('\n\n')
}
