import type { OperationOutput } from '../contract/index.ts'
import { inputLine } from '../input-line.ts'
import { tableOf } from './column.ts'

/** The slowest tool calls, as `stats.slowest` returns them. */
export const slowestTable = tableOf<OperationOutput<'stats.slowest'>['items'][number]>()({
  columns: {
    duration_ms: { name: 'Took', format: 'duration' },
    upper_bound: {
      name: 'Basis',
      of: (row) => (row.upper_bound ? 'at most' : null),
      only: 'filled',
      hint: 'Not measured: the time from the call to its result',
    },
    name: { name: 'Tool', max: 30 },
    timestamp: { name: 'Time', format: 'moment' },
    uuid: { name: 'Event' },
    text: { name: 'What', of: (row) => inputLine(row.text), max: 80 },
  },
})

/** The timed events by kind. */
export const slowestKindsTable = tableOf<NonNullable<OperationOutput<'stats.slowest'>['groups']>[number]>()({
  columns: {
    kind: { name: 'Kind' },
    count: { name: 'Count', format: 'exact' },
    mean_ms: { name: 'Mean', format: 'duration' },
    p95_ms: { name: 'p95', format: 'duration' },
    max_ms: { name: 'Max', format: 'duration' },
  },
})
