import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import type { AnyEvent } from '../../../../shared/event.ts'
import { loaded } from '../../../components/loaded.tsx'
import { useLiveSnapshot, useNow } from '../../../lib/live/live-context.tsx'
import { transcriptQuery } from '../event-queries.ts'
import { Transcript, type TranscriptView } from '../transcript/transcript.tsx'
import { inOrder } from '../transcript/transcript-pages.ts'
import type { ShownPlace } from './shown-place.ts'

/** A session without an event for this long is not running. */
const ACTIVE_MS = 15 * 60_000

interface TranscriptTabProps extends TranscriptView {
  /** Time of the event to open at; null opens at the start. */
  readonly anchor: string | null
  readonly shown: ShownPlace
}

/** Loads a session's transcript from its start, or around the event in the address. */
export function TranscriptTab(props: TranscriptTabProps) {
  const { sessionId, anchor, event, isAtEnd, shown } = props
  const fromStart = useInfiniteQuery(transcriptQuery(sessionId, null))
  const knownFromStart = useMemo(
    () => fromStart.data?.pages.some((page) => page.events.some((one) => one.uuid === event)) === true,
    [fromStart.data, event],
  )
  // An event in the pages loaded from the start needs no separate pages.
  const readsFromStart = isAtEnd ? fromStart.data?.pages.at(-1)?.next === null : anchor === null || knownFromStart
  const around = useInfiniteQuery({
    ...transcriptQuery(sessionId, isAtEnd ? 'end' : anchor),
    enabled: !readsFromStart && fromStart.data !== undefined,
    // Keep the rows on screen until the new pages arrive: unmounting and rebuilding all of them is slow.
    placeholderData: keepPreviousData,
  })
  const query = readsFromStart ? fromStart : around
  const events = useMemo(() => inOrder(query.data?.pages.flatMap((page) => page.events) ?? []), [query.data])
  const live = useLiveSnapshot().sessions.find((session) => session.session_id === sessionId)
  const now = useNow(60_000)

  const onShown = useCallback(({ turn_id: turn, ts_wall: time }: AnyEvent) => shown.set({ turn, time }), [shown])
  useEffect(() => () => shown.set(null), [shown])

  return loaded({ query, rows: 12, label: 'Loading transcript' }, () => (
    <Transcript
      {...props}
      pages={query}
      events={events}
      onShown={onShown}
      isActive={live !== undefined && now - Date.parse(live.last_event_at) < ACTIVE_MS}
      pageCount={query.data?.pages.length ?? 1}
    />
  ))
}
