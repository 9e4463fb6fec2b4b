import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, Pause, Play, Radio } from 'lucide-react'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { EventSummary } from '../../../shared/live-feed.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { formatCount } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/hotkeys.ts'
import type { LiveSnapshot } from '../../lib/live/live-store.ts'
import { useLiveStore } from '../../lib/live/live-context.tsx'
import { EventRow, WritingBlock } from './event-row.tsx'
import { kindsOf, shownGroups } from './live-search.ts'
import { ScrollRegion } from '../../components/scroll-region.tsx'

const END_DISTANCE_PX = 8

interface EventStreamProps {
  readonly snapshot: LiveSnapshot
  readonly session: string | undefined
  readonly show: string | undefined
  readonly onAllSessions: () => void
}

/** Events as they come, newest at the bottom. Scrolling up or `p` pauses: the rows stay as they are until one follows again. */
export function EventStream({ snapshot, session, show, onAllSessions }: EventStreamProps) {
  const feed = useLiveStore()
  const scroller = useRef<HTMLDivElement>(null)
  /** What stood on screen when it was paused; null: it follows. */
  const [held, setHeld] = useState<readonly EventSummary[] | null>(null)
  /** The person's own last move: the list also scrolls by itself, and that ends no pause. */
  const goesDown = useRef(false)
  const kinds = useMemo(() => kindsOf(shownGroups(show)), [show])
  const current = useMemo(
    () => feed.events((event) => kinds.has(event.kind) && (session === undefined || event.session_id === session)),
    // A batch is what changes the feed.
    // oxlint-disable-next-line react/exhaustive-deps
    [feed, snapshot.batch, kinds, session],
  )
  const paused = held !== null
  const rows = useMemo(
    () =>
      held?.filter((event) => kinds.has(event.kind) && (session === undefined || event.session_id === session)) ??
      current,
    [held, current, kinds, session],
  )
  const blocks = paused
    ? []
    : snapshot.blocks.filter(
        (block) =>
          (session === undefined || block.session_id === session) &&
          kinds.has(block.block === 'thinking' ? 'thinking' : block.block === 'text' ? 'assistant_text' : 'tool_call'),
      )
  const lastHeld = held?.at(-1)?.id ?? 0
  const fresh = paused ? current.length - current.findLastIndex((event) => event.id <= lastHeld) - 1 : 0

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isLong(rows[index]) ? 92 : 34),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  })

  const pause = () => {
    goesDown.current = false
    if (!paused) setHeld(current)
  }
  const follow = () => setHeld(null)
  useHotkeys({ p: () => (paused ? follow() : pause()) })

  const totalSize = virtualizer.getTotalSize()
  const written = blocks.reduce((sum, block) => sum + block.text.length, 0)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element && !paused) element.scrollTop = element.scrollHeight
  }, [paused, snapshot.batch, written, totalSize])

  return (
    <section aria-label="Events" className="relative flex min-h-0 flex-col">
      <div className="flex h-10 shrink-0 items-center gap-2 pr-3 pl-5">
        <h2 className="label">{session === undefined ? 'Events of all sessions' : 'Events of one session'}</h2>
        {session !== undefined && (
          <Button look="ghost" size="small" onClick={onAllSessions}>
            Show all
          </Button>
        )}
        {snapshot.missed > 0 && (
          <Badge tone="warn" title="This window was too slow for them; they are recorded and stand in their sessions.">
            {formatCount(snapshot.missed)} not shown
          </Badge>
        )}
        <Button
          look="ghost"
          size="small"
          className="ml-auto"
          aria-pressed={paused}
          onClick={paused ? follow : pause}
          title="Pause or follow (p)"
        >
          {paused ? <Play className="size-4" aria-hidden /> : <Pause className="size-4" aria-hidden />}
          {paused ? 'Follow' : 'Pause'}
        </Button>
      </div>
      <ScrollRegion
        ref={scroller}
        label="Event stream"
        onWheel={(event) => {
          goesDown.current = event.deltaY > 0
          if (event.deltaY < 0) pause()
        }}
        onKeyDown={(event) => {
          goesDown.current = ['ArrowDown', 'PageDown', 'End'].includes(event.key)
          if (['ArrowUp', 'PageUp', 'Home'].includes(event.key)) pause()
        }}
        onPointerDown={(event) => {
          // The scroll bar was taken.
          if (event.target === event.currentTarget && event.nativeEvent.offsetX >= event.currentTarget.clientWidth)
            pause()
        }}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
          const isAtEnd = scrollHeight - scrollTop - clientHeight < END_DISTANCE_PX
          if (paused && goesDown.current && fresh === 0 && isAtEnd) follow()
        }}
        className="min-h-0 flex-1 px-3 pb-3 [overflow-anchor:none]"
      >
        {rows.length === 0 && blocks.length === 0 && (
          <p className="flex items-center justify-center gap-2 pt-24 text-soft">
            <Radio className="breathe size-4 text-accent" aria-hidden />
            {snapshot.received === 0 ? 'Listening. Events appear here as they happen.' : 'Nothing of these kinds yet.'}
          </p>
        )}
        <ol className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const event = rows[item.index]
            return (
              event && (
                <li
                  key={item.key}
                  ref={virtualizer.measureElement}
                  data-index={item.index}
                  className="absolute inset-x-0 top-0"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <EventRow event={event} showProject={session === undefined} />
                </li>
              )
            )
          })}
        </ol>
        {blocks.map((block) => (
          <WritingBlock key={block.key} block={block} />
        ))}
      </ScrollRegion>
      {paused && fresh > 0 && (
        <Button
          look="primary"
          className="absolute bottom-5 left-1/2 min-w-28 -translate-x-1/2 rounded-full! shadow-float"
          onClick={follow}
        >
          <ArrowDown className="size-4" aria-hidden /> {formatCount(fresh)} new
        </Button>
      )}
    </section>
  )
}

function isLong(event: EventSummary | undefined): boolean {
  return (
    event !== undefined && event.text.length > 110 && (event.kind === 'thinking' || event.kind === 'assistant_text')
  )
}
