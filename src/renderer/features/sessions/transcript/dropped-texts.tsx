import { visibleText } from '../../../../shared/visible-text.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { KindIcon } from '../../../components/event-kind.tsx'
import { SearchBox } from '../../../components/search-box.tsx'
import { formatCount, formatMoment, plural } from '../../../lib/format.ts'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { droppedQuery } from '../queries.ts'

interface DroppedTextsProps {
  readonly uuid: string
  readonly onOpen: (uuid: string) => void
}

/** Messages before a compaction that its summary does not cover, least covered first. */
export function DroppedTexts({ uuid, onOpen }: DroppedTextsProps) {
  const [open, setOpen] = useState(false)
  return (
    <div className="mt-2">
      <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        What was dropped
      </Button>
      {open && <DroppedList uuid={uuid} onOpen={onOpen} />}
    </div>
  )
}

function DroppedList({ uuid, onOpen }: DroppedTextsProps) {
  const [words, setWords] = useState('')
  const asked = useDebounced(words.trim(), 140)
  const { data, error, isPlaceholderData } = useQuery(droppedQuery(uuid, asked))
  return (
    <div className="mt-2 rounded-small border bg-surface px-3 py-2.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <SearchBox
          value={words}
          onChange={setWords}
          label="Search what was dropped"
          placeholder="Search what was dropped"
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
        {data?.pack && data.items.length > 0 && (
          <CopyButton
            look="plain"
            label="Copy as pack"
            text={data.pack.text}
            notice={`Copied the pack: ${plural(data.pack.included, 'message')}, about ${formatCount(data.pack.tokens)} tokens`}
          />
        )}
      </div>
      {error ? (
        <p className="mt-2 text-small text-bad">{error.message}</p>
      ) : !data ? (
        <div className="skeleton mt-2 h-24" role="status" aria-label="Loading dropped messages" />
      ) : (
        <>
          <p className="mt-2 text-meta text-soft" role="status">
            The summary covers {formatCount(data.covered)} of {plural(data.texts, 'message')}
            {data.partial ? ' (only the newest were checked)' : ''}.{' '}
            {asked === ''
              ? 'Least covered first:'
              : data.items.length === 0
                ? 'No matches among the dropped messages.'
                : 'Matches among the dropped messages:'}
          </p>
          <ol className={`mt-1 flex flex-col ${isPlaceholderData ? 'awaited' : ''}`}>
            {data.items.map((item) => (
              <li key={item.uuid} className="border-t first:border-0">
                <button
                  type="button"
                  onClick={() => onOpen(item.uuid)}
                  className="grid w-full grid-cols-[1rem_minmax(0,1fr)_auto] gap-x-2.5 rounded-small py-1.5 text-left hover:bg-hover"
                >
                  <KindIcon kind={item.kind} className="mt-0.5 size-4" />
                  <span className="min-w-0">
                    <span className="traffic line-clamp-2 text-small">{visibleText(item.content)}</span>
                    <span className="traffic line-clamp-1 text-meta text-faint">
                      {plural(item.missing, 'word')} not in the summary: {item.missing_words.join(', ')}
                    </span>
                  </span>
                  <span className="pt-0.5 text-micro text-faint">{formatMoment(item.timestamp)}</span>
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}
