import { ArrowDown, ArrowUp } from 'lucide-react'
import { type UseInfiniteQueryResult, useQueries } from '@tanstack/react-query'
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { AnyEvent } from '../../../../shared/event.ts'
import { Button } from '../../../components/button.tsx'
import { FloatingButton } from '../../../components/floating-button.tsx'
import { VirtualList, type VirtualListHandle } from '../../../components/virtual-list.tsx'
import { wordPattern } from '../../../lib/find-words.ts'
import { formatCount } from '../../../lib/format.ts'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { useFindMarks } from '../../../lib/use-find-marks.ts'
import { useOperation } from '../../../lib/operation.ts'
import { TranscriptRowView } from './transcript-row.tsx'
import { agentEventsQuery } from '../event-queries.ts'
import { inOrder } from './transcript-pages.ts'
import { foldRuns, runKey } from './tool-runs.ts'
import { useJumps } from './use-jumps.ts'
import { useFollowedEnd } from './use-followed-end.ts'
import { rowOfEvent, type SessionAgent, type TranscriptRow, transcriptRows, withParents } from './transcript-rows.ts'

/** The parts of the address that concern a transcript, and the targets of its links. */
export interface TranscriptView {
  readonly sessionId: string
  /** The event in the address. */
  readonly event: string | undefined
  /** The address asks for the end of the session. */
  readonly isAtEnd: boolean
  /** Words to mark. */
  readonly found: readonly string[]
  /** Loads the start or the end of the session. */
  readonly onJump: (target: 'start' | 'end') => void
  readonly onDetails: (uuid: string) => void
  readonly onOpen: (uuid: string) => void
}

interface TranscriptProps extends TranscriptView {
  /** The pages that are loaded. */
  readonly pages: UseInfiniteQueryResult
  readonly events: readonly AnyEvent[]
  /** Called with the event at the top of the screen, or the selected one if it is on screen. */
  readonly onShown: (event: AnyEvent) => void
  /** The session is running. */
  readonly isActive: boolean
  /** Number of loaded pages. */
  readonly pageCount: number
}

/** Expected row heights in px. */
const ESTIMATES: Readonly<Record<TranscriptRow['type'], number>> = {
  prompt: 90,
  thinking: 60,
  answer: 140,
  tool: 44,
  run: 44,
  compaction: 80,
  error: 70,
  agent: 48,
  mark: 36,
}

/** A session's transcript. Renders only the rows on screen and loads more pages while scrolling. */
export function Transcript(props: TranscriptProps) {
  const { sessionId, events, event: selected, pages, found, onDetails, onOpen, onShown } = props
  // The previous rows are shown until the requested ones arrive.
  const { hasNextPage: hasLater, isPlaceholderData: isAway } = pages
  const hasEarlier = pages.hasPreviousPage && !isAway
  const canLoadLater = hasLater && !isAway && !pages.isFetchingNextPage
  const [openAgents, setOpenAgents] = useState<ReadonlySet<string>>(new Set())
  /** Rows that the user opened or closed, against their default. */
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [thinkingOpen, setThinkingOpen] = useState(true)
  useHotkeys({ t: () => setThinkingOpen((now) => !now) })

  const { data: listed } = useOperation('agents.list', { session_id: sessionId })
  const agents = listed?.items ?? NO_AGENTS
  const open = useOpenAgents(openAgents, events.find((event) => event.uuid === selected)?.agent_id ?? null, agents)
  const all = useEventsOfAgents(events, hasEarlier || hasLater ? open : NONE_OPEN, agents)
  const unfolded = useMemo(() => transcriptRows(all, { open, list: agents }), [all, open, agents])
  const rows = useMemo(() => foldRuns(unfolded, toggled, selected), [unfolded, toggled, selected])
  const list = useRef<VirtualListHandle>(null)
  const end = useFollowedEnd(list, { sessionId, pages, pageCount: props.pageCount, events })
  const selectedRow = selected === undefined ? -1 : rowOfEvent(rows, selected)
  const agentName = nameOfAgent(rows[selectedRow]?.event.agent_id ?? null, agents)
  // The list of agents moves their rows, and with them the selected one.
  useScrollToSelected(list, selected === undefined ? undefined : `${selected} ${listed !== undefined}`, selectedRow)
  useRestoredPosition(list, rows)
  useJumps(list, {
    rows: rows.length,
    startsAtEnd: props.isAtEnd,
    hasStart: !hasEarlier && !isAway,
    hasEnd: !hasLater && !isAway,
    onLoad: props.onJump,
    onLeave: end.leave,
  })
  useFindMarks(
    list,
    useMemo(() => wordPattern(found), [found]),
  )
  const showRange = useCallback(
    (first: number, last: number) => {
      const isSelectedShown = selectedRow >= first && selectedRow <= last
      // The last rows can never be at the top of the screen.
      const isAtEnd = first > 0 && last === rows.length - 1
      const row = rows[isSelectedShown ? selectedRow : isAtEnd ? last : first]
      if (row !== undefined) onShown(row.event)
    },
    [rows, selectedRow, onShown],
  )

  return (
    <section aria-label="Transcript" className="relative flex min-w-0 flex-1 flex-col">
      <VirtualList
        ref={list}
        label="Transcript text"
        items={rows}
        keyOf={(row) => (row.type === 'run' ? runKey(row) : row.event.uuid)}
        estimate={(row) => ESTIMATES[row.type]}
        overscan={6}
        paddingStart={8}
        paddingEnd={48}
        onNearEnd={canLoadLater ? () => void pages.fetchNextPage() : undefined}
        onRange={showRange}
        followEnd={end.isFollowed ? rows.length : null}
        onWheel={({ deltaY }) => deltaY < 0 && end.leave()}
        onScroll={end.onScroll}
        className="min-h-0 flex-1 px-5 focus-visible:outline-1 focus-visible:-outline-offset-1 data-quiet:outline-none max-[560px]:px-2"
        listClassName="mx-auto max-w-[60rem] min-[1600px]:max-w-[84rem]"
        before={
          <>
            {hasEarlier && (
              <div className="flex justify-center pt-3">
                <Button onClick={() => void pages.fetchPreviousPage()}>
                  <ArrowUp className="size-4" aria-hidden /> Load earlier
                </Button>
              </div>
            )}
            {rows.length === 0 && <EmptyTranscript sessionId={sessionId} />}
          </>
        }
      >
        {(row, index) => (
          <TranscriptRowView
            row={row}
            selected={index === selectedRow}
            agentName={index === selectedRow ? agentName : null}
            isToggled={toggled.has(row.event.uuid)}
            thinkingOpen={thinkingOpen}
            hasLater={hasLater}
            isActive={props.isActive}
            isFound={index === selectedRow && found.length > 0}
            onToggle={(uuid) => setToggled((now) => toggle(now, uuid))}
            onAgent={(agentId) => setOpenAgents((now) => toggle(now, agentId))}
            onDetails={onDetails}
            onOpen={onOpen}
          />
        )}
      </VirtualList>
      <NewRows end={end} />
    </section>
  )
}

function NewRows({ end: { fresh, isFollowed, follow } }: { readonly end: ReturnType<typeof useFollowedEnd> }) {
  if (fresh === 0 || isFollowed) return null
  return (
    <FloatingButton onClick={follow}>
      <ArrowDown className="size-4" aria-hidden /> {formatCount(fresh)} new
    </FloatingButton>
  )
}

function nameOfAgent(id: string | null, agents: readonly SessionAgent[]): string | null {
  const agent = agents.find(({ agent_id: known }) => known === id)
  return agent?.description ?? agent?.agent_type ?? id
}

const NO_AGENTS: readonly SessionAgent[] = []
const NONE_OPEN: ReadonlySet<string> = new Set()

/** Adds to the open agents those around a linked event, so that it is shown. */
function useOpenAgents(opened: ReadonlySet<string>, linked: string | null, agents: readonly SessionAgent[]) {
  return useMemo(() => new Set([...opened, ...withParents(linked, agents)]), [opened, linked, agents])
}

/** Adds the events of open agents, whose pages may not be loaded. */
function useEventsOfAgents(events: readonly AnyEvent[], open: ReadonlySet<string>, agents: readonly SessionAgent[]) {
  const opened = agents.filter(({ agent_id }) => open.has(agent_id))
  const first = events[0]
  return useQueries({
    queries: first === undefined ? [] : opened.map((agent) => agentEventsQuery(first.session_id, agent)),
    combine: useCallback(
      (found: readonly { readonly data?: readonly AnyEvent[] | undefined }[]) => {
        const more = found.flatMap(({ data }) => data ?? [])
        return more.length === 0 ? events : inOrder([...events, ...more])
      },
      [events],
    ),
  })
}

function toggle(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(key)) next.add(key)
  return next
}

/** Scrolls to the selected row, once for each selection. */
function useScrollToSelected(list: RefObject<VirtualListHandle | null>, selected: string | undefined, row: number) {
  const shown = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (row < 0 || shown.current === selected) return
    shown.current = selected
    list.current?.scrollTo(row, 'start')
  }, [list, selected, row])
}

/** Keeps the first row in place when earlier rows are loaded above it. */
function useRestoredPosition(list: RefObject<VirtualListHandle | null>, rows: readonly TranscriptRow[]): void {
  const first = useRef<{ key: string | undefined; count: number }>({ key: undefined, count: 0 })
  useLayoutEffect(() => {
    const { key, count } = first.current
    const moved = key === undefined || key === rows[0]?.event.uuid ? 0 : rowOfEvent(rows, key)
    if (moved > 0 && rows.length > count) list.current?.scrollTo(moved, 'start')
    first.current = { key: rows[0]?.event.uuid, count: rows.length }
  }, [list, rows])
}

/** Explains why a transcript has no messages. */
function EmptyTranscript({ sessionId }: { readonly sessionId: string }) {
  const { data: session } = useOperation('sessions.get', { session_id: sessionId })
  return (
    <p className="pt-20 text-center text-soft">
      {session?.preview === true
        ? 'This session is being imported. Its messages appear here at the end of the import.'
        : 'No messages in this session yet.'}
    </p>
  )
}
