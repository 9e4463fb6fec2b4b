import { visibleText } from '../../../shared/visible-text.ts'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { EventKind } from '../../../shared/event.ts'
import type { EventSummary } from '../../../shared/live-feed.ts'
import { KIND_LOOKS, KindIcon } from '../../components/event-kind.tsx'
import { formatClock, formatCost, formatCount, formatDuration, projectName } from '../../lib/format.ts'
import { inputAsWritten } from '../../lib/input-as-written.ts'
import type { LiveBlock } from '../../lib/live/live-block.ts'

/** Kinds whose text wraps over several lines. Others take one line. */
const WRAPPED: ReadonlySet<EventKind> = new Set(['user_prompt', 'thinking', 'assistant_text', 'error', 'compaction'])

const GRID = 'grid grid-cols-[4.2rem_1rem_minmax(0,1fr)_auto] items-start gap-x-3 rounded-small px-2 py-1.5'

/** One event of the stream, linked to its place in the session. */
export const EventRow = memo(function EventRow({ event, showProject }: { event: EventSummary; showProject: boolean }) {
  const failed = event.success === false || event.kind === 'error'
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId: event.session_id }}
      search={{ event: event.uuid }}
      className={`${GRID} hover:bg-hover ${event.kind === 'user_prompt' ? 'mt-1 bg-accent-tint' : ''} ${event.agent_id === null ? '' : 'ml-5 rounded-l-none border-l-2 border-k-agent/40'}`}
    >
      <time className="pt-px text-meta text-faint" dateTime={event.ts_wall}>
        {formatClock(event.ts_wall)}
      </time>
      <KindIcon kind={event.kind} className="mt-0.5 size-4" />
      <span
        className={`min-w-0 ${WRAPPED.has(event.kind) ? 'traffic line-clamp-5' : 'truncate'} ${failed ? 'text-bad' : ''} ${event.kind === 'thinking' ? 'text-soft' : ''}`}
      >
        {event.tool_name !== undefined && (
          <span className="mr-2 font-mono text-small font-medium">{event.tool_name}</span>
        )}
        <span className={event.tool_name === undefined ? '' : 'font-mono text-meta text-soft'}>
          {visibleText(rowText(event))}
        </span>
      </span>
      <span className="flex items-center gap-3 pt-px text-meta whitespace-nowrap text-faint">
        {event.success === false && <span className="text-bad">failed</span>}
        {event.tokens !== undefined && <span>{formatCount(event.tokens)} tokens</span>}
        {event.cost_usd !== undefined && <span>{formatCost(event.cost_usd)}</span>}
        {event.duration_ms !== null && <span>{formatDuration(event.duration_ms)}</span>}
        {showProject && (
          <span className="hidden max-w-28 truncate min-[1500px]:block">{projectName(event.project)}</span>
        )}
      </span>
    </Link>
  )
})

/** Returns the text of a row without the tool's name, which is shown beside it. */
function rowText(event: EventSummary): string {
  const { text, tool_name: tool } = event
  if (text === '') return tool === undefined ? KIND_LOOKS[event.kind].label : ''
  return tool !== undefined && text.startsWith(`${tool} `) ? text.slice(tool.length + 1) : text
}

export const KIND_OF_BLOCK = { thinking: 'thinking', text: 'assistant_text', tool_input: 'tool_call' } as const

/** The last lines of a block that is being written, where its event will appear. */
export function WritingBlock({ block }: { block: LiveBlock }) {
  const kind = KIND_OF_BLOCK[block.block]
  const shown = block.block === 'tool_input' ? inputAsWritten(block.text) : block.text
  return (
    <div className={`${GRID} ${block.agent_id === null ? '' : 'ml-5 rounded-l-none border-l-2 border-k-agent/40'}`}>
      <span className="pt-px text-meta text-faint">now</span>
      <KindIcon kind={kind} className="mt-0.5 size-4" />
      <div
        className={`flex max-h-[7.1rem] flex-col justify-end overflow-hidden ${block.block === 'thinking' ? 'text-soft' : ''}`}
      >
        <p className={`traffic caret ${block.block === 'tool_input' ? 'font-mono text-meta' : ''}`}>
          {block.tool_name !== null && <span className="mr-2 font-medium">{block.tool_name}</span>}
          {visibleText(shown.slice(-1500).trimStart())}
        </p>
      </div>
      <span />
    </div>
  )
}
