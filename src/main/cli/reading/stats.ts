import type { OperationInput } from '../../../shared/contract/index.ts'
import { formatFailures } from '../../../shared/failures.ts'
import { clientLabel } from '../../../shared/vendors.ts'
import type { Client } from '../client.ts'
import { count, counted, dollars, duration, plain, table, when } from '../table.ts'
import type { Printed } from './reading-command.ts'

/** `aspy stats`: totals, and those of each member if the history is a team's. */
export async function stats(client: Client, input: OperationInput<'stats.summary'>): Promise<Printed> {
  const total = await client.call('stats.summary', input)
  const byUser = client.isTeam ? ((await client.call('costs.breakdown', input)).by_user ?? []) : []
  const unpriced = total.unpriced_calls === 0 ? '' : ` (${counted(total.unpriced_calls, 'call')} without a price)`
  const failures = formatFailures({ api_errors: total.total_api_errors, failed_tools: total.total_failed_tools })
  const lines = [
    `Sessions   ${count(total.total_sessions)}`,
    `Prompts    ${count(total.total_prompts)}`,
    `Tokens     ${count(total.total_tokens)}`,
    `Cost       ${dollars(total.total_cost_usd)}${unpriced}`,
    `Tools      ${count(total.total_tool_calls)}`,
    ...(failures === '' ? [] : [`Failures   ${failures}`]),
    `Thinking   ${count(total.total_thinking_blocks)}`,
    `Time       ${duration(total.total_duration_ms)}`,
    ...(total.first_session === null ? [] : [`From       ${when(total.first_session)} to ${when(total.last_session)}`]),
  ]
  const models = table(total.by_model, [
    { title: 'Model', of: (row) => row.model },
    { title: 'Calls', of: (row) => count(row.calls), right: true },
    { title: 'Tokens', of: (row) => count(row.tokens), right: true },
    { title: 'Cost', of: (row) => dollars(row.cost_usd), right: true },
  ])
  const clients = table(total.by_client, [
    { title: 'Client', of: (row) => clientLabel(row.client) },
    { title: 'Sessions', of: (row) => count(row.sessions), right: true },
    { title: 'Tokens', of: (row) => count(row.tokens), right: true },
    {
      title: 'Cost',
      of: (row) => dollars(row.cost_usd === 0 && row.unpriced_calls > 0 ? null : row.cost_usd),
      right: true,
    },
    { title: 'Failures', of: (row) => formatFailures(row), right: true },
  ])
  const users = table(byUser, [
    { title: 'Member', of: (row) => plain(row.user) },
    { title: 'Calls', of: (row) => count(row.calls), right: true },
    { title: 'Tokens', of: (row) => count(row.tokens), right: true },
    { title: 'Cost', of: (row) => dollars(row.cost_usd), right: true },
  ])
  const tables = [
    ...(total.by_model.length === 0 ? [] : [models]),
    ...(total.by_client.length === 0 ? [] : [clients]),
    ...(byUser.length === 0 ? [] : [users]),
  ]
  const json = client.isTeam ? { ...total, by_user: byUser } : total
  return { json, text: [lines.join('\n'), ...tables].join('\n\n') }
}
