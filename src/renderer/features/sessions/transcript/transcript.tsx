import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowUp, RefreshCw } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { AnyEvent } from '../../../../shared/event.ts'
import { Button } from '../../../components/button.tsx'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { TranscriptRowView } from './transcript-row.tsx'
import { rowOfEvent, type TranscriptRow, transcriptRows } from './transcript-rows.ts'
import { ScrollRegion } from '../../../components/scroll-region.tsx'

interface TranscriptProps {
  readonly events: readonly AnyEvent[]
  /** The event that the address names. */
  readonly selected: string | undefined
  readonly onDetails: (uuid: string) => void
  readonly onOpen: (uuid: string) => void
  readonly hasEarlier: boolean
  readonly onEarlier: () => void
  readonly hasLater: boolean
  readonly onLater: () => void
  /** The session went on since this was read. */
  readonly isBehind: boolean
  readonly onCatchUp: () => void
}

const ESTIMATES: Readonly<Record<TranscriptRow['type'], number>> = {
  prompt: 90,
  thinking: 60,
  answer: 140,
  tool: 44,
  compaction: 80,
  error: 70,
  agent: 48,
  mark: 36,
}

/** A session's transcript; only the rows on screen exist in the page, more pages come as one scrolls. */
export function Transcript(props: TranscriptProps) {
  const { events, selected, onDetails, onOpen, hasEarlier, onEarlier, hasLater, onLater, isBehind, onCatchUp } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [openAgents, setOpenAgents] = useState<ReadonlySet<string>>(new Set())
  /** Rows whose fold is not as it comes. */
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [thinkingOpen, setThinkingOpen] = useState(true)
  useHotkeys({ t: () => setThinkingOpen((now) => !now) })

  // A link to what an agent did opens the agent.
  const agentOfSelected = events.find((event) => event.uuid === selected)?.agent_id ?? null
  const rows = useMemo(
    () => transcriptRows(events, agentOfSelected === null ? openAgents : new Set([...openAgents, agentOfSelected])),
    [events, openAgents, agentOfSelected],
  )
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ESTIMATES[rows[index]?.type ?? 'mark'],
    getItemKey: (index) => rows[index]?.event.uuid ?? index,
    overscan: 6,
    paddingStart: 8,
    paddingEnd: 48,
    scrollPaddingStart: 12,
  })

  const shown = useRef<string | undefined>(undefined)
  const selectedRow = selected === undefined ? -1 : rowOfEvent(rows, selected)
  useLayoutEffect(() => {
    if (selectedRow < 0 || shown.current === selected) return
    shown.current = selected
    virtualizer.scrollToIndex(selectedRow, { align: 'start' })
  }, [selected, selectedRow, virtualizer])

  // Rows that come before those on screen must not move them.
  const first = useRef<{ key: string | undefined; count: number }>({ key: undefined, count: 0 })
  useLayoutEffect(() => {
    const before = first.current
    const moved = before.key === undefined ? 0 : rows.findIndex((row) => row.event.uuid === before.key)
    if (moved > 0 && rows.length > before.count) virtualizer.scrollToIndex(moved, { align: 'start' })
    first.current = { key: rows[0]?.event.uuid, count: rows.length }
  }, [rows, virtualizer])

  const items = virtualizer.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasLater && lastShown >= rows.length - 30) onLater()
  }, [hasLater, lastShown, rows.length, onLater])

  const toggle = (set: ReadonlySet<string>, key: string) => {
    const next = new Set(set)
    if (!next.delete(key)) next.add(key)
    return next
  }

  return (
    <section aria-label="Transcript" className="relative flex min-w-0 flex-1 flex-col">
      <ScrollRegion ref={scroller} label="Transcript text" className="min-h-0 flex-1 px-5">
        {hasEarlier && (
          <div className="flex justify-center pt-3">
            <Button onClick={onEarlier}>
              <ArrowUp className="size-4" aria-hidden /> Load what came before
            </Button>
          </div>
        )}
        {rows.length === 0 && <p className="pt-20 text-center text-soft">Nothing was said in this session yet.</p>}
        <ol className="relative mx-auto max-w-[60rem]" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index]
            return (
              row && (
                <li
                  key={item.key}
                  ref={virtualizer.measureElement}
                  data-index={item.index}
                  className="absolute inset-x-0 top-0"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <TranscriptRowView
                    row={row}
                    selected={item.index === selectedRow}
                    isToggled={toggled.has(row.event.uuid)}
                    thinkingOpen={thinkingOpen}
                    onToggle={(uuid) => setToggled((now) => toggle(now, uuid))}
                    onAgent={(agentId) => setOpenAgents((now) => toggle(now, agentId))}
                    onDetails={onDetails}
                    onOpen={onOpen}
                  />
                </li>
              )
            )
          })}
        </ol>
      </ScrollRegion>
      {isBehind && (
        <Button
          look="primary"
          onClick={onCatchUp}
          className="absolute bottom-5 left-1/2 -translate-x-1/2 rounded-full! shadow-float"
        >
          <RefreshCw className="size-4" aria-hidden /> The session went on: load it
        </Button>
      )}
    </section>
  )
}
