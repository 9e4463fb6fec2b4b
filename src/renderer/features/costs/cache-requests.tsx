import { Link } from '@tanstack/react-router'
import { cacheMissesTable } from '../../../shared/columns/cache.ts'
import { Button } from '../../components/button.tsx'
import { FilterBar } from '../../components/filters.tsx'
import { Table } from '../../components/table.tsx'
import { causeLabel } from '../../lib/cache-causes.ts'
import { sinceStartOf, useOperationPages } from '../../lib/operation.ts'
import { COSTS_PRESET, type CostsCardProps, MISS_FILTERS } from './costs-search.ts'

/** The requests that missed the cache for one cause, newest first, each with a link to the change. */
export function CacheRequests({ search, onChange }: CostsCardProps) {
  const { range = COSTS_PRESET, cause = '' } = search
  const { items, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useOperationPages(
    'cache.list',
    { ...MISS_FILTERS.of(search), limit: 20 },
    { moving: sinceStartOf(range) },
  )
  if (error) {
    return (
      <p role="alert" className="traffic px-5 pb-4 text-small text-bad">
        {error.message}
      </p>
    )
  }
  return (
    <section aria-label={`Requests: ${causeLabel(cause)}`} className="border-t bg-sunken">
      <div className="flex flex-wrap items-center gap-2 px-5 pt-3">
        <h3 className="mr-auto text-small font-semibold">{causeLabel(cause)}, newest first</h3>
        <FilterBar filters={MISS_FILTERS} state={search} onChange={onChange} />
      </div>
      {!isPending && items.length === 0 && <p className="px-5 py-3 text-small text-soft">No requests in this range.</p>}
      {items.length > 0 && (
        <Table
          columns={cacheMissesTable}
          rows={items}
          keyOf={(item) => `${item.exchange ?? item.session_id}-${item.ts_wall}`}
          minWidth="min-w-[46rem]"
          cells={{
            ts_wall: ({ exchange }, text) =>
              exchange !== null && (
                <Link
                  to="/exchanges/$uuid"
                  params={{ uuid: exchange }}
                  search={{ part: 'changes' }}
                  className="font-medium text-accent hover:underline"
                >
                  {text}
                </Link>
              ),
            turn_id: ({ session_id: sessionId }, text) => (
              <Link
                to="/sessions/$sessionId"
                params={{ sessionId }}
                search={{ tab: 'requests' }}
                className="text-accent hover:underline"
              >
                {text}
              </Link>
            ),
          }}
        />
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
