import { useRef, useState, type ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { valueTable } from '../../../../shared/columns/column.ts'
import { sessionsTable } from '../../../../shared/columns/sessions.ts'
import { AspyCommand } from '../../../components/command-line.tsx'
import { DoNext } from '../../../components/do-next.tsx'
import { ExportMenu } from '../../../components/export-menu.tsx'
import { ImportOffer } from '../../../components/import-offer.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { Page } from '../../../components/page.tsx'
import { SearchBox } from '../../../components/search-box.tsx'
import { Empty } from '../../../components/states.tsx'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { useImportStatus } from '../../../lib/import-job.ts'
import { notifyFailure } from '../../../lib/notices.ts'
import { useQueryText } from '../../../lib/use-query-text.ts'
import { useOperationPages } from '../../../lib/operation.ts'
import { startedIn, viewerZone } from '../../../lib/time-range.ts'
import { SelectionBar } from './selection-bar.tsx'
import { SessionsFilters } from './sessions-filters.tsx'
import { type SessionsSearch, sessionsInput } from './sessions-search.ts'
import { SessionsTable } from './sessions-table.tsx'
import { useSelection } from './use-selection.ts'
import { toSession } from '../../../lib/places.ts'

/** Interval for refetching the list for new sessions and new usage. */
const REFETCH_MS = 10_000
const route = getRouteApi('/sessions')

/** Every session, the most recently active first. */
export function SessionsPage(): ReactNode {
  const search = route.useSearch()
  const navigateHere = route.useNavigate()
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useQueryText(
    search.q,
    (q) => void navigateHere({ search: (now) => ({ ...now, q }), replace: true }),
  )
  const [current, setCurrent] = useState(-1)
  const [pointed, setPointed] = useState(false)
  const selection = useSelection()
  const { when } = search
  const query = useOperationPages('sessions.list', sessionsInput(search), {
    moving: { of: when, fields: () => (when === undefined ? {} : startedIn(when, Date.now(), viewerZone())) },
    // Rows must not move under the pointer.
    refetchMs: pointed || current >= 0 || selection.ids.size > 0 ? null : REFETCH_MS,
    keepsPrevious: true,
  })
  const { items: sessions } = query
  const selected = sessions.filter(({ id }) => selection.ids.has(id))
  const selectRest = useMutation({
    async mutationFn() {
      let latest = await query.fetchNextPage({ throwOnError: true })
      while (latest.hasNextPage) latest = await query.fetchNextPage({ throwOnError: true })
      return latest.data?.pages.flatMap((page) => page.items) ?? []
    },
    onSuccess: selection.selectAll,
    onError: notifyFailure,
  })
  const go = (change: SessionsSearch) => void navigateHere({ search: (now) => ({ ...now, ...change }), replace: true })
  const move = (by: number) => setCurrent((now) => Math.max(0, Math.min(sessions.length - 1, now + by)))
  useHotkeys({
    '/': () => input.current?.select(),
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    x: () => selection.select(sessions, current),
    Escape: selection.clear,
    Enter: () => {
      const session = sessions[current]
      if (session) void navigate(toSession(session.id, {}))
    },
  })
  // A page may contain none of the requested sessions.
  const listed = sessions.length === 0 && query.hasNextPage ? { ...query, data: undefined } : query
  const empty = sessions.length === 0 && (
    <NoSessions searching={Object.entries(search).some(([name, value]) => name !== 'sort' && value !== undefined)} />
  )
  return (
    <Page
      title="Sessions"
      actions={
        <>
          <ExportMenu name="sessions" table={() => valueTable(sessionsTable, sessions)} />
          <SearchBox
            inputRef={input}
            value={text}
            onChange={setText}
            label="Search sessions"
            placeholder="Title, project or ID"
            onKeyDown={(event) => {
              if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur()
            }}
          />
        </>
      }
    >
      <DoNext isBrief />
      <SessionsFilters search={search} onChange={go} sessions={sessions} />
      {loaded({ query: listed, rows: 12, label: 'Loading sessions', empty }, () => (
        <SessionsTable
          sessions={sessions}
          current={current}
          now={query.dataUpdatedAt}
          sort={search.sort}
          onSort={(sort) => go({ sort })}
          selected={selection.ids}
          onSelect={(index, isRange) => selection.select(sessions, index, isRange)}
          onSelectAll={(isOn) => selection.selectAll(isOn ? sessions : [])}
          onMore={query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined}
          onPointed={setPointed}
        />
      ))}
      {selected.length > 0 && (
        <SelectionBar
          sessions={selected}
          onClear={selection.clear}
          onSelectRest={
            query.hasNextPage && selected.length === sessions.length ? () => selectRest.mutate() : undefined
          }
          isSelectingRest={selectRest.isPending}
        />
      )}
    </Page>
  )
}

function NoSessions({ searching }: { searching: boolean }) {
  const isImporting = useImportStatus()?.state === 'running'
  if (isImporting && !searching) {
    return (
      <Empty icon={History} title="Reading your past sessions">
        <p>The newest appear here first, in a moment.</p>
      </Empty>
    )
  }
  if (searching) {
    return (
      <Empty icon={History} title="No matching sessions">
        <p>
          The search covers titles, projects and IDs. Try another word or fewer filters. To search what was said, use{' '}
          <Link to="/recall" className="text-accent underline">
            Recall
          </Link>
          .
        </p>
      </Empty>
    )
  }
  return (
    <Empty icon={History} title="No sessions yet">
      <p className="mb-4">Start Claude Code through Aspy, and its session appears here.</p>
      <AspyCommand args="run -- claude" />
      <p className="mt-6">Sessions from before Aspy:</p>
      <ImportOffer />
    </Empty>
  )
}
