import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowUpDown } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import type { RequestLine } from '../../../../shared/contract/requests.ts'
import { Badge } from '../../../components/badge.tsx'
import { ScrollRegion } from '../../../components/scroll-region.tsx'
import { Empty, Failed, LoadingRows } from '../../../components/states.tsx'
import { formatClock, formatCost, formatCount, formatDuration, formatExact, modelName } from '../../../lib/format.ts'
import { REQUEST_KIND_LABELS } from '../../../lib/request-kinds.ts'
import { requestsQuery } from '../queries.ts'

const COLUMNS =
  'grid grid-cols-[4.6rem_minmax(9rem,1fr)_minmax(6rem,10rem)_repeat(6,minmax(3.6rem,5.5rem))_5rem] items-center gap-x-3 px-4'
const HEADS = ['Messages', 'Context', 'Written', 'Cost', 'First token', 'Took'] as const

/** Every request of a session to the API, newest first; each opens as it was sent and answered. */
export function RequestsTab({ sessionId }: { sessionId: string }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    requestsQuery(sessionId),
  )
  const requests = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data])
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: requests.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 40,
    getItemKey: (index) => requests[index]?.uuid ?? index,
    overscan: 10,
  })
  const items = virtualizer.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastShown >= requests.length - 30) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, lastShown, requests.length, fetchNextPage])

  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <LoadingRows rows={12} label="Loading the requests" />
  if (requests.length === 0) {
    return (
      <div className="flex-1">
        <Empty icon={ArrowUpDown} title="No requests of this session are known">
          <p>Requests are seen only where Claude Code runs through Aspy; a transcript alone does not hold them.</p>
        </Empty>
      </div>
    )
  }
  return (
    <div role="table" aria-label="Requests" className="flex min-h-0 min-w-0 flex-1 flex-col px-2">
      <div role="row" className={`${COLUMNS} label h-9 shrink-0 border-b`}>
        <span role="columnheader">Sent</span>
        <span role="columnheader">Request</span>
        <span role="columnheader">Model</span>
        {HEADS.map((head) => (
          <span key={head} role="columnheader" className="text-right">
            {head}
          </span>
        ))}
        <span role="columnheader" className="text-right">
          Status
        </span>
      </div>
      <ScrollRegion ref={scroller} label="List of requests" role="rowgroup" className="min-h-0 flex-1 pb-6">
        <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const request = requests[item.index]
            return (
              request && (
                <div
                  key={item.key}
                  role="row"
                  className={`${COLUMNS} absolute inset-x-0 top-0 border-b text-small hover:bg-hover`}
                  style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                >
                  <RequestCells request={request} />
                </div>
              )
            )
          })}
        </div>
      </ScrollRegion>
    </div>
  )
}

function RequestCells({ request }: { request: RequestLine }) {
  const { usage } = request
  const number = 'text-right text-soft'
  return (
    <>
      <time role="cell" className="text-faint" dateTime={request.ts_wall} title={formatExact(request.ts_wall)}>
        {formatClock(request.ts_wall)}
      </time>
      <span role="cell" className="flex min-w-0 items-center gap-2">
        <Link
          to="/exchanges/$uuid"
          params={{ uuid: request.uuid }}
          className="shrink-0 font-medium after:absolute after:inset-0"
        >
          {REQUEST_KIND_LABELS[request.request_kind]}
        </Link>
        <span className="min-w-0 truncate text-faint">turn {request.turn_id}</span>
        {request.agent_id !== null && request.request_kind !== 'subagent' && (
          <Badge title={`Agent ${request.agent_id}`}>subagent</Badge>
        )}
        {request.retry_of !== null && <Badge tone="warn">retry</Badge>}
      </span>
      <span role="cell" className="truncate text-soft" title={request.model ?? undefined}>
        {request.model === null ? '–' : modelName(request.model)}
      </span>
      <span role="cell" className={number}>
        {formatCount(request.message_count)}
      </span>
      <span role="cell" className={number} title="Tokens sent: new, read from the cache and written to it">
        {formatCount(usage && usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens)}
      </span>
      <span role="cell" className={number}>
        {formatCount(usage?.output_tokens)}
      </span>
      <span role="cell" className="text-right font-medium">
        {formatCost(usage?.cost_usd)}
      </span>
      <span role="cell" className={number}>
        {formatDuration(request.ttft_ms)}
      </span>
      <span role="cell" className={number}>
        {formatDuration(request.duration_ms)}
      </span>
      <span role="cell" className="text-right">
        <RequestStatus request={request} />
      </span>
    </>
  )
}

/** How it went: the status, and what is out of the ordinary about it. */
function RequestStatus({ request }: { request: RequestLine }) {
  const { status, cut_by: cutBy } = request
  if (status === null) return <Badge title="No response was recorded">none</Badge>
  if (cutBy !== null) return <Badge tone="warn" title={`Cut by the ${cutBy}`}>{`${status} cut`}</Badge>
  return <Badge tone={status >= 400 ? 'bad' : 'good'}>{status}</Badge>
}
