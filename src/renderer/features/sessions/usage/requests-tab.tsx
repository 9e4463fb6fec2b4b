import { Link } from '@tanstack/react-router'
import { ArrowUpDown } from 'lucide-react'
import { requestsTable } from '../../../../shared/columns/usage.ts'
import type { CacheMiss } from '../../../../shared/contract/cache.ts'
import type { RequestLine } from '../../../../shared/contract/requests.ts'
import { cutWords } from '../../../../shared/cut-words.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Badge } from '../../../components/badge.tsx'
import { CacheMissBadge } from '../../../components/cache-miss-badge.tsx'
import { GRID_ROW, GridCells, GridHead, gridStyle, GUTTER } from '../../../components/grid-table.tsx'
import { FilterBar } from '../../../components/filters.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { Empty } from '../../../components/states.tsx'
import { writtenColumns } from '../../../components/table.tsx'
import { VirtualList } from '../../../components/virtual-list.tsx'
import { REQUEST_KIND_LABELS } from '../../../lib/request-kinds.ts'
import { useOperationPages } from '../../../lib/operation.ts'
import { REQUEST_FILTERS, type SessionSearch } from '../list/sessions-search.ts'
import { useCacheMisses } from '../../../lib/use-cache-misses.ts'
import { toExchange } from '../../../lib/places.ts'

interface RequestsTabProps {
  readonly sessionId: string
  readonly search: SessionSearch
  readonly onChange: (change: SessionSearch) => void
}

/** Every API request of a session, newest first. Each opens as it was sent and answered. */
export function RequestsTab({ sessionId, search, onChange }: RequestsTabProps) {
  const query = useOperationPages('requests.list', { ...REQUEST_FILTERS.of(search), session_id: sessionId, limit: 200 })
  const { items: requests, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const misses = useCacheMisses(sessionId)
  const isFiltered = REQUEST_FILTERS.narrow(search)
  const empty = requests.length === 0 && (
    <Empty icon={ArrowUpDown} title={isFiltered ? 'No matches' : 'No requests recorded'}>
      {!isFiltered && <p>Requests are recorded when Claude Code runs through Aspy. Transcripts do not contain them.</p>}
    </Empty>
  )
  const columns = writtenColumns(requestsTable, requests, {
    request_kind: (request) => <RequestName request={request} misses={misses.ofRequest(request.uuid)} />,
    status: (request) => <RequestStatus request={request} />,
  })
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex flex-wrap gap-2 px-5 pt-2 empty:hidden">
        <FilterBar filters={REQUEST_FILTERS} state={search} onChange={onChange} />
      </div>
      {loaded({ query, rows: 12, label: 'Loading requests', empty }, () => (
        <div
          role="table"
          aria-label="Requests"
          style={gridStyle(columns)}
          className="flex min-h-0 min-w-0 flex-1 flex-col px-2"
        >
          <GridHead columns={columns} />
          <VirtualList
            layout="table"
            label="List of requests"
            items={requests}
            keyOf={(request) => request.uuid}
            estimate={() => 40}
            isFixed
            overscan={10}
            onNearEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
            className={`min-h-0 flex-1 pb-6 ${GUTTER}`}
            rowProps={() => ({ className: `${GRID_ROW} border-b text-small hover:bg-hover` })}
          >
            {(request) => <GridCells columns={columns} row={request} />}
          </VirtualList>
        </div>
      ))}
    </div>
  )
}

function RequestName({ request, misses }: { request: RequestLine; misses: readonly CacheMiss[] }) {
  return (
    <span className="flex min-w-0 items-center gap-2 overflow-hidden">
      <Link {...toExchange(request.uuid, {})} className="shrink-0 font-medium after:absolute after:inset-0">
        {REQUEST_KIND_LABELS[request.request_kind]}
      </Link>
      {request.tools.length > 0 && (
        <span className="min-w-8 truncate text-soft max-[700px]:min-w-0" title={request.tools.join(', ')}>
          {visibleText(request.tools.join(', '))}
        </span>
      )}
      <span className="shrink-0 text-faint max-[700px]:hidden">turn {request.turn_id}</span>
      {request.agent_id !== null && request.request_kind !== 'subagent' && (
        <Badge title={`Agent ${request.agent_id}`}>subagent</Badge>
      )}
      {request.retry_of !== null && <Badge tone="warn">retry</Badge>}
      {(request.status ?? 400) >= 400 && (
        <span className="shrink-0 min-[560px]:hidden">
          <RequestStatus request={request} />
        </span>
      )}
      <span className="min-w-0 max-[700px]:shrink-0">
        <CacheMissBadge misses={misses} />
      </span>
    </span>
  )
}

/** The HTTP status, and whether the response is missing or incomplete. */
function RequestStatus({ request }: { request: RequestLine }) {
  const { status, cut_by: cutBy } = request
  if (status === null) return <Badge title="No response was recorded">none</Badge>
  if (cutBy !== null) return <Badge tone="warn" title={cutWords(cutBy)}>{`${status} cut`}</Badge>
  return <Badge tone={status >= 400 ? 'bad' : 'good'}>{status}</Badge>
}
