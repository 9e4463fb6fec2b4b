import { visibleText } from '../../../shared/visible-text.ts'
import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import type { EventKind } from '../../../shared/event.ts'
import { isGuardStop } from '../../../shared/failures.ts'
import type { EventSummary } from '../../../shared/live-feed.ts'
import { shortPath } from '../../../shared/short-path.ts'
import { SEQUENCE } from '../../../shared/terminal-text.ts'
import { toolLabel } from '../../../shared/tool-shape.ts'
import type { LiveSession } from '../../../shared/turn-state.ts'
import { KIND_LOOKS, KindIcon } from '../../components/event-kind.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { startOfMarkdown, withoutOpenSigns } from '../../lib/folded-text.ts'
import { formatClock, formatCount, formatDuration } from '../../lib/format.ts'
import { inputAsWritten } from '../../lib/input-as-written.ts'
import type { LiveBlock } from '../../lib/live/live-block.ts'
import { sessionEdge } from './session-color.ts'
import { toSession } from '../../lib/places.ts'

/** Kinds whose text wraps over several lines. Others take one line. */
const WRAPPED: ReadonlySet<EventKind> = new Set(['user_prompt', 'error', 'compaction'])

const GRID =
  'grid grid-cols-[5rem_1rem_minmax(0,1fr)_auto] items-start gap-x-3 rounded-r-small border-l-[3px] px-2 py-1.5 max-[1000px]:grid-cols-[1rem_minmax(0,1fr)_auto] max-[1000px]:gap-x-2'
const CLOCK = 'pt-px text-meta whitespace-nowrap text-faint max-[1000px]:hidden'
/** The widest that a text is set: longer lines are hard to follow. */
const READABLE = 'max-w-[54rem]'
type ProseKind = 'assistant_text' | 'thinking'
/** What is shown before "Show all". */
const MOST: Readonly<Record<ProseKind, readonly [lines: number, characters: number]>> = {
  assistant_text: [8, 600],
  thinking: [5, 400],
}

interface EventRowProps {
  readonly event: EventSummary
  /** The look of its session; undefined: none. */
  readonly edge: ReturnType<typeof sessionEdge>
  /** How often the same error came in a row. */
  readonly times: number
  /** The result of a tool call; null while it runs. */
  readonly result: EventSummary | null
  /** Names the session on the first of its rows in a row; null on the others. */
  readonly sessionName: string | null
  /** Task of the event's agent; null for the main agent. */
  readonly agentName: string | null
  /** Formats costs with one precision in all rows. */
  readonly dollars: (usd: number | null) => string
  /** The pointer is over another session. */
  readonly isDimmed: boolean
}

/** One event of the stream, linked to its place in the session. Its left edge has the color of its session. */
export const EventRow = memo(function EventRow(props: EventRowProps) {
  const { event, edge, result, agentName, isDimmed } = props
  const facts = <RowFacts {...props} event={result ?? event} />
  const isRefused = (result ?? event).is_refused === true || isGuardStop(event.text)
  const failed = !isRefused && (event.success === false || result?.success === false || event.kind === 'error')
  const look = `${GRID} ${isDimmed ? 'opacity-40' : ''} hover:bg-hover ${event.kind === 'user_prompt' ? 'mt-1 bg-accent-tint' : ''} ${event.agent_id === null ? '' : 'ml-5'}`
  const place = toSession(event.session_id, { event: event.uuid })
  if (event.kind === 'assistant_text' || event.kind === 'thinking') {
    // Markdown may contain links, so only its time and icon link to the session.
    return (
      <div className={look} style={edge}>
        <Link {...place} className={`${CLOCK} hover:underline`}>
          <time dateTime={event.ts_wall}>{formatClock(event.ts_wall)}</time>
        </Link>
        <Link {...place} aria-label={`Open this ${event.kind === 'thinking' ? 'thinking' : 'answer'} in its session`}>
          <KindIcon kind={event.kind} className="mt-0.5 size-4" />
        </Link>
        <Prose kind={event.kind} event={event} place={place} />
        {facts}
      </div>
    )
  }
  return (
    <Link {...place} className={look} style={edge}>
      <time className={CLOCK} dateTime={event.ts_wall}>
        {formatClock(event.ts_wall)}
      </time>
      <KindIcon kind={event.kind} action={event.level} className="mt-0.5 size-4" />
      <span
        className={`min-w-0 ${WRAPPED.has(event.kind) ? `traffic line-clamp-5 ${READABLE}` : 'truncate'} ${failed ? 'text-bad' : isRefused ? 'text-warn' : ''}`}
      >
        {event.tool_name !== undefined && (
          <span className="mr-2 font-mono text-small font-medium">{visibleText(toolLabel(event.tool_name))}</span>
        )}
        <span className={event.tool_name === undefined ? '' : 'font-mono text-meta text-soft'}>
          {withoutColors(visibleText(rowText(event, agentName)))}
        </span>
        {result !== null && (
          <span className="ml-3 font-mono text-meta text-faint">
            {withoutColors(visibleText(rowText(result, agentName)))}
          </span>
        )}
      </span>
      {facts}
    </Link>
  )
})

interface ProseProps {
  readonly kind: ProseKind
  readonly event: EventSummary
  readonly place: ReturnType<typeof toSession<{ readonly event: string }>>
}

/** An answer, or thinking, with its Markdown, folded to its first lines. */
function Prose({ kind, event, place }: ProseProps) {
  const [isOpen, setOpen] = useState(false)
  const { truncated: isCut } = event
  const text = isCut === true ? withoutOpenSigns(event.text) : event.text
  const start = startOfMarkdown(text, ...MOST[kind])
  const isLong = start !== text
  return (
    <div className={`min-w-0 ${READABLE} ${kind === 'thinking' ? 'text-soft' : ''}`}>
      {/* No line clamp: it counts no lines of blocks, and leaves the focus to links that it hides. */}
      <Markdown text={isOpen ? text : start} />
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="min-h-6 text-meta text-accent"
        >
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      )}
      {isCut === true && (isOpen || !isLong) && (
        <Link {...place} className="block min-h-6 text-meta text-accent">
          Open the whole text
        </Link>
      )}
    </div>
  )
}

function RowFacts({ event, times, sessionName, agentName, dollars }: EventRowProps) {
  return (
    <span
      className={`flex items-center gap-3 pt-px text-meta whitespace-nowrap text-faint ${sessionName === null ? '' : 'max-[700px]:col-start-2 max-[700px]:col-span-2 max-[700px]:flex-row-reverse max-[700px]:justify-end'}`}
    >
      {agentName !== null && event.kind !== 'agent_started' && event.kind !== 'agent_ended' && (
        <span className="max-w-36 truncate text-k-agent max-[1000px]:hidden" title={agentName}>
          {agentName}
        </span>
      )}
      {times > 1 && <span className="text-bad" title={`${times} times in a row`}>{`×${times}`}</span>}
      {event.is_refused === true ? (
        <span className="text-warn">refused</span>
      ) : (
        event.success === false && !isGuardStop(event.text) && <span className="text-bad">failed</span>
      )}
      {event.tokens !== undefined && <span className="max-[800px]:hidden">{formatCount(event.tokens)} tokens</span>}
      {event.cost_usd !== undefined && <span>{dollars(event.cost_usd)}</span>}
      {event.duration_ms !== null && <span>{formatDuration(event.duration_ms)}</span>}
      {sessionName !== null && (
        <span
          className="line-clamp-2 max-w-60 font-medium whitespace-normal text-soft max-[1000px]:max-w-28 max-[700px]:line-clamp-1 max-[700px]:max-w-none min-[1600px]:max-w-[36rem]"
          title={[sessionName, event.project ?? event.session_id].join('\n')}
        >
          {visibleText(sessionName)}
        </span>
      )}
    </span>
  )
}

/** Removes terminal colors, which are noise on a page. */
const withoutColors = (text: string): string => text.replaceAll(SEQUENCE, '')

/** Returns the text of a row without the tool's name, which is shown beside it. */
function rowText(event: EventSummary, agentName: string | null): string {
  const { text, tool_name: tool } = event
  // The event itself names only the agent's type.
  if (agentName !== null && (event.kind === 'agent_started' || event.kind === 'agent_ended')) {
    const verb = event.kind === 'agent_started' ? 'Started' : 'Ended'
    return text === '' || text === agentName ? `${verb}: ${agentName}` : `${verb}: ${agentName} (${text})`
  }
  if (text === '') return tool === undefined ? KIND_LOOKS[event.kind].label : ''
  const shown = tool !== undefined && text.startsWith(`${tool} `) ? text.slice(tool.length + 1) : text
  return event.kind === 'tool_call' || event.kind === 'tool_result' ? shortPath(shown, event.project) : shown
}

export const KIND_OF_BLOCK = { thinking: 'thinking', text: 'assistant_text', tool_input: 'tool_call' } as const

/** The last lines of a block that is being written, where its event will appear. */
export function WritingBlock({ block, sessions }: { block: LiveBlock; sessions: readonly LiveSession[] }) {
  const project = sessions.find((session) => session.session_id === block.session_id)?.project ?? null
  const kind = KIND_OF_BLOCK[block.block]
  const isInput = block.block === 'tool_input'
  // The first value is the main argument of the call: its command, path, query …
  const about = isInput ? (inputAsWritten(block.head).split('\n', 1)[0] ?? '') : ''
  const written = isInput ? inputAsWritten(block.text) : block.text
  const shown = isInput && written.startsWith(about) ? written.slice(about.length) : written
  return (
    <div className={`${GRID} ${block.agent_id === null ? '' : 'ml-5'}`} style={sessionEdge(block.session_id)}>
      <span className={CLOCK}>now</span>
      <KindIcon kind={kind} className="mt-0.5 size-4" />
      <div className={`min-w-0 ${isInput ? '' : READABLE}`}>
        {block.tool_name !== null && (
          <p className="truncate font-mono text-meta">
            <span className="mr-2 font-medium">{visibleText(toolLabel(block.tool_name))}</span>
            {visibleText(shortPath(about, project))}
          </p>
        )}
        <div
          className={`flex max-h-[7.1rem] flex-col justify-end overflow-hidden ${block.block === 'thinking' ? 'text-soft' : ''}`}
        >
          <p className={`traffic caret ${isInput ? 'font-mono text-meta' : ''}`}>
            {visibleText(shown.slice(-1500).trimStart())}
          </p>
        </div>
      </div>
      <span />
    </div>
  )
}
