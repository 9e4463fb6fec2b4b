import type { OperationOutput } from '../contract/index.ts'
import { inputLine } from '../input-line.ts'
import { tableOf } from './column.ts'

type ToolCall = OperationOutput<'tools.list'>['items'][number]

/** Returns how a call ended; null while it runs. */
export const outcomeOf = ({ success, rejected }: Pick<ToolCall, 'success' | 'rejected'>) =>
  success === null ? null : rejected ? 'refused' : success ? 'ok' : 'failed'

/** Tool calls, as `tools.list` returns them. */
export const toolCallsTable = tableOf<ToolCall>()({
  columns: {
    timestamp: { name: 'Time', format: 'moment' },
    tool_name: { name: 'Tool', max: 30 },
    duration_ms: { name: 'Took', format: 'duration' },
    upper_bound: { name: 'Basis', of: (row) => (row.upper_bound ? 'at most' : null), only: 'filled' },
    result: { name: 'Result', of: outcomeOf },
    input_summary: { name: 'Input', of: (row) => inputLine(row.input_summary), max: 80 },
  },
})
