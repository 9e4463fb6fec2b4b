import { Link } from '@tanstack/react-router'
import { CACHE_CAUSES } from '../../../shared/cache-causes.ts'
import type { CacheMiss } from '../../../shared/contract/cache.ts'
import { Button } from '../../components/button.tsx'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../components/data-table.tsx'
import { causeLabel, causeNote } from '../../lib/cache-causes.ts'
import { columnDollars } from '../../lib/axis.ts'
import { formatCount, formatMoment } from '../../lib/format.ts'
import { modelName } from '../../../shared/vendors.ts'
import { sinceStartOf, useOperationPages } from '../../lib/operation.ts'
import type { Range } from '../../lib/time-range.ts'

const COLUMNS: readonly DataColumn[] = [
  { name: 'Time' },
  { name: 'What happened' },
  { name: 'Model' },
  { name: 'Cache read', isNumber: true },
  { name: 'Missed', isNumber: true },
  { name: 'Waste', isNumber: true },
  { name: 'Session', isNumber: true },
]

interface CacheRequestsProps {
  readonly cause: string
  readonly range: Range
  readonly project: string | undefined
}

/** The requests that missed the cache for one cause, newest first, each with a link to what changed. */
export function CacheRequests({ cause, range, project }: CacheRequestsProps) {
  const known = CACHE_CAUSES.find((kind) => kind === cause)
  const { items, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useOperationPages(
    'cache.list',
    { cause: known, limit: 20, project },
    { moving: sinceStartOf(range), enabled: known !== undefined },
  )
  if (error) {
    return (
      <p role="alert" className="traffic px-5 pb-4 text-small text-bad">
        {error.message}
      </p>
    )
  }
  const cost = columnDollars(items.map(({ waste_usd: usd }) => usd))
  return (
    <section aria-label={`Requests: ${causeLabel(cause)}`} className="border-t bg-sunken">
      <h3 className="px-5 pt-3 text-small font-semibold">{causeLabel(cause)}, newest first</h3>
      {(known === undefined || !isPending) && items.length === 0 && (
        <p className="px-5 py-3 text-small text-soft">No requests in this range.</p>
      )}
      {items.length > 0 && (
        <DataTable columns={COLUMNS} minWidth="min-w-[46rem]">
          {items.map((item) => (
            <MissRow key={`${item.exchange ?? item.session_id}-${item.ts_wall}`} item={item} cost={cost} />
          ))}
        </DataTable>
      )}
      {hasNextPage && (
        <div className="px-5 pb-4">
          <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </section>
  )
}

function MissRow({ item, cost }: { item: CacheMiss; cost: (usd: number | null) => string }) {
  return (
    <DataRow>
      <td className="py-2 whitespace-nowrap">
        {item.exchange === null ? (
          <span className="text-soft">{formatMoment(item.ts_wall)}</span>
        ) : (
          <Link
            to="/exchanges/$uuid"
            params={{ uuid: item.exchange }}
            search={{ part: 'changes' }}
            className="font-medium text-accent hover:underline"
          >
            {formatMoment(item.ts_wall)}
          </Link>
        )}
      </td>
      <td className="max-w-80 py-2 pl-4 wrap-anywhere text-soft">{causeNote(item.cause) || '–'}</td>
      <td className="py-2 pl-4 text-soft">{modelName(item.model)}</td>
      <NumberCell>{formatCount(item.read)}</NumberCell>
      <NumberCell>{formatCount(item.missed_tokens)}</NumberCell>
      <NumberCell tone="strong">{cost(item.waste_usd)}</NumberCell>
      <NumberCell>
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: item.session_id }}
          search={{ tab: 'requests' }}
          className="text-accent hover:underline"
        >
          turn {item.turn_id}
        </Link>
      </NumberCell>
    </DataRow>
  )
}
