import type { ReactNode } from 'react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useMemo } from 'react'
import { Failed, LoadingRows } from '../../components/states.tsx'
import { useLiveSnapshot } from '../../lib/live-context.tsx'
import { EventDetails } from './event-details.tsx'
import { PromptOutline } from './prompt-outline.tsx'
import { anchorQuery, sessionQuery, transcriptQuery } from './queries.ts'
import { SessionHeader } from './session-header.tsx'
import { Transcript } from './transcript.tsx'
import { inOrder } from './transcript-pages.ts'

const route = getRouteApi('/sessions/$sessionId')

/** One session: its numbers, its transcript, and any event of it in detail. */
export function SessionPage(): ReactNode {
  const { sessionId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const session = useQuery(sessionQuery(sessionId))
  const anchor = useQuery(anchorQuery(search.event))

  const openAt = (event: string | undefined, details?: 'yes') => void navigate({ search: { event, details } })
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-start gap-3 border-b px-6 py-3">
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
        <div className="flex min-h-0 flex-1">
          <PromptOutline sessionId={sessionId} current={search.event} onOpen={(uuid) => openAt(uuid, search.details)} />
          {search.event !== undefined && anchor.isPending ? (
            <LoadingRows />
          ) : (
            <TranscriptOfSession
              key={sessionId}
              sessionId={sessionId}
              anchor={anchor.data?.session_id === sessionId ? anchor.data.ts_wall : null}
              event={search.event}
              onDetails={(uuid) => openAt(uuid, 'yes')}
            />
          )}
          {search.event !== undefined && search.details === 'yes' && (
            <EventDetails
              uuid={search.event}
              onClose={() => openAt(search.event)}
              onOpen={(uuid) => openAt(uuid, 'yes')}
            />
          )}
        </div>
      )}
    </div>
  )
}

interface TranscriptOfSessionProps {
  readonly sessionId: string
  readonly anchor: string | null
  readonly event: string | undefined
  readonly onDetails: (uuid: string) => void
}

function TranscriptOfSession({ sessionId, anchor, event, onDetails }: TranscriptOfSessionProps) {
  const fromStart = useInfiniteQuery(transcriptQuery(sessionId, null))
  const knownFromStart = useMemo(
    () => fromStart.data?.pages.some((page) => page.events.some((one) => one.uuid === event)) === true,
    [fromStart.data, event],
  )
  // An event that the pages from the start hold needs no pages of its own.
  const useStart = anchor === null || knownFromStart
  const around = useInfiniteQuery({
    ...transcriptQuery(sessionId, anchor),
    enabled: !useStart && fromStart.data !== undefined,
  })
  const query = useStart ? fromStart : around
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
      hasEarlier={query.hasPreviousPage}
      onEarlier={() => void query.fetchPreviousPage()}
      hasLater={query.hasNextPage && !query.isFetchingNextPage}
      onLater={() => void query.fetchNextPage()}
      isBehind={isBehind}
      onCatchUp={() => void query.refetch()}
    />
  )
}
