import type { Client } from '../client.ts'
import { count, counted, dollars, plain, table, when } from '../table.ts'
import { requireSession } from './require-session.ts'
import type { Printed, ScopeFlags } from './reading.ts'

export async function misses(
  client: Client,
  { limit, session, project, since, until, cause, summary }: ScopeFlags & { cause?: string; summary?: boolean },
): Promise<Printed> {
  if (summary === true) return totals(client, { project, since, until })
  const found = await client.call('cache.list', {
    limit,
    session_id: session,
    project,
    since,
    until,
    // The operation checks the name.
    cause: cause as 'unknown' | undefined,
  })
  if (found.items.length === 0) await requireSession(client, session)
  const text = table(found.items, [
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
  ])
  return { json: found, text: found.items.length === 0 ? 'No cache misses.' : text }
}

type Range = Readonly<Record<'project' | 'since' | 'until', string | undefined>>

async function totals(client: Client, range: Range): Promise<Printed> {
  const total = await client.call('cache.summary', range)
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
  const text = [
    head.join('\n'),
    sums('Cause', total.by_cause, (row) => row.cause),
    sums('Project', total.by_project, (row) => row.project),
    sums('Client version', total.by_client_version, (row) => row.client_version),
  ].join('\n\n')
  return { json: total, text: total.requests === 0 ? 'No requests yet.' : text }
}

export async function diff(client: Client, uuid: string, { against }: { against?: string }): Promise<Printed> {
  const found = await client.call('requests.diff', { uuid, against })
  if (found.against === null) return { json: found, text: 'No request before it.' }
  const cause = found.cause === null ? [] : [['Cause:', found.cause.kind, found.cause.where, found.cause.detail]]
  const lines = [
    `Compared with ${found.against}`,
    ...cause.map((words) => words.filter((word) => word !== null).join(' ')),
    ...found.parameters.map(({ name, before, after }) => `${name}: ${before ?? 'none'} → ${after ?? 'none'}`),
    ...found.items.flatMap((item) => [
      item.change === 'equal'
        ? `= ${item.at} ${item.blocks} equal`
        : `${item.change} ${item.at} ${[item.kind, item.tool ?? ''].join(' ').trim()}`,
      ...(item.change === 'changed' ? [`  - ${around(item, item.before)}`, `  + ${around(item, item.after)}`] : []),
    ]),
  ]
  return { json: found, text: lines.map(plain).join('\n') }
}

/** Shows the text where it first differs. */
function around({ first_difference: at }: { first_difference: number | null }, text: string | null): string {
  if (text === null) return 'not stored'
  const from = Math.max(0, (at ?? 0) - 40)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 160)}`
}
