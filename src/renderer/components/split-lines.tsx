import type { ReactNode } from 'react'
import { sideBySide } from '../../shared/diff-rows.ts'
import type { NumberedLine } from '../../shared/line-diff.ts'
import {
  type DiffLinesProps,
  FoldedLines,
  type LineColors,
  LineNumber,
  LineText,
  type ShownRow,
  Sign,
} from './diff-lines.tsx'

/** A diff in two columns: the version before on the left, the one after on the right. Long lines wrap. */
export function SplitLines({ rows, colors, isNumbered, onUnfold }: DiffLinesProps) {
  return (
    <code className="block">
      {runs(rows).map((run, index) =>
        Array.isArray(run) ? (
          sideBySide(run).map(({ left, right }, row) => (
            <span key={`${index} ${row}`} className="grid grid-cols-2">
              <Half line={left} number={left?.old ?? null} look="bg-bad-soft" {...{ colors, isNumbered }} />
              <Half line={right} number={right?.next ?? null} look="bg-good-soft" {...{ colors, isNumbered }} />
            </span>
          ))
        ) : (
          <FoldedLines key={index} row={run as Exclude<ShownRow, { kind: 'line' }>} onUnfold={onUnfold} />
        ),
      )}
    </code>
  )
}

interface HalfProps {
  readonly line: NumberedLine | null
  readonly number: number | null
  readonly look: string
  readonly colors: LineColors
  readonly isNumbered: boolean
}

function Half({ line, number, look, colors, isNumbered }: HalfProps): ReactNode {
  if (line === null) return <span className="border-r bg-hover last:border-0" />
  return (
    <span className={`flex min-w-0 border-r px-2 last:border-0 ${line.kind === 'same' ? '' : look}`}>
      <span className="shrink-0">
        {isNumbered && <LineNumber number={number} />}
        <Sign line={line} />
      </span>
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        <LineText line={line} tokens={colors.get(line)} />
      </span>
    </span>
  )
}

/** Groups lines that follow each other; folds and gaps stay alone. */
function runs(rows: readonly ShownRow[]): readonly (NumberedLine[] | ShownRow)[] {
  const groups: (NumberedLine[] | ShownRow)[] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (row.kind !== 'line') groups.push(row)
    else if (Array.isArray(last)) last.push(row.line)
    else groups.push([row.line])
  }
  return groups
}
