import { useMemo, useState } from 'react'
import type { EventKind } from '../../../shared/event.ts'
import type { EventSummary } from '../../../shared/live-feed.ts'
import { useLiveStore } from '../../lib/live/live-context.tsx'
import { foldRepeats } from './fold-repeats.ts'

interface EventFilter {
  readonly kinds: ReadonlySet<EventKind>
  readonly session: string | undefined
  /** Only events with this text; empty: all. */
  readonly text: string
}

const hasText = ({ text, tool_name: tool = '' }: EventSummary, sought: string): boolean =>
  `${tool} ${text}`.toLowerCase().includes(sought.toLowerCase())

/** Returns the events of the live store that pass the filter. While paused, the list does not change. */
export function usePausableEvents(batch: number, { kinds, session, text }: EventFilter) {
  const store = useLiveStore()
  /** Events that were on screen at the pause; null while following. */
  const [held, setHeld] = useState<readonly EventSummary[] | null>(null)
  const keep = useMemo(
    () => (event: EventSummary) =>
      kinds.has(event.kind) &&
      (session === undefined || event.session_id === session) &&
      (text === '' || hasText(event, text)),
    [kinds, session, text],
  )
  const current = useMemo(
    () => store.events(keep),
    // The store changes with each batch.
    // oxlint-disable-next-line react/exhaustive-deps
    [store, batch, keep],
  )
  const events = useMemo(() => held?.filter(keep) ?? current, [held, current, keep])
  const folded = useMemo(() => foldRepeats(events), [events])
  const newest = useMemo(() => Math.max(...(held ?? []).map(({ id }) => id)), [held])
  return {
    ...folded,
    isPaused: held !== null,
    /** Events that arrived since the pause. */
    fresh: held === null ? 0 : current.filter(({ id }) => id > newest).length,
    pause: () => setHeld((now) => now ?? current),
    follow: () => setHeld(null),
  }
}
