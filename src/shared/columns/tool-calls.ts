import type { OperationOutput } from '../contract/index.ts'
import { inputLine } from '../input-line.ts'
import { tableOf } from './column.ts'

/** Tool calls, as `tools.list` returns them. */
export const toolCallsTable = tableOf<OperationOutput<'tools.list'>['items'][number]>()({
  columns: {
    timestamp: { name: 'Time', format: 'moment' },
    tool_name: { name: 'Tool', max: 30 },
    duration_ms: { name: 'Took', format: 'duration' },
    upper_bound: { name: 'Basis', of: (row) => (row.upper_bound ? 'at most' : null), only: 'filled' },
    result: {
      name: 'Result',
      of: ({ success, rejected }) => (success === null ? null : rejected ? 'refused' : success ? 'ok' : 'failed'),
    },
    input_summary: { name: 'Input', of: (row) => inputLine(row.input_summary), max: 80 },
  },
})
