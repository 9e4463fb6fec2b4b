import { useMemo, useState } from 'react'
import { diffCharacters } from '../lib/character-diff.ts'
import { FOLDED_LINES } from '../lib/folded-text.ts'
import { type DiffLine, diffAllLines, type NumberedLine, numberLines, withoutFarContext } from '../lib/line-diff.ts'
import { ShowAll } from './show-all.tsx'

const SIGNS = { same: ' ', added: '+', removed: '−', gap: '⋯' } as const
const LOOKS = {
  same: '',
  added: 'bg-good-soft',
  removed: 'bg-bad-soft',
  gap: 'text-faint',
} as const
/** Longer lines are not compared word by word. */
const MAX_COMPARED = 500

interface DiffViewProps {
  readonly before: string
  readonly after: string
  readonly name: string
  /** Number of the first line in the file; null hides the numbers. */
  readonly firstLine?: number | null
}

/** Changed lines of an edit with their counts, marked by signs as well as colors. A long diff shows its start. */
export function DiffView({ before, after, name, firstLine = null }: DiffViewProps) {
  const [isOpen, setOpen] = useState(false)
  const { lines, added, removed } = useMemo(() => compared(before, after, firstLine ?? 1), [before, after, firstLine])
  const isCut = lines.length > FOLDED_LINES
  const shown = isOpen ? lines : lines.slice(0, FOLDED_LINES)
  return (
    <div className="my-2 rounded-small border bg-sunken">
      <p className="border-b px-3.5 py-1 text-meta tabular-nums">
        <span className="text-good">+{added}</span> <span className="text-bad">−{removed}</span>
      </p>
      <pre
        className="overflow-x-auto overflow-y-hidden py-2 font-mono text-meta leading-[1.55]"
        dir="ltr"
        // The keyboard scrolls the element that has the focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={name}
      >
        <code className="block min-w-max">
          {shown.map((line, index) => (
            <span key={index} className={`block px-3.5 ${LOOKS[line.kind]}`}>
              {firstLine !== null && <LineNumbers line={line} />}
              <span className="mr-3 inline-block w-2 text-soft select-none">{SIGNS[line.kind]}</span>
              <LineText line={line} />
            </span>
          ))}
        </code>
      </pre>
      <ShowAll fold={{ isCut, isOpen, lines: lines.length, toggle: () => setOpen((now) => !now) }} />
    </div>
  )
}

function compared(before: string, after: string, first: number) {
  const all = diffAllLines(before, after)
  return {
    lines: withoutFarContext(numberLines(all, first)),
    added: all.filter(({ kind }) => kind === 'added').length,
    removed: all.filter(({ kind }) => kind === 'removed').length,
  }
}

function isNumbered(line: DiffLine | NumberedLine): line is NumberedLine {
  return 'replaces' in line
}

function LineNumbers({ line }: { line: DiffLine | NumberedLine }) {
  const [old, next] = isNumbered(line) ? [line.old, line.next] : [null, null]
  return (
    <span className="mr-3 inline-block w-18 text-right text-soft tabular-nums select-none" aria-hidden>
      {(old ?? '').toString().padStart(4)} {(next ?? '').toString().padStart(4)}
    </span>
  )
}

/** A line; in one that replaces another, the words that differ are marked. */
function LineText({ line }: { line: DiffLine | NumberedLine }) {
  if (!isNumbered(line) || line.replaces === null) return line.text
  if (line.text.length > MAX_COMPARED || line.replaces.length > MAX_COMPARED) return line.text
  const spans = diffCharacters(
    ...((line.kind === 'removed' ? [line.text, line.replaces] : [line.replaces, line.text]) as [string, string]),
  )
  return spans
    .filter(({ kind }) => kind === 'same' || kind === line.kind)
    .map((span, index) =>
      span.kind === 'same' ? (
        span.text
      ) : (
        <span key={index} className={`rounded-[0.15rem] ${line.kind === 'added' ? 'bg-good/30' : 'bg-bad/30'}`}>
          {span.text}
        </span>
      ),
    )
}
