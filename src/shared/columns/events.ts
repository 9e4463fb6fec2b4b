import type { OperationOutput } from '../contract/index.ts'
import { eventLine } from '../input-line.ts'
import { tableOf } from './column.ts'

/** Events in one line each, as `events.recent` returns them. */
export const eventsTable = tableOf<OperationOutput<'events.recent'>['items'][number]>()({
  columns: {
    ts_wall: { name: 'Time', format: 'moment' },
    kind: { name: 'Kind' },
    duration_ms: { name: 'Took', format: 'duration' },
    uuid: { name: 'Event' },
    text: { name: 'What', of: (row) => `${row.success === false ? 'FAILED ' : ''}${eventLine(row)}`, max: 100 },
  },
})
