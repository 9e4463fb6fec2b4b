import { useEffect, useMemo, useRef } from 'react'
import { sessionsTable } from '../../../../shared/columns/sessions.ts'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { GRID_ROW, GridCells, GridHead, gridStyle, GUTTER } from '../../../components/grid-table.tsx'
import { writtenColumns } from '../../../components/table.tsx'
import { VirtualList, type VirtualListHandle } from '../../../components/virtual-list.tsx'
import { viewerZone } from '../../../lib/time-range.ts'
import { SelectCell, sessionCells } from './session-cells.tsx'
import { type ListRow, withDays } from './session-groups.ts'
import { SESSION_FILTERS, type SessionSort } from './sessions-search.ts'

interface SessionsTableProps {
  readonly sessions: readonly Session[]
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

const SELECT_REM = 1.5
const ROW_REM = 3.4
const DAY_REM = 2.4
/** Width of the last activity below its day. */
const TIME_REM = 6
/** The sort of the list if its address names none. */
const DEFAULT_SORT = 'last_activity'

/** Returns the time that the list is ordered by; null if it is another column. */
function timeOf(sort: SessionSort | undefined): ((session: Session) => string) | null {
  if (sort === undefined) return (session) => session.last_event_at
  return sort === 'started' ? (session) => session.started_at : null
}

/** Sessions as rows, by day. Renders only the rows on screen. */
export function SessionsTable(props: SessionsTableProps) {
  const { sessions, current, now, sort, onSort, selected, onSelect, onSelectAll, onMore, onPointed } = props
  const list = useRef<VirtualListHandle>(null)
  const rows = useMemo(() => withDays(sessions, timeOf(sort), now, viewerZone()), [sessions, sort, now])
  const isUnderDay = sort === undefined
  const columns = useMemo(
    () =>
      writtenColumns(sessionsTable, sessions, sessionCells(isUnderDay)).map((column) =>
        isUnderDay && column.key === 'last_event_at' ? { ...column, width: TIME_REM } : column,
      ),
    [sessions, isUnderDay],
  )
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
      style={gridStyle(columns, SELECT_REM)}
      onPointerEnter={() => onPointed(true)}
      onPointerLeave={() => onPointed(false)}
      className="flex min-h-0 flex-1 flex-col px-2"
    >
      <GridHead
        columns={columns}
        sorting={{ by: sort ?? DEFAULT_SORT, onSort: (by) => onSort(SESSION_FILTERS.read({ sort: by }).sort) }}
        lead={
          <span role="columnheader" className="flex size-6 items-center justify-center">
            <input
              type="checkbox"
              aria-label="Select all loaded sessions"
              checked={isAll}
              onChange={(event) => onSelectAll(event.target.checked)}
              className="size-4 accent-(--accent)"
            />
          </span>
        }
      />
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
        className={`min-h-0 flex-1 pb-6 ${GUTTER}`}
        rowProps={(row, index) => ({ 'aria-rowindex': index + 1, ...ofRow(row, current, selected) })}
      >
        {(row) =>
          row.kind === 'day' ? (
            <div role="cell" className="self-end pb-1.5">
              <h2 className="label font-semibold">{row.name}</h2>
            </div>
          ) : (
            <>
              <SelectCell
                session={row.session}
                isSelected={selected.has(row.session.id)}
                onSelect={(isRange) => onSelect(row.index, isRange)}
              />
              <GridCells columns={columns} row={row.session} />
            </>
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
  return { 'aria-current': isCurrent ? ('true' as const) : undefined, className: `${GRID_ROW} border-b ${look}` }
}
