import type { OperationOutput } from '../contract/index.ts'
import { formatFailures } from '../failures.ts'
import { tableOf } from './column.ts'
import { unpricedOf } from '../spend.ts'

type Summary = OperationOutput<'stats.summary'>

/** Totals of everything recorded. */
export const totalsTable = tableOf<Summary>()({
  columns: {
    total_sessions: { name: 'Sessions', format: 'count' },
    total_prompts: { name: 'Prompts', format: 'count' },
    total_tokens: { name: 'Tokens', format: 'count' },
    total_cost_usd: { name: 'Cost', format: 'money', unpriced: unpricedOf },
    total_tool_calls: { name: 'Tools', format: 'count' },
    failures: {
      name: 'Failures',
      of: (row) => formatFailures({ api_errors: row.total_api_errors, failed_tools: row.total_failed_tools }),
      only: 'filled',
    },
    total_thinking_blocks: { name: 'Thinking blocks', format: 'count' },
    total_duration_ms: { name: 'Active time', format: 'duration' },
    first_session: { name: 'First session', format: 'moment', only: 'filled' },
    last_session: { name: 'Last session', format: 'moment', only: 'filled' },
  },
})

/** Totals of each model. */
export const modelTotalsTable = tableOf<Summary['by_model'][number]>()({
  columns: {
    model: { name: 'Model', format: 'model' },
    calls: { name: 'Requests', format: 'count' },
    tokens: { name: 'Tokens', format: 'count' },
    cost_usd: { name: 'Cost', format: 'money' },
  },
})
