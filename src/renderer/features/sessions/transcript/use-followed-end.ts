import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { type RefObject, type UIEvent, useEffect, useMemo, useState } from 'react'
import type { AnyEvent } from '../../../../shared/event.ts'
import type { VirtualListHandle } from '../../../components/virtual-list.tsx'
import { useLiveSnapshot, useLiveStore } from '../../../lib/live/live-context.tsx'
import { isTranscriptKind } from './transcript-pages.ts'

/** The pages are loaded again at most this often, in ms, for each page that is loaded. */
const AGAIN_MS = 1000
/** The space below the last row, and a little of it. */
const END_DISTANCE_PX = 60

interface Loaded {
  readonly sessionId: string
  readonly pages: UseInfiniteQueryResult
  readonly pageCount: number
  readonly events: readonly AnyEvent[]
}

interface FollowedEnd {
  /** Events that arrived and are not loaded. */
  readonly fresh: number
  /** The end of the session is on screen: what arrives is loaded, and the list stays at its end. */
  readonly isFollowed: boolean
  /** The person goes up: the list must not return to its end before the scroll is known. */
  readonly leave: () => void
  readonly onScroll: (event: UIEvent<HTMLElement>) => void
  readonly follow: () => void
}

/**
 * Follows a running session while its end is on screen, and otherwise counts what arrives. Only events of kinds that a
 * transcript shows count, and only those that arrived after the last load: no load leaves a rest.
 */
export function useFollowedEnd(list: RefObject<VirtualListHandle | null>, loaded: Loaded): FollowedEnd {
  const { sessionId, pages, pageCount, events } = loaded
  const { refetch, isFetching, hasNextPage } = pages
  const store = useLiveStore()
  const { batch } = useLiveSnapshot()
  const [isFollowed, setFollowed] = useState(false)
  const [seen, setSeen] = useState(() => store.lastEventId() ?? 0)
  useEffect(() => {
    // What arrived before a load begins is in its answer.
    if (isFetching) setSeen(store.lastEventId() ?? 0)
  }, [isFetching, store])
  const known = useMemo(() => new Set(events.map(({ uuid }) => uuid)), [events])
  const fresh = useMemo(
    () =>
      hasNextPage
        ? 0
        : store.events(
            ({ id, uuid, kind, session_id: session }) =>
              id > seen && session === sessionId && isTranscriptKind(kind) && !known.has(uuid),
          ).length,
    // The store changes with each batch.
    // oxlint-disable-next-line react/exhaustive-deps
    [store, batch, seen, sessionId, known, hasNextPage],
  )
  useEffect(() => {
    const element = list.current?.element
    // A session that fits on the screen is at its end without a scroll.
    if (fresh > 0 && element && isAtEnd(element)) setFollowed(true)
  }, [list, fresh])
  useEffect(() => {
    if (!isFollowed || fresh === 0 || isFetching) return
    const timer = setTimeout(() => void refetch(), AGAIN_MS * pageCount)
    return () => clearTimeout(timer)
  }, [isFollowed, fresh, isFetching, refetch, pageCount])
  return {
    fresh,
    isFollowed,
    leave: () => setFollowed(false),
    onScroll: ({ currentTarget }) => setFollowed(isAtEnd(currentTarget) && !hasNextPage),
    follow: () => void refetch().then(() => setFollowed(true)),
  }
}

const isAtEnd = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < END_DISTANCE_PX
