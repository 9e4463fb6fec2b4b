import { visibleText } from '../../../../shared/visible-text.ts'
import { Link } from '@tanstack/react-router'
import { GitBranch, Pin, Star } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { formatFailures } from '../../../../shared/failures.ts'
import { Badge } from '../../../components/badge.tsx'
import { SortHead } from '../../../components/sort-head.tsx'
import { VirtualList, type VirtualListHandle } from '../../../components/virtual-list.tsx'
import {
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  formatMoment,
  plural,
  projectName,
} from '../../../lib/format.ts'
import type { SessionSort } from './sessions-search.ts'

interface SessionsTableProps {
  readonly sessions: readonly Session[]
  readonly current: number
  /** undefined sorts by start time, newest first. */
  readonly sort: SessionSort | undefined
  readonly onSort: (sort: SessionSort | undefined) => void
  /** undefined when there are no more pages or one is being loaded. */
  readonly onMore: (() => void) | undefined
  /** Called when the pointer enters or leaves the table. */
  readonly onPointed: (pointed: boolean) => void
}

const COLUMNS =
  'grid grid-cols-[minmax(14rem,1fr)_8.5rem_repeat(5,5.2rem)] min-[1300px]:grid-cols-[minmax(18rem,1fr)_9rem_repeat(3,5.6rem)_8.5rem_repeat(2,5.6rem)] items-center gap-x-3 px-4'
const ROW_REM = 3.4

const NUMBERS = [
  { name: 'Active time', sort: 'active', title: 'Longest active time first' },
  { name: 'Prompts', sort: 'prompts', title: 'Most prompts first' },
  { name: 'Tools', sort: 'tools', title: 'Most tool calls first' },
  { name: 'Failures', sort: 'failures', title: 'Most API errors and failed tool calls first' },
  { name: 'Tokens', sort: 'tokens', title: 'Most tokens first' },
  { name: 'Cost', sort: 'cost', title: 'Most expensive first' },
] as const satisfies readonly { name: string; sort: SessionSort; title: string }[]

/** Sessions as rows. Renders only the rows on screen. */
export function SessionsTable({ sessions, current, sort, onSort, onMore, onPointed }: SessionsTableProps) {
  const list = useRef<VirtualListHandle>(null)
  const rowHeight = ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  useEffect(() => {
    if (current >= 0) list.current?.scrollTo(current)
  }, [current])
  return (
    <div
      role="table"
      aria-label="Sessions"
      aria-rowcount={sessions.length}
      onPointerEnter={() => onPointed(true)}
      onPointerLeave={() => onPointed(false)}
      className="flex min-h-0 flex-1 flex-col px-2"
    >
      <div role="row" className={`${COLUMNS} label h-9 shrink-0 border-b`}>
        <span role="columnheader">Session</span>
        <span role="columnheader" aria-sort={sort === undefined ? 'descending' : 'none'}>
          <SortHead name="Started" title="Newest first" isOn={sort === undefined} onSort={() => onSort(undefined)} />
        </span>
        {NUMBERS.map(({ name, sort: own, title }) => (
          <span
            key={name}
            role="columnheader"
            aria-sort={sort === own ? 'descending' : 'none'}
            className={`text-right ${own === 'failures' ? 'hidden min-[1300px]:block' : ''}`}
          >
            <SortHead name={name} title={title} isOn={sort === own} onSort={() => onSort(own)} />
          </span>
        ))}
      </div>
      <VirtualList
        ref={list}
        layout="table"
        label="List of sessions"
        items={sessions}
        keyOf={(session) => session.id}
        estimate={() => rowHeight}
        isFixed
        overscan={10}
        onNearEnd={onMore}
        className="min-h-0 flex-1 pb-6"
        rowProps={(_, index) => ({
          'aria-rowindex': index + 1,
          'aria-current': index === current ? 'true' : undefined,
          className: `${COLUMNS} border-b ${index === current ? 'bg-accent-soft' : 'hover:bg-hover'}`,
        })}
      >
        {(session) => <SessionCells session={session} />}
      </VirtualList>
    </div>
  )
}

function SessionCells({ session }: { session: Session }) {
  const number = 'text-right text-small'
  return (
    <>
      <div role="cell" className="min-w-0">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: session.id }}
          search={{}}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {visibleText(session.title ?? 'Untitled session')}
        </Link>
        <p className="flex min-w-0 items-center gap-2 text-meta text-faint">
          <span className="truncate" title={session.project ?? undefined}>
            {projectName(session.project)}
          </span>
          {session.git_branch !== null && (
            <span className="flex min-w-0 items-center gap-1">
              <GitBranch className="size-3 shrink-0" aria-hidden />
              <span className="truncate">{session.git_branch}</span>
            </span>
          )}
          {session.starred && (
            <Star className="size-3.5 shrink-0 fill-current text-warn" role="img" aria-label="Starred" />
          )}
          {session.pinned && (
            <Pin className="size-3.5 shrink-0 fill-current text-accent" role="img" aria-label="Pinned" />
          )}
          {session.ended_at === null && <Badge tone="good">open</Badge>}
          {session.client !== 'unknown' && (
            <span
              className="traffic truncate"
              title={[session.client, session.client_version].filter(Boolean).join(' ')}
            >
              {session.client}
            </span>
          )}
          {session.source === 'transcript' && (
            <Badge title="Imported from a transcript: output tokens are a lower bound">transcript</Badge>
          )}
        </p>
      </div>
      <span role="cell" className="text-small text-soft" title={formatExact(session.started_at)}>
        {formatMoment(session.started_at)}
      </span>
      <span role="cell" className={`${number} text-soft`} title="Time with activity">
        {formatDuration(session.active_ms)}
      </span>
      <span role="cell" className={`${number} text-soft`}>
        {formatCount(session.prompts)}
      </span>
      <span role="cell" className={`${number} text-soft`}>
        {formatCount(session.tool_calls)}
      </span>
      <span
        role="cell"
        title="API errors and failed tool calls"
        className={`${number} hidden truncate text-bad min-[1300px]:block`}
      >
        {formatFailures(session)}
      </span>
      <span role="cell" className={`${number} text-soft`}>
        {formatCount(session.total_tokens)}
      </span>
      <span
        role="cell"
        className={`${number} font-medium`}
        title={
          session.unpriced_calls > 0 ? `${plural(session.unpriced_calls, 'call')} without a price` : 'API list price'
        }
      >
        {formatCost(session.total_cost_usd)}
        {session.unpriced_calls > 0 && <span className="text-warn"> +?</span>}
      </span>
    </>
  )
}
