import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { GitBranch, Pin, Star } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { Badge } from '../../../components/badge.tsx'
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
  /** undefined: the newest first. */
  readonly sort: SessionSort | undefined
  readonly onSort: (sort: SessionSort | undefined) => void
  readonly hasMore: boolean
  readonly onMore: () => void
  /** Whether the pointer is over the table. */
  readonly onPointed: (pointed: boolean) => void
}

const COLUMNS =
  'grid grid-cols-[minmax(14rem,1fr)_8.5rem_repeat(5,5.2rem)] min-[1300px]:grid-cols-[minmax(18rem,1fr)_9rem_repeat(6,6rem)] items-center gap-x-3 px-4'
const ROW_REM = 3.4
const NUMBERS = ['Active', 'Prompts', 'Tools', 'Errors', 'Tokens', 'Cost'] as const

const SORT_OF = {
  Active: 'active',
  Prompts: 'prompts',
  Tools: 'tools',
  Errors: 'errors',
  Tokens: 'tokens',
  Cost: 'cost',
} as const satisfies Record<(typeof NUMBERS)[number], SessionSort>

/** Sessions as rows; only those on screen exist in the page. */
export function SessionsTable({ sessions, current, sort, onSort, hasMore, onMore, onPointed }: SessionsTableProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const virtualizer = useVirtualizer({
    count: sessions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => sessions[index]?.id ?? index,
    overscan: 10,
  })
  const items = virtualizer.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lastShown >= sessions.length - 25) onMore()
  }, [hasMore, lastShown, sessions.length, onMore])
  useEffect(() => {
    if (current >= 0) virtualizer.scrollToIndex(current)
  }, [current, virtualizer])

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
        <SortHead name="Started" on={sort === undefined} onSort={() => onSort(undefined)} />
        {NUMBERS.map((name) => (
          <SortHead
            key={name}
            name={name}
            on={sort === SORT_OF[name]}
            onSort={() => onSort(SORT_OF[name])}
            className={`text-right ${name === 'Errors' ? 'hidden min-[1300px]:block' : ''}`}
          />
        ))}
      </div>
      <div
        ref={scroller}
        // A scrolling region must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="rowgroup"
        className="min-h-0 flex-1 overflow-y-auto pb-6"
      >
        <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const session = sessions[item.index]
            return (
              session && (
                <div
                  key={item.key}
                  role="row"
                  aria-rowindex={item.index + 1}
                  aria-current={item.index === current ? 'true' : undefined}
                  className={`${COLUMNS} absolute inset-x-0 top-0 border-b ${item.index === current ? 'bg-accent-soft' : 'hover:bg-hover'}`}
                  style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                >
                  <SessionCells session={session} />
                </div>
              )
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface SortHeadProps {
  readonly name: string
  readonly on: boolean
  readonly onSort: () => void
  readonly className?: string
}

/** A column's name, which sorts by it from the top. */
function SortHead({ name, on, onSort, className = '' }: SortHeadProps) {
  return (
    <span role="columnheader" aria-sort={on ? 'descending' : 'none'} className={className}>
      <button
        type="button"
        onClick={onSort}
        title={name === 'Started' ? 'Newest first' : `Most ${name.toLowerCase()} first`}
        className={`rounded-small hover:text-ink ${on ? 'font-semibold text-ink' : ''}`}
      >
        {name}
        {on && ' ↓'}
      </button>
    </span>
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
          {session.title ?? 'Untitled session'}
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
          {session.source === 'transcript' && (
            <Badge title="Known from its transcript: output tokens are a lower bound">transcript</Badge>
          )}
        </p>
      </div>
      <span role="cell" className="text-small text-soft" title={formatExact(session.started_at)}>
        {formatMoment(session.started_at)}
      </span>
      <span role="cell" className={`${number} text-soft`} title="Time in which something happened">
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
        className={`${number} hidden min-[1300px]:block ${session.errors > 0 ? 'text-bad' : 'text-faint'}`}
      >
        {formatCount(session.errors)}
      </span>
      <span role="cell" className={`${number} text-soft`}>
        {formatCount(session.total_tokens)}
      </span>
      <span
        role="cell"
        className={`${number} font-medium`}
        title={
          session.unpriced_calls > 0
            ? `${plural(session.unpriced_calls, 'call')} of models without a price`
            : 'API list price'
        }
      >
        {formatCost(session.total_cost_usd)}
        {session.unpriced_calls > 0 && <span className="text-warn"> +?</span>}
      </span>
    </>
  )
}
