import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type RefObject, useCallback, useState } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { copyText } from '../../components/copy-button.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Empty, Failed, LoadingRows } from '../../components/states.tsx'
import { formatCount, plural } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { snippetText } from '../../lib/snippet.ts'
import { useQueryText } from '../../lib/use-query-text.ts'
import { HitRow } from './hit-row.tsx'
import { MATCH_LOOKS } from './match-type.tsx'
import { PackDrawer } from './pack-drawer.tsx'
import { hitsQuery } from './queries.ts'
import { RecallFilters } from './recall-filters.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'

const route = getRouteApi('/recall')
const NO_HITS: readonly Hit[] = []

/** One box, and what it finds as one types; j and k walk the hits, space chooses, Enter opens. */
export function HitsTab({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const search = route.useSearch()
  const navigateHere = route.useNavigate()
  const navigate = useNavigate()
  const [text, setText] = useQueryText(search.q, (q) => void navigateHere({ search: { ...search, q }, replace: true }))
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(hitsQuery(search))
  const [currentId, setCurrentId] = useState<string | null>(null)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const asked = search.q !== undefined && search.q.trim() !== ''
  const hits = asked ? (data?.items ?? NO_HITS) : NO_HITS
  const position = hits.findIndex((hit) => hit.uuid === currentId)
  const current = hits[position]

  const choose = useCallback(
    (uuid: string) => setChosen((now) => (now.includes(uuid) ? now.filter((other) => other !== uuid) : [...now, uuid])),
    [],
  )
  const move = (by: number) => {
    const next = hits[Math.max(0, Math.min(hits.length - 1, position + by))]
    if (next) setCurrentId(next.uuid)
  }
  const open = (hit: Hit | undefined) => {
    if (hit)
      void navigate({ to: '/sessions/$sessionId', params: { sessionId: hit.session_id }, search: { event: hit.uuid } })
  }
  useHotkeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => open(current),
    ' ': () => current && choose(current.uuid),
    Escape: () => setChosen([]),
    c: () => {
      if (chosen.length > 0) document.querySelector<HTMLButtonElement>('[data-copy-pack] button')?.click()
      else if (current)
        void copyText(
          snippetText(current.content),
          `Copied the ${MATCH_LOOKS[current.match_type].label.toLowerCase()} of this hit`,
        )
    },
  })

  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_auto]">
      <div className="flex min-h-0 flex-col">
        <div className="shrink-0 px-6 pb-3">
          <div className="mx-auto flex max-w-[64rem] flex-col gap-3">
            <SearchBox
              big
              focusFirst
              inputRef={input}
              value={text}
              onChange={setText}
              label="Search everything said and done"
              placeholder="A word, a “phrase”, or a question"
              onKeyDown={(event) => {
                if (event.key === 'Enter' && !current) open(hits[0])
                else if (event.key === 'Enter') open(current)
                else if (event.key === 'ArrowDown') {
                  event.preventDefault()
                  move(1)
                  event.currentTarget.blur()
                } else if (event.key === 'Escape') event.currentTarget.blur()
              }}
            />
            <RecallFilters state={search} onChange={(state) => void navigateHere({ search: state, replace: true })} />
          </div>
        </div>
        <ScrollRegion label="Hits" aria-busy={isFetching} className="min-h-0 flex-1 px-6 pb-8">
          <div className={`mx-auto max-w-[64rem] transition-opacity ${isPlaceholderData ? 'opacity-60' : ''}`}>
            {!asked && <Start />}
            {asked && error && <Failed error={error} onRetry={() => void refetch()} />}
            {asked && !error && !data && <LoadingRows />}
            {asked && !error && data && (
              <>
                <p className="mb-2 px-4 text-[0.8rem] text-faint" role="status">
                  {describe(data.items.length, data.total, data.matched_by, data.partial === true)}
                </p>
                {hits.length === 0 ? (
                  <Nothing />
                ) : (
                  <ol className="flex flex-col gap-1" aria-label="Hits">
                    {hits.map((hit) => (
                      <HitRow
                        key={hit.uuid}
                        hit={hit}
                        current={hit.uuid === currentId}
                        chosen={chosen.includes(hit.uuid)}
                        onChoose={choose}
                        onPoint={setCurrentId}
                      />
                    ))}
                  </ol>
                )}
              </>
            )}
          </div>
        </ScrollRegion>
      </div>
      {chosen.length > 0 && <PackDrawer uuids={chosen} onClear={() => setChosen([])} />}
    </div>
  )
}

const TAKEN = { phrase: 'as a phrase', all: 'all words', any: 'any of the words', raw: 'as an FTS5 query' } as const

function describe(shown: number, total: number, matchedBy: readonly (keyof typeof TAKEN)[], partial: boolean): string {
  if (total === 0) return 'No hits'
  const how = matchedBy.map((way) => TAKEN[way]).join(', then ')
  const count = shown < total ? `Best ${formatCount(shown)} of ${plural(total, 'hit')}` : plural(total, 'hit')
  return `${count}${how === '' ? '' : ` · ${how}`}${partial ? ' · the search was cut short, there may be more' : ''}`
}

function Start() {
  return (
    <Empty icon={Search} title="What do you want back?">
      <p>
        Everything you asked and Claude thought, answered or summarised is here, also what compaction dropped. Choose
        hits with <kbd className="font-mono">space</kbd> to make a pack that you can hand to Claude.
      </p>
    </Empty>
  )
}

function Nothing() {
  return (
    <Empty icon={Search} title="Nothing holds these words">
      <p>Try fewer or other words, a wider time, or switch Tools on to search what tools were given and gave back.</p>
    </Empty>
  )
}
