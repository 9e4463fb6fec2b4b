import type { OperationOutput } from '../contract/index.ts'
import { tableOf } from './column.ts'

type Step = OperationOutput<'files.history'>['items'][number]

/** What was done to a file, as `files.history` returns it. */
export const fileHistoryTable = tableOf<Step>()({
  columns: {
    timestamp: { name: 'Time', format: 'moment' },
    action: { name: 'Action' },
    tool_name: { name: 'Tool', max: 30 },
    lines: { name: 'Lines', format: 'count' },
    known: {
      name: 'Known',
      of: ({ state, is_doubted }) =>
        is_doubted ? 'may differ' : state === 'known' ? 'yes' : state === 'absent' ? 'gone' : 'no',
    },
    session_id: { name: 'Session', max: 12 },
    uuid: { name: 'Event' },
  },
})

type TreeFile = OperationOutput<'files.tree'>['items'][number]

/** The files that a session changed, as `files.tree` returns them. */
export const fileTreeTable = tableOf<TreeFile>()({
  columns: {
    path: { name: 'File' },
    state: {
      name: 'Known',
      of: ({ state, doubted_since: since }) => (since === null ? state : `${state}, may differ`),
    },
    lines: { name: 'Lines', format: 'count' },
    is_new: { name: 'Made', of: ({ is_new: isNew }) => (isNew ? 'by the session' : null), only: 'filled' },
  },
})
