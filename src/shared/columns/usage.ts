import type { OperationOutput } from '../contract/index.ts'
import type { RequestLine } from '../contract/requests.ts'
import { tableOf } from './column.ts'
import { unpricedOf } from '../spend.ts'

type Turn = Omit<OperationOutput<'sessions.usage'>['turns'][number], 'cache_creation_tokens'>

/** Usage by turn. Not every API reports cache writes. */
export const turnsTable = tableOf<Turn & { readonly cache_creation_tokens: number | null }>()({
  columns: {
    turn: { name: 'Turn', of: (row) => `Turn ${row.turn_id}` },
    started_at: { name: 'Started', of: (row) => row.began_at, format: 'moment', from: 560 },
    calls: { name: 'Requests', format: 'count', from: 560 },
    input_tokens: { name: 'Input', format: 'count', hint: 'Uncached input tokens', from: 700 },
    cache_read_tokens: { name: 'Cache read', format: 'count', from: 700 },
    cache_creation_tokens: { name: 'Cache write', format: 'count', from: 700 },
    output_tokens: { name: 'Output', format: 'count', from: 700 },
    cost_usd: { name: 'Cost', format: 'money', unpriced: unpricedOf },
  },
})

/** Subagents of a session. */
export const agentsTable = tableOf<OperationOutput<'agents.list'>['items'][number]>()({
  columns: {
    agent_type: { name: 'Agent', of: (row) => row.agent_type ?? 'agent' },
    turn_id: { name: 'Turn' },
    duration: {
      name: 'Duration',
      of: ({ started_at: started, ended_at: ended }) =>
        started === null || ended === null ? null : Date.parse(ended) - Date.parse(started),
      format: 'duration',
    },
    calls: { name: 'Requests', format: 'count' },
    tool_calls: { name: 'Tools', format: 'count' },
    tokens: { name: 'Tokens', format: 'count' },
    cost_usd: { name: 'Cost', format: 'money' },
  },
})

/** Returns a figure of a request; nothing for one that failed, which has none. */
const answered = <Figure>({ status }: RequestLine, figure: Figure) =>
  figure ?? (status !== null && status >= 400 ? '' : null)

/** API requests of a session. */
export const requestsTable = tableOf<RequestLine>()({
  columns: {
    ts_wall: { name: 'Time', format: 'clock', tone: 'faint', width: 5.8 },
    request_kind: { name: 'Request' },
    model: { name: 'Model', format: 'model', fit: 'cut', width: 6.5, from: 1200 },
    message_count: { name: 'Messages', format: 'count', width: 4.6, from: 1200 },
    input: {
      name: 'Total input',
      of: (row) =>
        answered(
          row,
          row.usage && row.usage.input_tokens + row.usage.cache_read_tokens + row.usage.cache_creation_tokens,
        ),
      format: 'count',
      title: () => 'Input, cache read and cache write tokens',
      width: 4.8,
      from: 700,
    },
    cache_read: {
      name: 'Cache read',
      of: (row) => answered(row, row.usage?.cache_read_tokens),
      format: 'count',
      width: 4.8,
      from: 1200,
    },
    cache_write: {
      name: 'Cache write',
      of: (row) => answered(row, row.usage?.cache_creation_tokens),
      format: 'count',
      width: 4.8,
      from: 1200,
    },
    output: {
      name: 'Output',
      of: (row) => answered(row, row.usage?.output_tokens),
      format: 'count',
      width: 4.2,
      from: 700,
    },
    cost: { name: 'Cost', of: (row) => answered(row, row.usage?.cost_usd), format: 'money', width: 4.6 },
    ttft_ms: {
      name: 'First token',
      of: (row) => answered(row, row.ttft_ms),
      format: 'duration',
      width: 4.8,
      from: 1200,
    },
    duration_ms: { name: 'Duration', format: 'duration', width: 4.6, from: 700 },
    status: { name: 'Status', align: 'right', width: 4.6, from: 560 },
  },
})
