import type { ReactNode } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { CircleX, History, Star } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { Toggle } from '../../../components/button.tsx'
import { AspyCommand } from '../../../components/command-line.tsx'
import { ExportMenu } from '../../../components/export-menu.tsx'
import { Page } from '../../../components/page.tsx'
import { ProjectSelect } from '../../../components/project-select.tsx'
import { SearchBox } from '../../../components/search-box.tsx'
import { Select } from '../../../components/select.tsx'
import { Empty, Failed, LoadingRows } from '../../../components/states.tsx'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { useQueryText } from '../../../lib/use-query-text.ts'
import { sessionsQuery } from '../queries.ts'
import { ClientSelect } from './client-select.tsx'
import { exportedSessions } from './exported-sessions.ts'
import { SESSION_DAYS, type SessionsSearch } from './sessions-search.ts'
import { SessionsTable } from './sessions-table.tsx'

/** How often the list is refetched for new sessions and new usage. */
const REFETCH_MS = 10_000
const route = getRouteApi('/sessions')

/** Every session, newest first. */
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
  const query = useInfiniteQuery({
    ...sessionsQuery(search),
    // Rows must not move under the pointer, and a long list is not refetched page by page.
    refetchInterval: ({ state }) =>
      pointed || current >= 0 || (state.data?.pages.length ?? 0) > 1 ? false : REFETCH_MS,
  })
  const sessions = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data])
  const go = (change: SessionsSearch) => void navigateHere({ search: (now) => ({ ...now, ...change }), replace: true })
  const move = (by: number) => setCurrent((now) => Math.max(0, Math.min(sessions.length - 1, now + by)))
  useHotkeys({
    '/': () => input.current?.select(),
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => {
      const session = sessions[current]
      if (session) void navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id }, search: {} })
    },
  })
  return (
    <Page
      title="Sessions"
      actions={
        <>
          <Toggle
            on={search.starred === 'yes'}
            onClick={() => go({ starred: search.starred === 'yes' ? undefined : 'yes' })}
          >
            <Star className="size-3.5" aria-hidden /> Starred
          </Toggle>
          <Toggle
            on={search.failed === 'yes'}
            title="Only sessions with API errors or failed tool calls"
            onClick={() => go({ failed: search.failed === 'yes' ? undefined : 'yes' })}
          >
            <CircleX className="size-3.5" aria-hidden /> With failures
          </Toggle>
          <ClientSelect value={search.client} onChange={(client) => go({ client })} />
          <Select
            label="When"
            value={search.when ?? ''}
            onChange={(value) => go({ when: SESSION_DAYS.find((days) => days === value) })}
            options={[
              ['', 'Any time'],
              ['today', 'Today'],
              ['yesterday', 'Yesterday'],
              ['7d', 'Last 7 days'],
              ['30d', 'Last 30 days'],
              ['month', 'This month'],
            ]}
          />
          <ProjectSelect value={search.project} onChange={(project) => go({ project })} />
          <ExportMenu name="sessions" table={() => exportedSessions(sessions)} />
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
      {query.error ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <LoadingRows rows={12} label="Loading sessions" />
      ) : sessions.length === 0 ? (
        <NoSessions
          searching={[search.q, search.project, search.starred, search.failed, search.client, search.when].some(
            (word) => word !== undefined,
          )}
        />
      ) : (
        <SessionsTable
          sessions={sessions}
          current={current}
          sort={search.sort}
          onSort={(sort) => go({ sort })}
          onMore={query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined}
          onPointed={setPointed}
        />
      )}
    </Page>
  )
}

function NoSessions({ searching }: { searching: boolean }) {
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
    </Empty>
  )
}
