import { useContext, useMemo, useRef, useState } from 'react'
import type { FileChange } from '../../shared/file-change.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { diffOf, type DiffRow } from '../../shared/diff-rows.ts'
import { FOLDED_LINES } from '../lib/folded-text.ts'
import { formatCount, plural } from '../lib/format.ts'
import { diffColors } from '../../shared/syntax.ts'
import { useIsWide } from '../lib/use-wide.ts'
import { type ShownRow, UnifiedLines } from './diff-lines.tsx'
import { ShowAll, StartsOpen } from './show-all.tsx'
import { SplitLines } from './split-lines.tsx'

/** Width from which both versions are shown side by side. */
const SPLIT_WIDTH_PX = 900

interface DiffViewProps {
  readonly file: FileChange
  /** Shows the file's path above the lines. */
  readonly isNamed?: boolean
}

/** The change of one file: numbered lines in syntax colors, words that differ marked, unchanged lines folded. */
export function DiffView({ file, isNamed = false }: DiffViewProps) {
  const [isOpen, setOpen] = useState(useContext(StartsOpen))
  /** Opened folds, by position. */
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const box = useRef<HTMLDivElement>(null)
  const isWide = useIsWide(box, SPLIT_WIDTH_PX)
  const diff = useMemo(() => diffOf(file.parts, file.change === 'write' || file.change === 'add'), [file])
  const colors = useMemo(() => diffColors(diff, file.path), [diff, file.path])
  const rows = useMemo(() => withOpened(diff.rows, opened), [diff, opened])
  const isCut = rows.length > FOLDED_LINES + 4
  const shown = isOpen || !isCut ? rows : rows.slice(0, FOLDED_LINES)
  const isSplit = isWide && diff.added > 0 && diff.removed > 0
  const isAllNew = diff.rows.every((row) => row.kind === 'line' && row.line.kind === 'added')
  const Lines = isSplit ? SplitLines : UnifiedLines
  return (
    <div
      ref={box}
      className={`my-2 rounded-small border bg-sunken ${isAllNew ? 'border-l-2 border-l-good' : ''}`}
      dir="ltr"
    >
      {isNamed && (
        <p className="flex gap-3 border-b px-3.5 py-1 text-meta">
          <span className="min-w-0 truncate font-mono">{visibleText(file.path)}</span>
          <LineCounts {...diff} />
        </p>
      )}
      {rows.length === 0 ? (
        <p className="px-3.5 py-2 text-meta text-faint">{file.change === 'delete' ? 'Deleted' : 'No lines changed'}</p>
      ) : (
        <pre
          className="fade-x overflow-y-hidden py-1.5 font-mono text-meta leading-[1.55]"
          // The keyboard scrolls the element that has the focus.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-label={`Change of ${file.path}`}
        >
          <Lines
            rows={shown}
            colors={colors}
            isNumbered={diff.isNumbered}
            isAllNew={isAllNew}
            onUnfold={(at) => setOpened((now) => new Set(now).add(at))}
          />
        </pre>
      )}
      <ShowAll fold={{ isCut, isOpen, lines: rows.length, toggle: () => setOpen((now) => !now) }} />
    </div>
  )
}

/** Counts of added and removed lines. */
export function LineCounts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span
      className="ml-auto shrink-0 text-meta tabular-nums"
      role="img"
      aria-label={`${plural(added, 'line')} added, ${removed} removed`}
    >
      {added > 0 && <span className="text-good">+{formatCount(added)}</span>}{' '}
      {removed > 0 && <span className="text-bad">−{formatCount(removed)}</span>}
    </span>
  )
}

const withOpened = (rows: readonly DiffRow[], opened: ReadonlySet<number>): readonly ShownRow[] =>
  rows.flatMap((row, at): ShownRow[] =>
    row.kind === 'fold' && opened.has(at) ? row.lines.map((line) => ({ kind: 'line', line, at })) : [{ ...row, at }],
  )
