import type { OperationOutput } from '../contract/index.ts'
import { counted } from '../counted.ts'
import { tableOf } from './column.ts'

/** A tool's totals, with its pace once that is loaded. */
export interface ToolLine {
  readonly tool: string
  readonly calls: number
  readonly success_rate: number | null
  readonly pace: OperationOutput<'tools.pace'>['items'][number] | undefined
}

const LATEST =
  'of the latest 2,000 calls took this long or less; slowest first. Without hooks: from the call to its result, at most'

/** The few results with a time say nothing of the others, as for agents that run in the background. */
const paceOf = ({ calls, pace }: ToolLine): ToolLine['pace'] =>
  pace !== undefined && 2 * pace.timed >= Math.min(calls, LATEST_CALLS) ? pace : undefined
const LATEST_CALLS = 2000

/** Says why a tool has no durations though some of its calls do. */
const untimed = (row: ToolLine): string | undefined =>
  row.pace !== undefined && paceOf(row) === undefined
    ? `Known of ${row.pace.timed} of ${counted(row.calls, 'call')} only`
    : undefined

/** Calls, durations and failures of each tool. */
export const toolsTable = tableOf<ToolLine>()({
  columns: {
    tool: { name: 'Tool' },
    calls: { name: 'Calls', format: 'count', sort: 'calls', hint: 'Most calls first' },
    p50_ms: {
      name: 'Median',
      of: (row) => paceOf(row)?.p50_ms,
      format: 'duration',
      from: 700,
      sort: 'p50',
      hint: `50% ${LATEST}`,
      title: untimed,
    },
    p95_ms: {
      name: '95% within',
      of: (row) => paceOf(row)?.p95_ms,
      format: 'duration',
      from: 560,
      sort: 'p95',
      hint: `95% ${LATEST}`,
      title: untimed,
    },
    failed: {
      name: 'Failed',
      of: (row) => row.pace?.failed,
      format: 'count',
      tone: (row) => ((row.pace?.failed ?? 0) > 0 ? 'bad' : 'faint'),
      sort: 'failed',
      hint: 'Most failures first',
    },
    rejected: {
      name: 'Refused',
      of: (row) => row.pace?.rejected,
      format: 'count',
      tone: 'faint',
      from: 700,
      sort: 'refused',
      hint: 'Refused by the user or by settings; most first',
    },
    success_rate: {
      name: 'Succeeded',
      format: 'share',
      tone: (row) => (row.success_rate !== null && row.success_rate < 0.9 ? 'bad' : 'soft'),
    },
  },
})
