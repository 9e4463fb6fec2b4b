import { ArrowDown, Pause, Play, Radio } from 'lucide-react'
import { useMemo, useRef } from 'react'
import type { EventKind } from '../../../shared/event.ts'
import type { EventSummary } from '../../../shared/live-feed.ts'
import type { Session } from '../../../shared/contract/sessions.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { FloatingButton } from '../../components/floating-button.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { LoadingRows } from '../../components/states.tsx'
import { VirtualList, type VirtualListHandle } from '../../components/virtual-list.tsx'
import { useCommands } from '../../lib/commands.ts'
import { columnDollars } from '../../lib/axis.ts'
import { textPattern } from '../../lib/find-words.ts'
import { formatCount, formatDay, projectName } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { useFindMarks } from '../../lib/use-find-marks.ts'
import { useQueryText } from '../../lib/use-query-text.ts'
import type { LiveBlock } from '../../lib/live/live-block.ts'
import type { LiveSnapshot } from '../../lib/live/live-store.ts'
import { EventRow, KIND_OF_BLOCK, WritingBlock } from './event-row.tsx'
import { kindsOf, shownGroups } from './live-search.ts'
import { sessionEdge } from './session-color.ts'
import { type SessionName, sessionNames } from './session-names.ts'
import { usePausableEvents } from './use-pausable-events.ts'

const END_DISTANCE_PX = 8

interface EventStreamProps {
  readonly snapshot: LiveSnapshot
  readonly known: ReadonlyMap<string, Session>
  readonly session: string | undefined
  readonly show: string | undefined
  readonly text: string | undefined
  readonly onText: (text: string | undefined) => void
  readonly onAllSessions: () => void
  /** The session whose card is under the pointer; rows of others are dimmed. */
  readonly pointed: string | null
}

/** Events as they arrive, newest at the bottom. Scrolling up or pressing `p` pauses the stream. */
export function EventStream(props: EventStreamProps) {
  const { snapshot, known, session, show, text, onText, onAllSessions, pointed } = props
  const kinds = useMemo(() => kindsOf(shownGroups(show)), [show])
  const { events, times, results, isPaused, fresh, pause, follow } = usePausableEvents(snapshot.batch, {
    kinds,
    session,
    text: text?.trim() ?? '',
  })
  const highest = Math.max(0, ...events.map(({ cost_usd: usd }) => usd ?? 0))
  const dollars = useMemo(() => columnDollars([highest]), [highest])
  const list = useRef<VirtualListHandle>(null)
  const marked = useMemo(() => textPattern(text ?? ''), [text])
  useFindMarks(list, marked)
  const names = useMemo(() => sessionNames(snapshot.sessions, known), [snapshot.sessions, known])
  const agentNames = useMemo(() => agentNamesOf(snapshot), [snapshot])
  /** The user's last scroll was downward. The list also scrolls automatically, which must not end a pause. */
  const scrollsDown = useRef(false)
  const pauseHere = () => {
    scrollsDown.current = false
    pause()
  }
  const pauseOrFollow = isPaused ? follow : pauseHere
  usePauseActions(isPaused, pauseOrFollow)
  const blocks = isPaused ? [] : snapshot.blocks.filter((block) => isShown(block, { session, kinds, text }))
  return (
    <section aria-label="Events" className="relative flex min-h-0 flex-col">
      <StreamHeader
        session={session}
        text={text}
        onText={onText}
        missed={snapshot.missed}
        isPaused={isPaused}
        onAllSessions={onAllSessions}
        onPause={pauseOrFollow}
      />
      <VirtualList
        ref={list}
        label="Event stream"
        items={events}
        keyOf={(event) => event.id}
        estimate={(event) => (isLong(event) ? 92 : 34)}
        overscan={12}
        followEnd={isPaused ? null : snapshot.batch}
        onWheel={(event) => {
          scrollsDown.current = event.deltaY > 0
          if (event.deltaY < 0) pauseHere()
        }}
        onKeyDown={(event) => {
          scrollsDown.current = ['ArrowDown', 'PageDown', 'End'].includes(event.key)
          if (['ArrowUp', 'PageUp', 'Home'].includes(event.key)) pauseHere()
        }}
        onPointerDown={(event) => {
          // The user grabbed the scroll bar.
          if (event.target === event.currentTarget && event.nativeEvent.offsetX >= event.currentTarget.clientWidth)
            pauseHere()
        }}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
          const isAtEnd = scrollHeight - scrollTop - clientHeight < END_DISTANCE_PX
          if (isPaused && scrollsDown.current && fresh === 0 && isAtEnd) follow()
        }}
        className="min-h-0 flex-1 px-3 pb-3 [overflow-anchor:none]"
        before={
          events.length + blocks.length === 0 && (
            <NoEvents
              isLoading={snapshot.batch === 0}
              isFirst={snapshot.received === 0}
              isSearch={text !== undefined}
            />
          )
        }
        after={blocks.map((block) => (
          <WritingBlock key={block.key} block={block} sessions={snapshot.sessions} />
        ))}
      >
        {(event, at) => (
          <>
            <DayLine at={event.ts_wall} before={events[at - 1]?.ts_wall} />
            <EventRow
              event={event}
              edge={sessionEdge(event.session_id)}
              times={times.get(event.id) ?? 1}
              result={results.get(event.id) ?? null}
              sessionName={session === undefined ? nameAt(events, at, names.get(event.session_id), known) : null}
              agentName={event.agent_id === null ? null : (agentNames.get(event.agent_id) ?? null)}
              dollars={dollars}
              isDimmed={pointed !== null && pointed !== event.session_id}
            />
          </>
        )}
      </VirtualList>
      {isPaused && fresh > 0 && (
        <FloatingButton onClick={follow}>
          <ArrowDown className="size-4" aria-hidden /> {formatCount(fresh)} new
        </FloatingButton>
      )}
    </section>
  )
}

/** Names the day of the first row, and where it changes. */
function DayLine({ at, before }: { readonly at: string; readonly before: string | undefined }) {
  const day = formatDay(new Date(at))
  if (before !== undefined && day === formatDay(new Date(before))) return null
  return <p className="label px-2 pt-3 pb-1">{day}</p>
}

/** Pauses and resumes by key and from the palette. */
function usePauseActions(isPaused: boolean, pauseOrFollow: () => void): void {
  useHotkeys({ p: pauseOrFollow })
  useCommands('Live', [
    {
      id: 'live:pause',
      icon: isPaused ? Play : Pause,
      name: isPaused ? 'Follow the stream' : 'Pause the stream',
      keys: 'p',
      run: pauseOrFollow,
    },
  ])
}

const agentNamesOf = ({ sessions }: LiveSnapshot): ReadonlyMap<string, string> =>
  new Map(sessions.flatMap(({ agents }) => agents.map(({ agent_id, name }) => [agent_id, name] as const)))

interface StreamHeaderProps {
  readonly text: string | undefined
  readonly onText: (text: string | undefined) => void
  readonly session: string | undefined
  readonly missed: number
  readonly isPaused: boolean
  readonly onAllSessions: () => void
  readonly onPause: () => void
}

function StreamHeader({ session, text, onText, missed, isPaused, onAllSessions, onPause }: StreamHeaderProps) {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useQueryText(text, onText)
  useHotkeys({ '/': () => input.current?.select() })
  return (
    <div className="flex min-h-10 shrink-0 items-center gap-2 pr-3 pl-5">
      <h2 className="label min-w-16 truncate">{session === undefined ? 'All sessions' : 'One session'}</h2>
      {session !== undefined && (
        <Button look="ghost" size="small" onClick={onAllSessions}>
          Show all
        </Button>
      )}
      {missed > 0 && (
        <Badge
          tone="warn"
          title="The window couldn’t keep up. These events were recorded; open the session to see them."
        >
          {formatCount(missed)} not shown
        </Badge>
      )}
      <div className="ml-auto min-w-24 shrink-[9]">
        <SearchBox
          inputRef={input}
          value={typed}
          onChange={setTyped}
          label="Search the stream"
          placeholder="Search"
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
      </div>
      <Button look="ghost" size="small" aria-pressed={isPaused} onClick={onPause} title="Pause or follow (p)">
        {isPaused ? <Play className="size-4" aria-hidden /> : <Pause className="size-4" aria-hidden />}
        {isPaused ? 'Follow' : 'Pause'}
      </Button>
    </div>
  )
}

interface NoEventsProps {
  /** The first batch has not arrived: nothing is known yet. */
  readonly isLoading: boolean
  readonly isFirst: boolean
  readonly isSearch: boolean
}

function NoEvents({ isLoading, isFirst, isSearch }: NoEventsProps) {
  if (isLoading) return <LoadingRows rows={10} label="Loading events" />
  return (
    <p className="flex items-center justify-center gap-2 pt-24 text-soft">
      <Radio className="breathe size-4 text-accent" aria-hidden />
      {isFirst
        ? 'Listening. Events appear here as they happen.'
        : isSearch
          ? 'No matches in the stream. Recall searches everything that is recorded.'
          : 'No events of the selected kinds yet.'}
    </p>
  )
}

interface BlockFilter extends Pick<EventStreamProps, 'session' | 'text'> {
  readonly kinds: ReadonlySet<EventKind>
}

function isShown(block: LiveBlock, { session, kinds, text }: BlockFilter): boolean {
  return (
    (session === undefined || block.session_id === session) &&
    kinds.has(KIND_OF_BLOCK[block.block]) &&
    (text === undefined || block.text.toLowerCase().includes(text.trim().toLowerCase()))
  )
}

/** Returns whether a title repeats a prompt; either may be cut. */
function isSameText(title: string, prompt: string): boolean {
  const plain = (text: string) => text.replace(/…$/, '').replaceAll(/\s+/g, ' ').trim()
  return plain(title) === plain(prompt) || (title.endsWith('…') && plain(prompt).startsWith(plain(title)))
}

/** Names the session of a row; null if the row before is of the same, or the row is the prompt that names it. */
function nameAt(
  events: readonly EventSummary[],
  at: number,
  name: SessionName | undefined,
  known: EventStreamProps['known'],
): string | null {
  const event = events[at]
  if (event === undefined || events[at - 1]?.session_id === event.session_id) return null
  const { project, session_id, kind, text: said } = event
  const title = name?.title || known.get(session_id)?.title
  if (!title) return project === null ? session_id.slice(0, 8) : projectName(project)
  if (kind === 'user_prompt' && isSameText(title, said)) return null
  return name?.since ? `${name.since} · ${title}` : title
}

const isLong = ({ text, kind }: EventSummary): boolean =>
  text.length > 110 && (kind === 'thinking' || kind === 'assistant_text')
