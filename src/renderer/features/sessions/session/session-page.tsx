import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import { Segments } from '../../../components/segments.tsx'
import { Failed, LoadingRows } from '../../../components/states.tsx'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { useLiveSnapshot } from '../../../lib/live/live-context.tsx'
import { EventDetails } from '../trace/event-details.tsx'
import { FindInSession } from './find-in-session.tsx'
import { LineageTab } from '../trace/trace-tab.tsx'
import { PromptOutline } from './prompt-outline.tsx'
import { PromptSelect } from './prompt-select.tsx'
import { anchorQuery, outlineQuery, sessionQuery, transcriptQuery } from '../queries.ts'
import { RequestsTab } from '../usage/requests-tab.tsx'
import { SessionHeader } from './session-header.tsx'
import { SESSION_TABS, type SessionSearch, type SessionTab } from '../list/sessions-search.ts'
import { TimelineTab } from '../timeline/timeline-tab.tsx'
import { Transcript } from '../transcript/transcript.tsx'
import { inOrder } from '../transcript/transcript-pages.ts'

const route = getRouteApi('/sessions/$sessionId')

/** Charts are a third of the window's code: they come when the numbers are opened. */
const NumbersTab = lazy(async () => ({ default: (await import('../usage/usage-tab.tsx')).NumbersTab }))

const TAB_NAMES: Readonly<Record<SessionTab, string>> = {
  transcript: 'Transcript',
  timeline: 'Timeline',
  lineage: 'Lineage',
  requests: 'Requests',
  numbers: 'Numbers',
}

/** One session: its numbers, what was said and done in it in five ways, and any event of it in detail. */
export function SessionPage(): ReactNode {
  const { sessionId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const session = useQuery(sessionQuery(sessionId))
  const prompts = useQuery(outlineQuery(sessionId)).data?.items ?? []
  // Of a prompt the outline knows when it was: walking the prompts asks for nothing.
  const prompt = prompts.find(({ uuid }) => uuid === search.event)
  const anchor = useQuery(anchorQuery(prompt === undefined ? search.event : undefined))
  const anchorTime = prompt?.timestamp ?? (anchor.data?.session_id === sessionId ? anchor.data.ts_wall : null)
  const tab: SessionTab = search.tab ?? 'transcript'

  const go = (change: SessionSearch) => void navigate({ search: (now) => ({ ...now, ...change }) })
  const openAt = (event: string | undefined, details?: 'yes') => go({ event, details })
  const showTab = (next: SessionTab) => go({ tab: next === 'transcript' ? undefined : next })
  useHotkeys(Object.fromEntries(SESSION_TABS.map((name, at) => [String(at + 1), () => showTab(name)])))

  const hasOutline = tab === 'transcript' || tab === 'timeline' || tab === 'lineage'
  const turnOfEvent = prompt?.turn_id ?? (anchor.data?.session_id === sessionId ? anchor.data.turn_id : undefined)
  const turn = Number(search.turn ?? turnOfEvent ?? 1)
  const openPrompt = (uuid: string) =>
    go({
      event: uuid,
      details: search.details,
      turn: tab === 'timeline' ? String(prompts.find((prompt) => prompt.uuid === uuid)?.turn_id ?? 1) : undefined,
    })
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-start gap-3 px-6 pt-3 pb-2">
        <Link
          to="/sessions"
          search={{}}
          aria-label="All sessions"
          title="All sessions"
          className="mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-small text-faint hover:bg-hover hover:text-ink"
        >
          <ArrowLeft className="size-4" aria-hidden />
        </Link>
        {session.data ? <SessionHeader session={session.data} /> : <div className="skeleton h-12 flex-1" />}
      </div>
      {session.error ? (
        <Failed error={session.error} onRetry={() => void session.refetch()} />
      ) : (
        <>
          <div className="flex shrink-0 flex-wrap items-center gap-3 border-b px-6 pb-2.5">
            <Segments
              label="What to show of the session"
              options={SESSION_TABS.map((name, at) => ({
                value: name,
                name: TAB_NAMES[name],
                title: `${TAB_NAMES[name]} (${at + 1})`,
              }))}
              value={tab}
              onChange={showTab}
            />
            {hasOutline && (
              <div className="min-[1240px]:hidden">
                <PromptSelect prompts={prompts} current={search.event} onOpen={openPrompt} />
              </div>
            )}
            <div className="ml-auto">
              <FindInSession
                sessionId={sessionId}
                current={search.event}
                onOpen={(uuid) => go({ tab: undefined, event: uuid })}
              />
            </div>
          </div>
          <div className="flex min-h-0 flex-1">
            {hasOutline && <PromptOutline sessionId={sessionId} current={search.event} onOpen={openPrompt} />}
            {tab === 'transcript' &&
              (search.event !== undefined && prompt === undefined && anchor.isPending ? (
                <div className="min-w-0 flex-1">
                  <LoadingRows />
                </div>
              ) : (
                <TranscriptOfSession
                  key={sessionId}
                  sessionId={sessionId}
                  anchor={anchorTime}
                  event={search.event}
                  onDetails={(uuid) => openAt(uuid, 'yes')}
                  onOpen={(uuid) => openAt(uuid, search.details)}
                />
              ))}
            {tab === 'timeline' && (
              <TimelineTab
                sessionId={sessionId}
                turn={turn}
                turns={Math.max(session.data?.turn_count ?? 1, turn)}
                selected={search.event}
                onTurn={(next) => go({ turn: String(next), event: undefined, details: undefined })}
                onOpen={(uuid) => go({ turn: String(turn), event: uuid, details: 'yes' })}
              />
            )}
            {tab === 'lineage' && (
              <LineageTab
                sessionId={sessionId}
                event={search.root}
                onRoot={(uuid) => go({ root: uuid, event: uuid, details: undefined })}
                onOpen={(uuid) => go({ event: uuid, details: 'yes' })}
              />
            )}
            {tab === 'requests' && <RequestsTab sessionId={sessionId} />}
            {tab === 'numbers' && (
              <Suspense fallback={<LoadingRows rows={10} label="Loading the numbers" />}>
                <NumbersTab sessionId={sessionId} onTurn={(next) => go({ tab: 'timeline', turn: String(next) })} />
              </Suspense>
            )}
            {hasOutline && search.event !== undefined && search.details === 'yes' && (
              <EventDetails
                uuid={search.event}
                onClose={() => openAt(search.event)}
                onOpen={(uuid) => openAt(uuid, 'yes')}
                onLineage={(uuid) => go({ tab: 'lineage', root: uuid, event: uuid, details: undefined })}
              />
            )}
          </div>
        </>
      )}
    </div>
  )
}

interface TranscriptOfSessionProps {
  readonly sessionId: string
  readonly anchor: string | null
  readonly event: string | undefined
  readonly onDetails: (uuid: string) => void
  readonly onOpen: (uuid: string) => void
}

function TranscriptOfSession({ sessionId, anchor, event, onDetails, onOpen }: TranscriptOfSessionProps) {
  const fromStart = useInfiniteQuery(transcriptQuery(sessionId, null))
  const knownFromStart = useMemo(
    () => fromStart.data?.pages.some((page) => page.events.some((one) => one.uuid === event)) === true,
    [fromStart.data, event],
  )
  // An event that the pages from the start hold needs no pages of its own.
  const readsFromStart = anchor === null || knownFromStart
  const around = useInfiniteQuery({
    ...transcriptQuery(sessionId, anchor),
    enabled: !readsFromStart && fromStart.data !== undefined,
    // What is on screen stays until the other place is there: taking all rows away and making them anew takes long.
    placeholderData: keepPreviousData,
  })
  const query = readsFromStart ? fromStart : around
  const events = useMemo(() => inOrder(query.data?.pages.flatMap((page) => page.events) ?? []), [query.data])
  const live = useLiveSnapshot().sessions.find((session) => session.session_id === sessionId)
  const lastLoaded = events.at(-1)?.ts_wall ?? ''
  const isBehind =
    live !== undefined && query.data !== undefined && !query.hasNextPage && live.last_event_at > lastLoaded

  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) {
    return (
      <div className="min-w-0 flex-1">
        <LoadingRows rows={12} label="Loading the transcript" />
      </div>
    )
  }
  return (
    <Transcript
      events={events}
      selected={event}
      onDetails={onDetails}
      onOpen={onOpen}
      hasEarlier={query.hasPreviousPage && !query.isPlaceholderData}
      onEarlier={() => void query.fetchPreviousPage()}
      hasLater={query.hasNextPage && !query.isFetchingNextPage && !query.isPlaceholderData}
      onLater={() => void query.fetchNextPage()}
      isBehind={isBehind}
      onCatchUp={() => void query.refetch()}
    />
  )
}
