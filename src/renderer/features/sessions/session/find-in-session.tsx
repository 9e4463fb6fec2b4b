import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../../components/button.tsx'
import { SearchBox } from '../../../components/search-box.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { findQuery } from '../queries.ts'

interface FindInSessionProps {
  readonly sessionId: string
  readonly current: string | undefined
  readonly text: string
  readonly onText: (text: string) => void
  readonly onOpen: (uuid: string) => void
}

/**
 * Searches within one session and marks the words in its transcript. Enter jumps to the next match, Shift+Enter to the
 * previous one.
 */
export function FindInSession({ sessionId, current, text, onText, onOpen }: FindInSessionProps) {
  const input = useRef<HTMLInputElement>(null)
  const asked = useDebounced(text.trim(), 140)
  const { data, error } = useQuery(findQuery(sessionId, asked))
  const hits = asked === '' ? [] : (data?.hits ?? [])
  const position = hits.findIndex((hit) => hit.uuid === current)
  const step = (by: number) => {
    if (hits.length === 0) return
    const next = hits[position < 0 ? (by > 0 ? 0 : hits.length - 1) : (position + by + hits.length) % hits.length]
    if (next) onOpen(next.uuid)
  }
  const outcome = () => {
    if (asked === '') return ''
    if (error !== null) return 'Search failed'
    if (data === undefined) return ''
    if (hits.length === 0) return 'No matches'
    return `${position < 0 ? '' : `${position + 1} of `}${formatCount(data.total)}`
  }
  const find = () => input.current?.select()
  useHotkeys({ '/': find, 'mod+f': find })
  return (
    <div className="flex min-w-0 items-center gap-1 max-[700px]:flex-1" role="search" aria-label="Find in this session">
      <SearchBox
        inputRef={input}
        value={text}
        onChange={onText}
        label="Find in this session"
        placeholder="Find in session"
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <span
        role="status"
        className="min-w-16 shrink-0 text-center max-[700px]:min-w-0 text-meta text-faint empty:hidden"
      >
        {outcome()}
      </span>
      {hits.length > 0 && (
        <>
          <Button look="ghost" size="icon" aria-label="Previous match (Shift+Enter)" onClick={() => step(-1)}>
            <ChevronUp className="size-4" aria-hidden />
          </Button>
          <Button look="ghost" size="icon" aria-label="Next match (Enter)" onClick={() => step(1)}>
            <ChevronDown className="size-4" aria-hidden />
          </Button>
        </>
      )}
    </div>
  )
}
