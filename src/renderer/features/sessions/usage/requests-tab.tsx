import { Link } from '@tanstack/react-router'
import { ArrowUpDown } from 'lucide-react'
import type { CacheMiss } from '../../../../shared/contract/cache.ts'
import type { RequestLine } from '../../../../shared/contract/requests.ts'
import { Badge } from '../../../components/badge.tsx'
import { CacheMissBadge } from '../../../components/cache-miss-badge.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { Empty } from '../../../components/states.tsx'
import { VirtualList } from '../../../components/virtual-list.tsx'
import { formatClock, formatCost, formatCount, formatDuration, formatExact } from '../../../lib/format.ts'
import { modelName } from '../../../../shared/vendors.ts'
import { REQUEST_KIND_LABELS } from '../../../lib/request-kinds.ts'
import { useOperationPages } from '../../../lib/operation.ts'
import { useCacheMisses } from '../use-cache-misses.ts'

/** A narrow window shows what a person looks for first; each request opens with everything. */
const COLUMNS =
  'grid grid-cols-[5.8rem_minmax(0,1fr)_4.4rem_3.6rem] min-[700px]:grid-cols-[5.8rem_minmax(0,1fr)_repeat(4,minmax(3.4rem,5.5rem))_4.4rem] min-[1200px]:grid-cols-[5.8rem_minmax(9rem,1fr)_minmax(6rem,10rem)_repeat(6,minmax(3.6rem,5.5rem))_5rem] items-center gap-x-3 px-4'
/** Columns that need a window of some width. */
const FROM = { medium: 'max-[700px]:hidden', wide: 'max-[1200px]:hidden' } as const
const HEADS = [
  ['Messages', FROM.wide],
  ['Total input', FROM.medium],
  ['Output', FROM.medium],
  ['Cost', ''],
  ['First token', FROM.wide],
  ['Duration', FROM.medium],
] as const

/** Every API request of a session, newest first. Each opens as it was sent and answered. */
export function RequestsTab({ sessionId }: { sessionId: string }) {
  const query = useOperationPages('requests.list', { session_id: sessionId, limit: 200 })
  const { items: requests, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const misses = useCacheMisses(sessionId)
  const empty = requests.length === 0 && (
    <Empty icon={ArrowUpDown} title="No requests recorded">
      <p>Requests are recorded when Claude Code runs through Aspy. Transcripts do not contain them.</p>
    </Empty>
  )
  return loaded({ query, rows: 12, label: 'Loading requests', empty }, () => (
    <div role="table" aria-label="Requests" className="flex min-h-0 min-w-0 flex-1 flex-col px-2">
      <div role="row" className={`${COLUMNS} label h-9 shrink-0 border-b`}>
        <span role="columnheader">Time</span>
        <span role="columnheader">Request</span>
        <span role="columnheader" className={FROM.wide}>
          Model
        </span>
        {HEADS.map(([head, from]) => (
          <span key={head} role="columnheader" className={`text-right ${from}`}>
            {head}
          </span>
        ))}
        <span role="columnheader" className="text-right">
          Status
        </span>
      </div>
      <VirtualList
        layout="table"
        label="List of requests"
        items={requests}
        keyOf={(request) => request.uuid}
        estimate={() => 40}
        isFixed
        overscan={10}
        onNearEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
        className="min-h-0 flex-1 pb-6"
        rowProps={() => ({ className: `${COLUMNS} border-b text-small hover:bg-hover` })}
      >
        {(request) => <RequestCells request={request} misses={misses.ofRequest(request.uuid)} />}
      </VirtualList>
    </div>
  ))
}

function RequestCells({ request, misses }: { request: RequestLine; misses: readonly CacheMiss[] }) {
  const { usage } = request
  const number = 'text-right text-soft'
  return (
    <>
      <time role="cell" className="truncate text-faint" dateTime={request.ts_wall} title={formatExact(request.ts_wall)}>
        {formatClock(request.ts_wall)}
      </time>
      <span role="cell" className="flex min-w-0 items-center gap-2 overflow-hidden">
        <Link
          to="/exchanges/$uuid"
          params={{ uuid: request.uuid }}
          className="shrink-0 font-medium after:absolute after:inset-0"
        >
          {REQUEST_KIND_LABELS[request.request_kind]}
        </Link>
        <span className="min-w-0 truncate text-faint max-[700px]:hidden">turn {request.turn_id}</span>
        {request.agent_id !== null && request.request_kind !== 'subagent' && (
          <Badge title={`Agent ${request.agent_id}`}>subagent</Badge>
        )}
        {request.retry_of !== null && <Badge tone="warn">retry</Badge>}
        <CacheMissBadge misses={misses} />
      </span>
      <span role="cell" className={`truncate text-soft ${FROM.wide}`} title={request.model ?? undefined}>
        {request.model === null ? '–' : modelName(request.model)}
      </span>
      <span role="cell" className={`${number} ${FROM.wide}`}>
        {formatCount(request.message_count)}
      </span>
      <span role="cell" className={`${number} ${FROM.medium}`} title="Input, cache read and cache write tokens">
        {formatCount(usage && usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens)}
      </span>
      <span role="cell" className={`${number} ${FROM.medium}`}>
        {formatCount(usage?.output_tokens)}
      </span>
      <span role="cell" className="text-right font-medium">
        {formatCost(usage?.cost_usd)}
      </span>
      <span role="cell" className={`${number} ${FROM.wide}`}>
        {formatDuration(request.ttft_ms)}
      </span>
      <span role="cell" className={`${number} ${FROM.medium}`}>
        {formatDuration(request.duration_ms)}
      </span>
      <span role="cell" className="text-right">
        <RequestStatus request={request} />
      </span>
    </>
  )
}

/** The HTTP status, and whether the response is missing or incomplete. */
function RequestStatus({ request }: { request: RequestLine }) {
  const { status, cut_by: cutBy } = request
  if (status === null) return <Badge title="No response was recorded">none</Badge>
  if (cutBy !== null) return <Badge tone="warn" title={`Cut off by the ${cutBy}`}>{`${status} cut`}</Badge>
  return <Badge tone={status >= 400 ? 'bad' : 'good'}>{status}</Badge>
}
