import { useEffect, useMemo, useRef } from 'react'
import type { ListedSession } from '../../../../shared/contract/sessions.ts'
import { SortHead } from '../../../components/sort-head.tsx'
import { VirtualList, type VirtualListHandle } from '../../../components/virtual-list.tsx'
import { columnDollars } from '../../../lib/axis.ts'
import { viewerZone } from '../../../lib/time-range.ts'
import { SessionCells } from './session-cells.tsx'
import { type ListRow, withDays } from './session-groups.ts'
import type { SessionSort } from './sessions-search.ts'

interface SessionsTableProps {
  readonly sessions: readonly ListedSession[]
  readonly current: number
  /** When the list was read, in ms since 1970. */
  readonly now: number
  /** undefined sorts by the last activity, newest first. */
  readonly sort: SessionSort | undefined
  readonly onSort: (sort: SessionSort | undefined) => void
  readonly selected: ReadonlySet<string>
  readonly onSelect: (index: number, isRange: boolean) => void
  readonly onSelectAll: (isOn: boolean) => void
  /** undefined when there are no more pages or one is being loaded. */
  readonly onMore: (() => void) | undefined
  /** Called when the pointer enters or leaves the table. */
  readonly onPointed: (pointed: boolean) => void
}

const COLUMNS =
  'grid grid-cols-[1.5rem_minmax(0,1fr)_3.8rem] min-[560px]:grid-cols-[1.5rem_minmax(0,1fr)_5.5rem_4.2rem] min-[760px]:grid-cols-[1.5rem_minmax(0,1fr)_7rem_4.8rem_6.8rem_4.5rem] min-[1200px]:grid-cols-[1.5rem_minmax(0,1fr)_8rem_4.8rem_7rem_4.2rem_4.5rem] items-center gap-x-3 px-4'
const ROW_REM = 3.4
const DAY_REM = 2.4

const NUMBERS = [
  { name: 'Duration', sort: 'active', title: 'Longest active time first', shown: 'hidden min-[760px]:block' },
  {
    name: 'Failures',
    sort: 'failures',
    title: 'Most API errors and failed tool calls first',
    shown: 'hidden min-[760px]:block',
  },
  { name: 'Tokens', sort: 'tokens', title: 'Most tokens first', shown: 'hidden min-[1200px]:block' },
  { name: 'Cost', sort: 'cost', title: 'Most expensive first', shown: '' },
] as const satisfies readonly { name: string; sort: SessionSort; title: string; shown: string }[]

/** Returns the time that the list is ordered by; null: by another column. */
function timeOf(sort: SessionSort | undefined): ((session: ListedSession) => string) | null {
  if (sort === undefined) return (session) => session.last_event_at
  return sort === 'started' ? (session) => session.started_at : null
}

/** Sessions as rows, by day. Renders only the rows on screen. */
export function SessionsTable(props: SessionsTableProps) {
  const { sessions, current, now, sort, onSort, selected, onSelect, onSelectAll, onMore, onPointed } = props
  const list = useRef<VirtualListHandle>(null)
  const rows = useMemo(() => withDays(sessions, timeOf(sort), now, viewerZone()), [sessions, sort, now])
  const cost = useMemo(() => columnDollars(sessions.map(({ total_cost_usd: usd }) => usd)), [sessions])
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  useEffect(() => {
    const at = rows.findIndex((row) => row.kind === 'session' && row.index === current)
    if (current >= 0 && at >= 0) list.current?.scrollTo(at)
  }, [current, rows])
  const isAll = sessions.length > 0 && sessions.every(({ id }) => selected.has(id))
  return (
    <div
      role="table"
      aria-label="Sessions"
      aria-rowcount={rows.length}
      onPointerEnter={() => onPointed(true)}
      onPointerLeave={() => onPointed(false)}
      className="flex min-h-0 flex-1 flex-col px-2"
    >
      <div role="row" className={`${COLUMNS} label h-9 shrink-0 border-b`}>
        <span role="columnheader" className="flex size-6 items-center justify-center">
          <input
            type="checkbox"
            aria-label="Select all loaded sessions"
            checked={isAll}
            onChange={(event) => onSelectAll(event.target.checked)}
            className="size-4 accent-(--accent)"
          />
        </span>
        <span role="columnheader">Session</span>
        <span
          role="columnheader"
          aria-sort={sort === undefined ? 'descending' : 'none'}
          className="hidden text-right min-[560px]:block"
        >
          <SortHead
            name="Last activity"
            title="Most recently active first"
            isOn={sort === undefined}
            onSort={() => onSort(undefined)}
          />
        </span>
        {NUMBERS.map(({ name, sort: own, title, shown }) => (
          <span
            key={name}
            role="columnheader"
            aria-sort={sort === own ? 'descending' : 'none'}
            className={`text-right ${shown}`}
          >
            <SortHead name={name} title={title} isOn={sort === own} onSort={() => onSort(own)} />
          </span>
        ))}
      </div>
      <VirtualList
        ref={list}
        layout="table"
        label="List of sessions"
        items={rows}
        keyOf={(row) => row.key}
        estimate={(row) => (row.kind === 'day' ? DAY_REM : ROW_REM) * rem}
        isFixed
        overscan={10}
        onNearEnd={onMore}
        className="min-h-0 flex-1 pb-6"
        rowProps={(row, index) => ({ 'aria-rowindex': index + 1, ...ofRow(row, current, selected) })}
      >
        {(row) =>
          row.kind === 'day' ? (
            <div role="cell" className="self-end pb-1.5">
              <h2 className="label font-semibold">{row.name}</h2>
            </div>
          ) : (
            <SessionCells
              session={row.session}
              isSelected={selected.has(row.session.id)}
              onSelect={(isRange) => onSelect(row.index, isRange)}
              cost={cost}
              isUnderDay={sort === undefined}
            />
          )
        }
      </VirtualList>
    </div>
  )
}

function ofRow(row: ListRow, current: number, selected: ReadonlySet<string>) {
  if (row.kind === 'day') return { className: 'flex border-b px-4' }
  const isCurrent = row.index === current
  const look = isCurrent ? 'bg-accent-soft' : selected.has(row.session.id) ? 'bg-accent-tint' : 'hover:bg-hover'
  return { 'aria-current': isCurrent ? ('true' as const) : undefined, className: `${COLUMNS} border-b ${look}` }
}
