import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { cacheMissesTable } from '../../../shared/columns/cache.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Button } from '../../components/button.tsx'
import { FilterBar } from '../../components/filters.tsx'
import { Table } from '../../components/table.tsx'
import { causeLabel } from '../../../shared/cache-causes.ts'
import { useOperation, useOperationPages } from '../../lib/operation.ts'
import { type CostsCardProps, MISS_FILTERS } from './costs-search.ts'
import { spanOf } from './queries.ts'
import { toExchange, toSession } from '../../lib/places.ts'

/** The requests that missed the cache for one cause, newest first, each with a link to the change. */
export function CacheRequests({ search, onChange }: CostsCardProps) {
  const { cause = '' } = search
  const { items, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useOperationPages(
    'cache.list',
    { ...MISS_FILTERS.of(search), limit: 20 },
    { moving: spanOf(search) },
  )
  const section = useRef<HTMLElement>(null)
  const isEmpty = items.length === 0
  // The list of causes may reach to the bottom of the window.
  useEffect(() => {
    if (cause !== '' && !isEmpty) section.current?.scrollIntoView({ block: 'nearest' })
  }, [cause, isEmpty])
  if (error) {
    return (
      <p role="alert" className="traffic px-5 pb-4 text-small text-bad">
        {error.message}
      </p>
    )
  }
  return (
    <section ref={section} aria-label={`Requests: ${causeLabel(cause)}`} className="border-t bg-sunken">
      <div className="flex flex-wrap items-center gap-2 px-5 pt-3">
        <h3 className="mr-auto text-small font-semibold">{causeLabel(cause)}, newest first</h3>
        <FilterBar filters={MISS_FILTERS} state={search} onChange={onChange} />
      </div>
      {!isPending && isEmpty && <p className="px-5 py-3 text-small text-soft">No requests in this range.</p>}
      {!isEmpty && (
        <Table
          columns={cacheMissesTable}
          rows={items}
          keyOf={(item) => `${item.exchange ?? item.session_id}-${item.ts_wall}`}
          minWidth="min-w-[46rem]"
          cells={{
            ts_wall: ({ exchange }, text) =>
              exchange !== null && (
                <Link
                  {...toExchange(exchange, { part: 'changes' })}
                  className="font-medium text-accent hover:underline"
                >
                  {text}
                </Link>
              ),
            turn_id: ({ session_id: sessionId }, text) => (
              <Link
                {...toSession(sessionId, { tab: 'requests' })}
                className="flex justify-end gap-2 text-accent hover:underline"
              >
                <SessionTitle id={sessionId} />
                <span className="whitespace-nowrap">{text}</span>
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

/** The title of a session, once it is known. */
function SessionTitle({ id }: { readonly id: string }) {
  const title = useOperation('sessions.get', { session_id: id }).data?.title
  return title && <span className="max-w-72 truncate">{visibleText(title)}</span>
}
