import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/client.ts'
import { callsOfRow, type ReceiptSearch, spanOf } from './receipt-search.ts'

const parts = ({ range, from, to, session }: ReceiptSearch) => [range, from, to, session]

/** What was paid for in a span. */
export function receiptQuery(search: ReceiptSearch) {
  return queryOptions({
    queryKey: ['receipt', ...parts(search)],
    queryFn: ({ signal }) => call('receipt', spanOf(search, Date.now()), signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}

/** The calls behind a row, most expensive first. */
export function receiptCallsQuery(search: ReceiptSearch, row: string) {
  const wanted = callsOfRow(row)
  return queryOptions({
    queryKey: ['receipt.calls', ...parts(search), row],
    queryFn: ({ signal }) => call('receipt.calls', { ...spanOf(search, Date.now()), ...wanted, limit: 100 }, signal),
    enabled: wanted !== undefined,
  })
}
