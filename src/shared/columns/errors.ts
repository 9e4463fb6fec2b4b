import type { OperationOutput } from '../contract/index.ts'
import { tableOf } from './column.ts'

/** Errors, as `errors.list` returns them. */
export const errorsTable = tableOf<OperationOutput<'errors.list'>['items'][number]>()({
  columns: {
    timestamp: { name: 'Time', format: 'moment' },
    origin: { name: 'From' },
    status: { name: 'Status', align: 'right', from: 1200 },
    uuid: { name: 'Event', from: 560 },
    session_id: { name: 'Session', from: 1000 },
    content: { name: 'Error', max: 100 },
  },
})
