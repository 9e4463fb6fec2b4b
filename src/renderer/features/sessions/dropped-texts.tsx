import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { KindIcon } from '../../components/event-kind.tsx'
import { formatCount, formatMoment, plural } from '../../lib/format.ts'
import { droppedQuery } from './queries.ts'

interface DroppedTextsProps {
  readonly uuid: string
  readonly onOpen: (uuid: string) => void
}

/** What was said before a compaction and is not in its summary, by the words that the summary lacks. */
export function DroppedTexts({ uuid, onOpen }: DroppedTextsProps) {
  const [open, setOpen] = useState(false)
  return (
    <div className="mt-2">
      <Button className="h-7! px-2.5! text-[0.8rem]!" aria-expanded={open} onClick={() => setOpen(!open)}>
        What was dropped
      </Button>
      {open && <DroppedList uuid={uuid} onOpen={onOpen} />}
    </div>
  )
}

function DroppedList({ uuid, onOpen }: DroppedTextsProps) {
  const { data, error } = useQuery(droppedQuery(uuid))
  if (error) return <p className="mt-2 text-[0.8667rem] text-bad">{error.message}</p>
  if (!data) return <div className="skeleton mt-2 h-24" role="status" aria-label="Loading what was dropped" />
  return (
    <div className="mt-2 rounded-small border bg-surface px-3 py-2">
      <p className="text-[0.8rem] text-soft">
        {plural(data.texts, 'text')} stood before it{data.partial ? ' (the newest of more)' : ''}; the summary has every
        word of {formatCount(data.covered)}. Of the others, those with most words that it lacks:
      </p>
      <ol className="mt-1 flex flex-col">
        {data.items.map((item) => (
          <li key={item.uuid} className="border-t first:border-0">
            <button
              type="button"
              onClick={() => onOpen(item.uuid)}
              className="grid w-full grid-cols-[1rem_minmax(0,1fr)_auto] gap-x-2.5 rounded-small py-1.5 text-left hover:bg-hover"
            >
              <KindIcon kind={item.kind} className="mt-0.5 size-4" />
              <span className="min-w-0">
                <span className="traffic line-clamp-2 text-[0.8667rem]">{item.content}</span>
                <span className="traffic block truncate text-[0.8rem] text-faint">
                  lacks {item.missing_words.join(', ')}
                  {item.missing > item.missing_words.length && ` and ${item.missing - item.missing_words.length} more`}
                </span>
              </span>
              <span className="text-2xs text-faint">{formatMoment(item.timestamp)}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}
