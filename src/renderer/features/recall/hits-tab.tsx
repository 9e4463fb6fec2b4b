import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Save, Search } from 'lucide-react'
import { Fragment, type RefObject, useCallback, useMemo, useState } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { Button, Toggle } from '../../components/button.tsx'
import { ExportMenu } from '../../components/export-menu.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Empty, Failed, LoadingRows } from '../../components/states.tsx'
import { formatCount, plural, projectName } from '../../lib/format.ts'
import { writeAddress } from '../../lib/address.ts'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { snippetText } from '../../lib/snippet.ts'
import { useQueryText } from '../../lib/use-query-text.ts'
import { HitMonths } from './hit-months.tsx'
import { HitRow } from './hit-row.tsx'
import { copyHit } from './copy-hit.ts'
import { useRemember } from './memory-button.tsx'
import { PackDrawer } from './pack-drawer.tsx'
import { hitsQuery } from './queries.ts'
import { RecallFilters } from './recall-filters.tsx'
import { arranged } from './recall-search.ts'
import { RecallStart } from './recall-start.tsx'
import { noteSearch } from './recent-searches.ts'
import { useSaveSearch } from './save-search.ts'
import { ScrollRegion } from '../../components/scroll-region.tsx'

const route = getRouteApi('/recall')
const NO_HITS: readonly Hit[] = []

/** One box, and what it finds as one types; j and k walk the hits, space chooses, Enter opens. */
export function HitsTab({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const search = route.useSearch()
  const navigateHere = route.useNavigate()
  const navigate = useNavigate()
  const [text, setText] = useQueryText(
    search.q,
    (q) => void navigateHere({ search: (now) => ({ ...now, q }), replace: true }),
  )
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(hitsQuery(search))
  const [currentId, setCurrentId] = useState<string | null>(null)
  const [chosen, setChosen] = useState<readonly Hit[]>([])
  const asked = search.q !== undefined && search.q.trim() !== ''
  const found = asked ? (data?.items ?? NO_HITS) : NO_HITS
  const hits = useMemo(() => arranged(found, search.group), [found, search.group])
  const position = hits.findIndex((hit) => hit.uuid === currentId)
  const current = hits[position]

  const remember = useRemember()
  const save = useSaveSearch()
  const choose = useCallback(
    (hit: Hit) =>
      setChosen((now) =>
        now.some(({ uuid }) => uuid === hit.uuid) ? now.filter(({ uuid }) => uuid !== hit.uuid) : [...now, hit],
      ),
    [],
  )
  const move = (by: number) => {
    const next = hits[Math.max(0, Math.min(hits.length - 1, position + by))]
    if (next) setCurrentId(next.uuid)
  }
  const open = (hit: Hit | undefined) => {
    if (!hit) return
    noteSearch(search.q ?? '')
    void navigate({ to: '/sessions/$sessionId', params: { sessionId: hit.session_id }, search: { event: hit.uuid } })
  }
  useHotkeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => open(current),
    ' ': () => current && choose(current),
    m: () => current && remember.mutate({ uuid: current.uuid, on: current.remembered !== true }),
    Escape: () => setChosen([]),
    c: () => {
      if (chosen.length > 0) document.querySelector<HTMLButtonElement>('[data-copy-pack] button')?.click()
      else if (current) void copyHit(current)
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
          <div className={`mx-auto max-w-[64rem] ${isPlaceholderData ? 'awaited' : ''}`}>
            {!asked && <RecallStart />}
            {asked && error && <Failed error={error} onRetry={() => void refetch()} />}
            {asked && !error && !data && <LoadingRows />}
            {asked && !error && data && (
              <>
                <div className="mb-2 flex items-center gap-2 px-4">
                  <p className="text-meta text-faint" role="status">
                    {describe(data.items.length, data.total, data.matched_by, data.partial === true)}
                  </p>
                  <Toggle
                    on={search.group === 'session'}
                    className="ml-auto"
                    onClick={() =>
                      void navigateHere({
                        search: (now) => ({ ...now, group: now.group === 'session' ? undefined : 'session' }),
                        replace: true,
                      })
                    }
                  >
                    By session
                  </Toggle>
                  <Button
                    look="ghost"
                    size="small"
                    onClick={() => save.mutate({ name: search.q?.trim() ?? '', address: writeAddress({ ...search }) })}
                  >
                    <Save className="size-4" aria-hidden /> Save this search
                  </Button>
                  <ExportMenu
                    name="hits"
                    table={() => ({
                      columns: ['timestamp', 'match_type', 'project', 'session_id', 'turn_id', 'uuid', 'content'],
                      rows: hits.map((hit) => [
                        hit.timestamp,
                        hit.match_type,
                        hit.project,
                        hit.session_id,
                        hit.turn_id,
                        hit.uuid,
                        snippetText(hit.content),
                      ]),
                    })}
                  />
                </div>
                <HitMonths state={search} />
                {hits.length === 0 ? (
                  <Nothing />
                ) : (
                  <ol className="flex flex-col gap-1" aria-label="Hits">
                    {hits.map((hit, index) => (
                      <Fragment key={hit.uuid}>
                        {search.group === 'session' && hits[index - 1]?.session_id !== hit.session_id && (
                          <li className="label mt-3 flex items-baseline gap-2 px-4 first:mt-0">
                            <span className="font-semibold text-soft">{projectName(hit.project)}</span>
                            <span className="font-mono">{hit.session_id.slice(0, 8)}</span>
                            <span>
                              {plural(hits.filter((other) => other.session_id === hit.session_id).length, 'hit')}
                            </span>
                          </li>
                        )}
                        <HitRow
                          hit={hit}
                          current={hit.uuid === currentId}
                          chosen={chosen.some(({ uuid }) => uuid === hit.uuid)}
                          onChoose={choose}
                          onPoint={setCurrentId}
                        />
                      </Fragment>
                    ))}
                  </ol>
                )}
              </>
            )}
          </div>
        </ScrollRegion>
      </div>
      {chosen.length > 0 && <PackDrawer hits={chosen} onClear={() => setChosen([])} />}
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

function Nothing() {
  return (
    <Empty icon={Search} title="Nothing holds these words">
      <p>Try fewer or other words, a wider time, or switch Tools on to search what tools were given and gave back.</p>
    </Empty>
  )
}
