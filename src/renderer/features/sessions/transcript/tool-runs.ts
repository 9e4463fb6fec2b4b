import { toolShape } from '../../../../shared/tool-shape.ts'
import { hasFailed } from './tool-text.ts'
import type { TranscriptRow } from './transcript-rows.ts'

type ToolRow = Extract<TranscriptRow, { type: 'tool' }>

/** So many calls in a row are one row until they are asked for. */
const LEAST = 6
/** Shapes that only look at something. */
const QUIET: ReadonlySet<string> = new Set(['read', 'search'])

/** Returns the key of a run of calls, which is not that of its first call. */
export const runKey = (row: TranscriptRow): string => `run of ${row.event.uuid}`

/**
 * Folds calls in a row of one tool that only read and succeeded into one row; the calls follow if it is open. A run that
 * has the selected event is open, unless it was toggled.
 */
export function foldRuns(
  rows: readonly TranscriptRow[],
  toggled: ReadonlySet<string>,
  selected: string | undefined,
): readonly TranscriptRow[] {
  const folded: TranscriptRow[] = []
  for (let from = 0, until = 0; from < rows.length; from = until) {
    const first = rows[from]
    for (until = from; isInRun(rows[until], first);) until += 1
    until = Math.max(until, from + 1)
    const run = rows.slice(from, until)
    if (first?.type !== 'tool' || run.length < LEAST) folded.push(...run)
    else {
      const calls = run.filter((row) => row.type === 'tool')
      const open = calls.some((row) => row.event.uuid === selected || row.result?.uuid === selected)
      const isOpen = open !== toggled.has(runKey(first))
      folded.push({ type: 'run', event: first.event, calls, open: isOpen, depth: first.depth }, ...(isOpen ? run : []))
    }
  }
  return folded
}

const isInRun = (row: TranscriptRow | undefined, first: TranscriptRow | undefined): boolean =>
  row?.type === 'tool' &&
  first?.type === 'tool' &&
  row.depth === first.depth &&
  row.event.payload.tool_name === first.event.payload.tool_name &&
  isQuiet(row)

const isQuiet = ({ event: { payload }, result }: ToolRow): boolean =>
  result !== null &&
  !hasFailed(result) &&
  QUIET.has(toolShape(payload.tool_name, payload.input ?? payload.digest ?? null).kind)
