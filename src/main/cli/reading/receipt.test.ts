import { expect, test } from 'vitest'
import { clientTotals } from './receipt.ts'

const of = (session_id: string, ours_usd: number, client_usd: number, ...explanation: string[]) => ({
  session_id,
  ours_usd,
  client_usd,
  difference_usd: ours_usd - client_usd,
  explanation,
})

test('a receipt lists only the sessions whose cost is not that of the client, below a heading', () => {
  const totals = [of('a', 0.013, 0.013), of('b', 0.5, 0.7, '2 calls are missing.'), of('c', 0.02, 0.0200000001)]
  expect(clientTotals(totals, (id) => `Session ${id}`)).toBe(
    "The client's own totals\nSession b: ours $0.50, the client's $0.70\n  2 calls are missing.\nEqual to ours: 2 sessions",
  )
  expect(clientTotals([], String)).toBe('')
})
