import { useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { keptMessages } from '../../../../shared/kept-messages.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { Markdown } from '../../../components/markdown.tsx'
import { SearchBox } from '../../../components/search-box.tsx'
import { Segments } from '../../../components/segments.tsx'
import { ShowAll, useFoldedText } from '../../../components/show-all.tsx'
import { plural } from '../../../lib/format.ts'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { droppedInput, hitsToCopy } from '../../../lib/dropped.ts'
import { useOperation } from '../../../lib/operation.ts'
import { usePack } from '../../../lib/pack-store.ts'
import { packToCopy } from '../../../lib/pack-to-copy.ts'
import { DroppedGroups } from './dropped-groups.tsx'
import { useUsualKept } from './usual-kept.ts'

type Dropped = OperationOutput<'compactions.dropped'>

const SIDES = [
  { value: 'dropped', name: 'Dropped' },
  { value: 'summary', name: 'Summary' },
] as const

/**
 * Texts that a compaction dropped, next to its summary, with boxes that add it to the pack. A narrow panel shows one of
 * the two.
 */
export function DroppedPanel({ uuid, onOpen }: { readonly uuid: string; readonly onOpen: (uuid: string) => void }) {
  const [words, setWords] = useState('')
  const [side, setSide] = useState<(typeof SIDES)[number]['value']>('dropped')
  const asked = useDebounced(words.trim(), 140)
  const query = useOperation('compactions.dropped', droppedInput(uuid, asked))
  const { data, isPlaceholderData } = query
  const compared = useUsualKept(uuid, asked === '' ? data : undefined)
  return (
    <section
      aria-label="What was dropped"
      className="@container mt-2 rounded-small border bg-surface px-3 py-2.5 max-[560px]:px-2"
    >
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
        {data !== undefined && <CopyTexts dropped={data} />}
      </div>
      {loaded({ query, rows: 3, label: 'Loading dropped messages' }, (dropped) => (
        <>
          <p className="mt-2 text-meta text-soft" role="status">
            {coverage(dropped, asked, asked === '' ? compared : null)}
          </p>
          <div className="mt-2 @[30rem]:hidden">
            <Segments label="Dropped or summary" options={SIDES} value={side} onChange={setSide} />
          </div>
          <div className={`mt-2 grid gap-x-6 gap-y-4 @[30rem]:grid-cols-2 ${isPlaceholderData ? 'awaited' : ''}`}>
            <div className={`min-w-0 ${side === 'dropped' ? '' : '@max-[30rem]:hidden'}`}>
              <DroppedGroups
                items={dropped.items}
                lost={dropped.lost}
                files={asked === '' ? dropped.files : []}
                outputs={asked === '' ? dropped.outputs : []}
                isSummaryKnown={dropped.summary !== ''}
                onOpen={onOpen}
              />
            </div>
            <section aria-label="Summary" className={`min-w-0 ${side === 'summary' ? '' : '@max-[30rem]:hidden'}`}>
              <h2 className="label mb-1">Summary that the model kept</h2>
              <Summary text={dropped.summary} />
            </section>
          </div>
        </>
      ))}
    </section>
  )
}

function coverage(dropped: Dropped, asked: string, compared: string | null): string {
  if (asked !== '') return dropped.items.length === 0 ? 'No matches among the dropped messages.' : MATCHES
  const known = [keptMessages(dropped), ...(compared === null ? [] : [compared])].join(' ')
  return dropped.items.length === 0 || dropped.summary === '' ? known : `${known} Check what to bring back.`
}

const MATCHES = 'Dropped messages that match. Check what to bring back.'
function Summary({ text }: { text: string }) {
  const fold = useFoldedText(text)
  if (text === '') return <p className="text-small text-soft">Encrypted by the API.</p>
  return (
    <>
      <div className="text-small text-soft">
        <Markdown text={fold.shown} />
      </div>
      <ShowAll fold={fold} />
    </>
  )
}

/** Copies the checked texts; without a choice, those that lost something. */
function CopyTexts({ dropped }: { readonly dropped: Dropped }) {
  const pack = usePack()
  const lost = dropped.items.filter((item) => dropped.summary === '' || item.lost.length > 0)
  const { hits, noun } = hitsToCopy(dropped, lost, pack.hits)
  if (hits.length === 0) return null
  return (
    <CopyButton
      look="plain"
      label={noun === 'checked hit' ? `Copy ${hits.length} checked` : `Copy ${plural(hits.length, noun)}`}
      load={() => packToCopy({ ...pack, hits }, { noun })}
    />
  )
}
