import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { loaded } from '../../components/loaded.tsx'
import { PackDrawer } from '../../components/pack-drawer.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { clearPack, togglePacked, usePack } from '../../lib/pack-store.ts'
import { useOperation } from '../../lib/operation.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { useQueryText } from '../../lib/use-query-text.ts'
import { useIsWide } from '../../lib/use-wide.ts'
import { copyHit } from './copy-hit.ts'
import { foldHits, shownHits } from './fold-hits.ts'
import { HitList } from './hit-list.tsx'
import { HitPreview } from './hit-preview.tsx'
import { HitsHeader } from './hits-header.tsx'
import { useRemember } from './memory-button.tsx'
import { RecallFilters } from './recall-filters.tsx'
import { arranged, type RecallState, searchInput, spanOf } from './recall-search.ts'
import { RecallStart } from './recall-start.tsx'
import { noteFound, noteSearch } from '../../lib/recent-searches.ts'
import { SearchNotes } from './search-notes.tsx'
import { toSession } from '../../lib/places.ts'

const route = getRouteApi('/recall')
const NO_HITS: readonly Hit[] = []
/** Time that the pointer rests on a hit before it is previewed. */
const HOVER_MS = 150
/** From this width on, in px without the rail, there is room for a preview next to the hits. */
const WIDE_PX = { alone: 960, withPack: 1500 } as const

/** Reads the hits. Previous ones stay on screen until the new ones arrive; a newer search cancels this one. */
function useHits(search: RecallState, enabled: boolean) {
  const query = useOperation('recall.search', searchInput(search), { enabled, moving: spanOf(search.range) })
  const hasFound = enabled && (query.data?.items.length ?? 0) > 0
  useEffect(() => {
    if (hasFound) noteFound()
  }, [hasFound])
  return query
}

/** Searches everything while the user types. `j` and `k` move, Space selects for the pack, Enter opens. */
export function HitsTab({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [text, setText] = useQueryText(
    search.q,
    (q) => void navigate({ search: (now) => ({ ...now, q }), replace: true }),
  )
  const change = (state: RecallState) => void navigate({ search: state, replace: true })
  const hasQuery = search.q !== undefined && search.q.trim() !== ''
  const query = useHits(search, hasQuery)
  const { data, isFetching, isPlaceholderData } = query
  const found = hasQuery ? (data?.items ?? NO_HITS) : NO_HITS
  // Folded within a session if hits are grouped by session.
  const folds = useMemo(() => foldHits(arranged(found, search.group), search.group), [found, search.group])
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const hits = useMemo(() => shownHits(folds, open), [folds, open])
  const [currentId, setCurrentId] = useState<string | null>(null)
  const position = hits.findIndex((hit) => hit.uuid === currentId)
  const current = hits[position]
  const { hits: chosen } = usePack()
  const openHit = useOpenHit(search.q)
  const openFound = isPlaceholderData || text !== (search.q ?? '') ? openNothing : openHit
  const root = useRef<HTMLDivElement>(null)
  const isWide = useIsWide(root, chosen.length > 0 ? WIDE_PX.withPack : WIDE_PX.alone)
  const [hovered, setHovered] = useState<string | null>(null)
  const pointed = useDebounced(hovered, HOVER_MS)
  const previewed = found.find(({ uuid }) => uuid === (pointed ?? currentId)) ?? current ?? hits[0]
  const move = (by: number) => {
    const next = hits[Math.max(0, Math.min(hits.length - 1, position + by))]
    if (next) setCurrentId(next.uuid)
  }
  useHitHotkeys({ current, hasPack: chosen.length > 0, move, open: openFound })

  return (
    <div
      ref={root}
      className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_auto_auto] max-[800px]:grid-cols-1 max-[800px]:grid-rows-[minmax(0,1fr)_auto]"
    >
      <div className="flex min-h-0 flex-col">
        <div className="shrink-0 px-6 pb-3 max-[700px]:px-4">
          <div className="mx-auto flex max-w-[64rem] flex-col gap-3">
            <SearchBox
              big
              focusFirst
              inputRef={input}
              value={text}
              onChange={setText}
              label="Search everything said and done"
              placeholder="A word or a question"
              onKeyDown={(event) => {
                if (event.key === 'Enter') openFound(current ?? hits[0])
                else if (event.key === 'ArrowDown') {
                  event.preventDefault()
                  move(1)
                  event.currentTarget.blur()
                } else if (event.key === 'Escape') event.currentTarget.blur()
              }}
            />
            <RecallFilters state={search} onChange={change} onTry={setText} />
          </div>
        </div>
        <ScrollRegion label="Hits" aria-busy={isFetching} className="min-h-0 flex-1 px-6 pb-8 max-[700px]:px-4">
          <div className={`mx-auto max-w-[64rem] ${isPlaceholderData ? 'awaited' : ''}`}>
            {!hasQuery ? (
              <RecallStart state={search} onChange={change} />
            ) : (
              loaded({ query }, (result) => (
                <>
                  <HitsHeader
                    result={result}
                    hits={found}
                    search={search}
                    onGroup={(group) => void navigate({ search: (now) => ({ ...now, group }), replace: true })}
                  />
                  <SearchNotes notes={result.notes} query={search.q ?? ''} onSearch={setText} />
                  <HitList
                    folds={folds}
                    open={open}
                    onFold={(uuid) => setOpen((now) => toggled(now, uuid))}
                    isGrouped={search.group === 'session'}
                    currentId={currentId}
                    chosen={chosen}
                    onChoose={togglePacked}
                    onPoint={(uuid) => {
                      noteSearch(search.q ?? '')
                      setCurrentId(uuid)
                    }}
                    onHover={setHovered}
                  />
                </>
              ))
            )}
          </div>
        </ScrollRegion>
      </div>
      {previewed !== undefined && isWide && <HitPreview hit={previewed} onOpen={openHit} />}
      <RecallPack />
    </div>
  )
}

/** The pack next to the hits, or below them in a narrow window. */
function RecallPack() {
  return (
    <div className="flex min-h-0 max-[800px]:max-h-[45vh] max-[800px]:overflow-y-auto max-[800px]:border-t max-[800px]:*:w-full max-[800px]:*:border-l-0">
      <PackDrawer folds />
    </div>
  )
}

function toggled(set: ReadonlySet<string>, member: string): ReadonlySet<string> {
  return set.has(member) ? new Set([...set].filter((other) => other !== member)) : new Set([...set, member])
}

/** Opens a hit in its session and remembers the query that found it. */
function useOpenHit(query: string | undefined): (hit: Hit | undefined) => void {
  const navigate = useNavigate()
  return (hit) => {
    if (!hit) return
    noteSearch(query ?? '')
    void navigate(toSession(hit.session_id, { event: hit.uuid, find: hit.matched.join(' ') }))
  }
}

/** Enter right after typing must not open a hit of the query before. */
const openNothing = (): void => undefined

interface HitHotkeys {
  readonly current: Hit | undefined
  readonly hasPack: boolean
  readonly move: (by: number) => void
  readonly open: (hit: Hit | undefined) => void
}

function useHitHotkeys({ current, hasPack, move, open }: HitHotkeys): void {
  const remember = useRemember()
  useHotkeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => open(current),
    ' ': () => current && togglePacked(current),
    m: () => current && remember.mutate({ uuid: current.uuid, on: current.remembered !== true }),
    Escape: clearPack,
    c: () => {
      if (hasPack) document.querySelector<HTMLButtonElement>('[data-copy-pack] button')?.click()
      else if (current) void copyHit(current)
    },
  })
}
