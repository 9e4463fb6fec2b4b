import { useMemo, useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { ShowRest } from '../../../components/cut-text.tsx'
import { formatCost, formatMoment } from '../../../lib/format.ts'
import { highlightLines, languageOf, type SyntaxToken } from '../../../../shared/syntax.ts'

type Blame = OperationOutput<'files.blame'>
type Line = Blame['items'][number]

/** Lines that are shown before "Show all". */
const MAX_LINES = 400

interface BlameLinesProps {
  readonly blame: Blame
  readonly onOpen: (uuid: string, sessionId: string) => void
}

/** The lines of a file; beside each run of lines of one call the prompt that led to it. */
export function BlameLines({ blame: { path, items }, onOpen }: BlameLinesProps) {
  const [isAll, setAll] = useState(false)
  const colors = useMemo(
    () => highlightLines(items.map(({ text }) => text ?? '').join('\n'), languageOf(path)),
    [items, path],
  )
  // The empty rest behind the last line break is not a line for a person.
  const lines = items.at(-1)?.text === '' ? items.slice(0, -1) : items
  const shown = isAll ? lines : lines.slice(0, MAX_LINES)
  return (
    <>
      <div
        className="my-2 overflow-x-auto overflow-y-hidden rounded-small border bg-sunken py-1.5 font-mono text-meta leading-[1.55]"
        dir="ltr"
        role="region"
        aria-label={`Lines of ${path}`}
        // The keyboard scrolls the element that has the focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        <ol className="min-w-max">
          {shown.map((line, at) => (
            <li key={line.line} className="flex pr-3.5">
              <Gutter
                line={line}
                isFirst={line.event === null || lines[at - 1]?.event !== line.event}
                onOpen={onOpen}
              />
              <span className="mr-3 inline-block w-[5ch] shrink-0 text-right text-soft tabular-nums select-none">
                {line.line}
              </span>
              <span className="whitespace-pre">
                {line.text === null ? (
                  <span className="text-faint">not recorded</span>
                ) : (
                  <Tokens line={line} tokens={colors?.[at]} />
                )}
              </span>
            </li>
          ))}
        </ol>
      </div>
      <ShowRest shown={shown.length} all={lines.length} noun="lines" onClick={() => setAll(true)} />
    </>
  )
}

const SAID = { seen: 'was there before', unknown: 'writer not known' } as const

interface GutterProps extends Pick<BlameLinesProps, 'onOpen'> {
  readonly line: Line
  /** The line before is of another call. */
  readonly isFirst: boolean
}

const PLACE =
  'sticky left-0 mr-2 w-[13rem] shrink-0 truncate border-r bg-sunken px-2.5 text-left font-sans max-[560px]:w-[7rem]'

/** Names the prompt of a line, and leads to it. */
function Gutter({ line, isFirst, onOpen }: GutterProps) {
  const { origin, event, prompt, prompt_text: asked, session_id: session, ts_wall: at, model, cost_usd: cost } = line
  if (!isFirst) return <span className={PLACE} />
  if (origin === 'seen' || origin === 'unknown' || event === null || session === null)
    return <span className={`${PLACE} text-faint`}>{SAID[origin === 'seen' ? origin : 'unknown']}</span>
  const text = asked === null ? 'no prompt recorded' : visibleText(asked.replaceAll(/\s+/g, ' '))
  const facts = [
    formatMoment(at),
    model,
    cost === null ? null : `turn ${formatCost(cost)}`,
    origin === 'derived' ? 'by a command' : null,
  ]
  return (
    <button
      type="button"
      onClick={() => onOpen(prompt ?? event, session)}
      title={`${text}\n${facts.filter((fact) => fact !== null).join(' · ')}`}
      className={`${PLACE} text-accent hover:underline`}
    >
      {text}
    </button>
  )
}

function Tokens({ line, tokens }: { readonly line: Line; readonly tokens: readonly SyntaxToken[] | undefined }) {
  const pieces = tokens ?? [{ text: line.text ?? '', color: undefined }]
  return pieces.map(({ text, color }, at) => (
    <span key={at} className={color}>
      {visibleText(text)}
    </span>
  ))
}
