import { memo, type ReactNode } from 'react'
import { visibleText } from '../../shared/visible-text.ts'
import { diffWords } from '../lib/character-diff.ts'
import { plural } from '../lib/format.ts'
import type { DiffRow } from '../../shared/diff-rows.ts'
import type { NumberedLine } from '../../shared/line-diff.ts'
import type { SyntaxToken } from '../../shared/syntax.ts'

const SIGNS = { same: ' ', added: '+', removed: '−' } as const
const LOOKS = { same: '', added: 'bg-good-soft', removed: 'bg-bad-soft' } as const
/** Longer lines are not compared word by word. */
const MAX_COMPARED = 500

/** Colors of a line's tokens. */
export type LineColors = ReadonlyMap<NumberedLine, readonly SyntaxToken[]>

/** A row on screen, with the position of its fold. */
export type ShownRow = DiffRow & { readonly at: number }

export interface DiffLinesProps {
  readonly rows: readonly ShownRow[]
  readonly colors: LineColors
  readonly isNumbered: boolean
  /** Every line is new, so none needs a color of its own. */
  readonly isAllNew?: boolean
  readonly onUnfold: (at: number) => void
}

/** A diff in one column: removed lines above the added ones. */
export function UnifiedLines({ rows, colors, isNumbered, isAllNew = false, onUnfold }: DiffLinesProps) {
  return (
    <code className="block min-w-max">
      {rows.map((row, index) =>
        row.kind !== 'line' ? (
          <FoldedLines key={index} row={row} onUnfold={onUnfold} />
        ) : (
          <span key={index} className={`block px-3.5 ${isAllNew ? '' : LOOKS[row.line.kind]}`}>
            {isNumbered && (
              <>
                {!isAllNew && <LineNumber number={row.line.old} />}
                <LineNumber number={row.line.next} />
              </>
            )}
            <Sign line={row.line} />
            {/* A box of its own, since tab stops count from its edge. */}
            <span className="inline-block">
              <LineText line={row.line} tokens={colors.get(row.line)} />
            </span>
          </span>
        ),
      )}
    </code>
  )
}

/** The row of lines that are not shown, with a button if they are known. */
export function FoldedLines({
  row,
  onUnfold,
}: {
  readonly row: Exclude<ShownRow, { kind: 'line' }>
  readonly onUnfold: (at: number) => void
}): ReactNode {
  if (row.kind === 'gap') return <span className="block bg-hover px-3.5 text-faint">⋯</span>
  return (
    <button
      type="button"
      onClick={() => onUnfold(row.at)}
      className="block min-h-6 w-full bg-hover px-3.5 text-left font-sans text-meta text-soft hover:text-ink"
    >
      Show {plural(row.lines.length, 'unchanged line')}
    </button>
  )
}

export function LineNumber({ number }: { readonly number: number | null }): ReactNode {
  return (
    <span className="mr-2 inline-block min-w-[4ch] text-right text-soft tabular-nums select-none" aria-hidden>
      {number ?? ''}
    </span>
  )
}

export const Sign = ({ line }: { readonly line: NumberedLine }): ReactNode => (
  <span className="mr-2 inline-block w-[1ch] text-soft select-none">{SIGNS[line.kind]}</span>
)

/** A line in syntax colors; in one that replaces another, the words that differ are marked. */
export const LineText = memo(function LineText({
  line,
  tokens = [{ text: line.text, color: undefined }],
}: {
  readonly line: NumberedLine
  readonly tokens: readonly SyntaxToken[] | undefined
}) {
  const marks = marksOf(line)
  const mark = line.kind === 'added' ? 'bg-good/25' : 'bg-bad/25'
  return pieces(tokens, marks).map(({ text, color, isMarked }, index) =>
    color === undefined && !isMarked ? (
      visibleText(text)
    ) : (
      // The background of a mark is too dark for colors.
      <span key={index} className={isMarked ? `rounded-[0.15rem] ${mark}` : color}>
        {visibleText(text)}
      </span>
    ),
  )
})

/** Returns where marked words begin and end, in characters of the line. */
function marksOf({ kind, text, replaces }: NumberedLine): readonly { from: number; until: number }[] {
  if (replaces === null || text.length > MAX_COMPARED || replaces.length > MAX_COMPARED) return []
  const spans = kind === 'removed' ? diffWords(text, replaces) : diffWords(replaces, text)
  const marks: { from: number; until: number }[] = []
  let at = 0
  for (const span of spans ?? []) {
    if (span.kind !== 'same' && span.kind !== kind) continue
    if (span.kind === kind) marks.push({ from: at, until: at + span.text.length })
    at += span.text.length
  }
  return marks
}

/** Cuts tokens where a mark begins or ends. */
function pieces(tokens: readonly SyntaxToken[], marks: readonly { from: number; until: number }[]) {
  const cuts = marks.flatMap(({ from, until }) => [from, until])
  let at = 0
  return tokens.flatMap(({ text, color }) => {
    const from = at
    at += text.length
    const inner = cuts.filter((cut) => cut > from && cut < from + text.length)
    return [from, ...inner].map((start, index) => ({
      text: text.slice(start - from, (inner[index] ?? from + text.length) - from),
      color,
      isMarked: marks.some((mark) => start >= mark.from && start < mark.until),
    }))
  })
}
