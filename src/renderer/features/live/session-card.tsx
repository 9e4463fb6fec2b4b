import { knownCost, NOT_CAPTURED } from '../../../shared/known-figures.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Link } from '@tanstack/react-router'
import {
  ArrowRight,
  Bot,
  Brain,
  CircleCheck,
  CirclePause,
  Hourglass,
  type LucideIcon,
  PenLine,
  TriangleAlert,
  Wrench,
} from 'lucide-react'
import type { Session } from '../../../shared/contract/sessions.ts'
import { formatFailures } from '../../../shared/failures.ts'
import { toolLabel } from '../../../shared/tool-shape.ts'
import type { LiveSession } from '../../../shared/turn-state.ts'
import { MINUTE_MS } from '../../../shared/time-units.ts'
import { Badge } from '../../components/badge.tsx'
import { AspyCommand } from '../../components/command-line.tsx'
import { formatCount, formatDuration, plural, projectName } from '../../lib/format.ts'
import { modelName } from '../../../shared/vendors.ts'
import type { LiveBlock } from '../../lib/live/live-block.ts'
import { sessionEdge } from './session-color.ts'
import { isUncaptured, type LiveState, stateOf } from '../../lib/live/live-session.ts'
import { toSession } from '../../lib/places.ts'

const STATES: Readonly<Record<LiveState | 'held', { label: string; icon: LucideIcon; color: string; busy: boolean }>> =
  {
    thinking: { label: 'Thinking', icon: Brain, color: 'text-k-thinking', busy: true },
    writing: { label: 'Writing', icon: PenLine, color: 'text-k-text', busy: true },
    calling: { label: 'Calling a tool', icon: Wrench, color: 'text-k-tool', busy: true },
    tool: { label: 'Running', icon: Wrench, color: 'text-k-tool', busy: true },
    held: { label: 'Paused by your limit', icon: CirclePause, color: 'text-warn', busy: false },
    starting: { label: 'Starting', icon: Hourglass, color: 'text-soft', busy: false },
    waiting: { label: 'Waiting for the model', icon: Hourglass, color: 'text-soft', busy: true },
    done: { label: 'Your turn', icon: CircleCheck, color: 'text-good', busy: false },
    ended: { label: 'Ended', icon: CircleCheck, color: 'text-faint', busy: false },
    unused: { label: 'Ended without a prompt', icon: CirclePause, color: 'text-faint', busy: false },
    error: { label: 'Error', icon: TriangleAlert, color: 'text-bad', busy: false },
    quiet: { label: 'Idle', icon: CirclePause, color: 'text-faint', busy: false },
  }

interface SessionCardProps {
  readonly session: LiveSession
  /** The session as the list has it; undefined until it is stored. */
  readonly recorded: Session | undefined
  /** The guard holds a request of it. */
  readonly isHeld: boolean
  readonly block: LiveBlock | null
  /** Formats costs with one precision on all cards. */
  readonly dollars: (usd: number | null) => string
  readonly now: number
  readonly chosen: boolean
  /** Its beginning, if another card has the same title; else null. */
  readonly since: string | null
  readonly onChoose: () => void
}

/** A session by its title, what it does now, and the usage of its turn and of all of it. */
export function SessionCard(props: SessionCardProps) {
  const { session, recorded, isHeld, block, dollars, now, chosen, since: began, onChoose } = props
  const state = isHeld ? 'held' : stateOf(session, block?.block ?? null, now, recorded)
  const { label, icon: Icon, color, busy } = STATES[state]
  const since = Date.parse(busy ? session.turn_started_at : session.last_event_at)
  const prompt =
    session.prompt ?? (state === 'starting' || state === 'unused' ? 'No prompt yet' : `Turn ${session.turn_id}`)
  const title = recorded?.title ?? prompt
  const isOver = state === 'ended' || state === 'unused'
  const working = isOver ? [] : session.agents.filter((agent) => !agent.ended)
  return (
    <article
      style={{ borderLeftWidth: 3, ...sessionEdge(session.session_id) }}
      className={`bar relative rounded-medium border bg-surface p-3.5 ${chosen ? 'border-accent ring-1 ring-accent' : 'hover:border-line-strong'}`}
    >
      <div className="flex items-center gap-2">
        <Icon className={`size-4 shrink-0 ${color} ${busy ? 'breathe' : ''}`} strokeWidth={2} aria-hidden />
        <span className={`min-w-0 truncate text-meta font-medium ${color}`}>
          {label}
          {state === 'tool' && session.last_tool !== null && ` ${toolLabel(session.last_tool)}`}
          {!busy && state !== 'starting' && ` · ${pause(now - since)}${isOver ? ' ago' : ''}`}
        </span>
        {busy && (
          <span className="ml-auto shrink-0 text-meta text-faint tabular-nums" title="Since the prompt">
            {elapsed(now - since)}
          </span>
        )}
      </div>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={onChoose}
        title="Show only this session's events"
        className="traffic mt-1.5 line-clamp-2 w-full text-left font-medium after:absolute after:inset-0"
      >
        {visibleText(title)}
      </button>
      {title !== prompt && (
        <p className="mt-0.5 line-clamp-2 text-small text-soft" title="The last prompt">
          {visibleText(prompt)}
        </p>
      )}
      <p className="mt-0.5 truncate text-meta text-faint" title={session.project ?? undefined}>
        {projectName(session.project)}
        {began !== null && ` · ${began}`}
        {session.model !== null && ` · ${modelName(session.model)}`}
        {session.context !== null && (
          <span title="Context of the main agent: input and output tokens of its latest request">
            {` · context ${formatCount(session.context)}`}
          </span>
        )}
      </p>
      {working.length > 0 && (
        <div className="mt-2 flex flex-wrap gap-1.5">
          {working.slice(0, 4).map((agent) => (
            <Badge key={agent.agent_id} title={agent.name}>
              <Bot className="size-3 text-k-agent" aria-hidden />
              <span className="max-w-36 truncate">{agent.name}</span>
            </Badge>
          ))}
          {working.length > 4 && <Badge>{`${working.length - 4} more`}</Badge>}
        </div>
      )}
      <Spent session={session} recorded={recorded} dollars={dollars} title={title} />
      {isUncaptured(session, now) && (
        <div className="relative z-10 mt-2">
          <p className="mb-1 text-meta text-warn">{NOT_CAPTURED}. To capture the next session:</p>
          <AspyCommand args="run -- claude" />
        </div>
      )}
    </article>
  )
}

/** What the turn and the session cost, and the way to the session. */
function Spent({
  session,
  recorded,
  dollars,
  title,
}: Pick<SessionCardProps, 'session' | 'recorded' | 'dollars'> & { title: string }) {
  return (
    <div className="mt-2.5 flex items-center gap-3 border-t pt-2 text-meta text-soft tabular-nums">
      <p className="flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 whitespace-nowrap">
        <span
          title={
            session.unpriced > 0 ? `${plural(session.unpriced, 'request')} without a price` : 'Cost at API list price'
          }
        >
          This turn {session.cost_usd === 0 ? '$0' : dollars(session.cost_usd)}
          {session.unpriced > 0 && ' +?'}
        </span>
        {recorded !== undefined && recorded.turn_count > 1 && (
          <span title={`${formatCount(recorded.total_tokens)} tokens, at API list price`}>
            Session {dollars(knownCost(recorded))}
          </span>
        )}
        {session.tools > 0 && <span title="In this turn">{plural(session.tools, 'tool call')}</span>}
        {session.api_errors + session.failed_tools > 0 && (
          <span className="text-bad" title="API errors and failed tool calls of this turn">
            {formatFailures(session)}
          </span>
        )}
      </p>
      <Link
        {...toSession(session.session_id, {})}
        aria-label={`Open session “${title}”`}
        title="Open session"
        className="relative z-10 ml-auto flex size-6 items-center justify-center rounded-small text-faint hover:bg-hover hover:text-ink"
      >
        <ArrowRight className="size-4" aria-hidden />
      </Link>
    </div>
  )
}

/** Formats how long nothing has happened, in one unit. */
function pause(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS)
  if (minutes < 1) return elapsed(ms)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}

/** Formats a duration in whole seconds, because it updates once per second. */
function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds === 0 ? '0 s' : formatDuration(seconds * 1000)
}
