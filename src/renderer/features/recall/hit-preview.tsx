import { ArrowRight } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Button } from '../../components/button.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { excerptOf, isMarkdownHit } from '../../lib/snippet.ts'
import { foundWords, wordPattern } from '../../lib/find-words.ts'
import { formatMoment, projectName } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import { rangesOf, useFindMarks } from '../../lib/use-find-marks.ts'
import { MatchType } from './match-type.tsx'

/** Characters of a text in the preview. */
const MAX_CHARACTERS = 20_000

/** The whole text of a hit next to the list, with the matched words marked, scrolled to the first of them. */
export function HitPreview({ hit, onOpen }: { hit: Hit; onOpen: (hit: Hit) => void }) {
  // No single event has the text of a session's summary or of a memory.
  const isEvent = hit.match_type !== 'episode' && hit.match_type !== 'memory'
  const query = useOperation('events.get', { uuid: hit.uuid }, { enabled: isEvent, freshMs: Number.POSITIVE_INFINITY })
  const body = useRef<HTMLDivElement>(null)
  const marked = useRef<{ element: HTMLElement | null }>({ element: null })
  const pattern = useMemo(() => wordPattern(foundWords([hit.content])), [hit.content])
  useFindMarks(marked, pattern)
  const text = (event: typeof query.data) => (
    <Text
      key={hit.uuid}
      hit={hit}
      text={event === undefined ? null : textIn(event.payload)}
      onShown={() => scrollToFirst(body.current, pattern)}
    />
  )
  return (
    <aside
      aria-label="Preview"
      className="flex min-h-0 w-[clamp(20rem,32vw,44rem)] flex-col border-l bg-surface"
      ref={(element) => {
        marked.current.element = element
      }}
    >
      <div className="flex shrink-0 flex-col gap-1 border-b px-5 pt-4 pb-3">
        <div className="flex items-center gap-3">
          <MatchType type={hit.match_type} />
          <span className="text-meta text-faint">{formatMoment(hit.timestamp)}</span>
          <Button look="ghost" size="small" className="ml-auto" onClick={() => onOpen(hit)}>
            Open in its session <ArrowRight className="size-4" aria-hidden />
          </Button>
        </div>
        <p className="line-clamp-3 text-small font-medium">
          {hit.session_title === undefined ? projectName(hit.project) : visibleText(hit.session_title)}
        </p>
      </div>
      {/* A scrolling region must be reachable by keyboard. */}
      <div
        ref={body}
        role="region"
        aria-label="Text of the hit"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-5 py-4"
      >
        {isEvent ? loaded({ query, rows: 4, label: 'Loading the text' }, text) : text(undefined)}
      </div>
    </aside>
  )
}

/** Returns the text of an event; for a tool call or result, its JSON. */
function textIn(payload: { readonly [key: string]: unknown }): string | null {
  const text = payload['text'] ?? payload['summary'] ?? payload['output'] ?? payload['input']
  if (text === undefined || text === null || text === '') return null
  return typeof text === 'string' ? text : JSON.stringify(text, null, 2)
}

/** Scrolls an element to the first text that a pattern finds. */
function scrollToFirst(root: HTMLElement | null, pattern: RegExp | null): void {
  if (root === null) return
  const first = pattern === null ? undefined : rangesOf(root, pattern)[0]
  const top = first === undefined ? 0 : first.getBoundingClientRect().top - root.getBoundingClientRect().top
  root.scrollTop = Math.max(0, root.scrollTop + top - root.clientHeight / 3)
}

interface TextProps {
  readonly hit: Hit
  /** null if the event has no text of its own: then only its excerpt can be shown. */
  readonly text: string | null
  readonly onShown: () => void
}

function Text({ hit, text, onShown }: TextProps) {
  const shownOnce = useRef(onShown)
  useEffect(() => shownOnce.current(), [])
  if (text === null)
    return (
      <p dir="auto" className="traffic leading-relaxed">
        <Snippet content={excerptOf(hit)} />
      </p>
    )
  const shown = firstCharacters(text, MAX_CHARACTERS)
  return (
    <>
      {isMarkdownHit(hit) ? (
        <Markdown text={shown} />
      ) : (
        <p dir="auto" className="traffic leading-relaxed wrap-anywhere">
          {visibleText(shown)}
        </p>
      )}
      {shown.length < text.length && (
        <p className="mt-3 text-meta text-faint">Cut here. The session has the whole text.</p>
      )}
    </>
  )
}
