import type { OperationOutput } from '../contract/index.ts'
import type { PaidRequest, ReceiptClass } from '../contract/receipt.ts'
import { tableOf } from './column.ts'
import { type Unpriced, UNPRICED, unpricedOf } from '../spend.ts'

/** A row of a section: its name, its counts, and its cost. */
export interface ReceiptRow extends Partial<Unpriced> {
  /** Names the row in the address. */
  readonly id: string
  readonly name: string
  readonly calls?: number
  readonly input_tokens?: number
  readonly cache_read_tokens?: number
  readonly cache_write_tokens?: number
  readonly output_tokens?: number
  readonly units?: number
  readonly uses?: number
  /** null: no call of the row has a price. */
  readonly cost_usd: number | null
}

const EXACT = { format: 'exact', only: 'filled' } as const

/** The sections of a receipt. Each shows the counts that its rows have. */
export const receiptTable = tableOf<ReceiptRow>()({
  columns: {
    name: { name: 'Name', fit: 'cut' },
    calls: { name: 'Requests', ...EXACT },
    input_tokens: { name: 'Input', ...EXACT, from: 560 },
    cache_read_tokens: { name: 'Cache read', ...EXACT, from: 700 },
    cache_write_tokens: { name: 'Cache write', ...EXACT, from: 700 },
    output_tokens: { name: 'Output', ...EXACT, from: 560 },
    units: { name: 'Units', ...EXACT },
    uses: { name: 'Uses', ...EXACT },
    cost_usd: { name: 'Cost', format: 'money', unpriced: unpricedOf },
  },
})

/** The classes of a receipt, as rows are named. */
export const CLASS_NAMES: Readonly<Record<ReceiptClass, string>> = {
  input: 'Input',
  cache_read: 'Cache read',
  cache_write_5m: 'Cache write 5m',
  cache_write_1h: 'Cache write 1h',
  output: 'Output',
  web_search: 'Web search',
}

/** What one request cost: a row for each class, and their sum. */
export const requestCostTable = tableOf<{
  readonly name: string
  readonly units: number | null
  /** USD for a million tokens, or for a thousand searches. */
  readonly price: string | null
  readonly cost_usd: number | null
}>()({
  columns: {
    name: { name: 'Kind' },
    units: { name: 'Tokens', format: 'exact' },
    price: { name: 'Price per million', align: 'right', hint: 'In USD, with the factors of its tier and speed' },
    cost_usd: { name: 'Cost', format: 'money', hint: 'At API list prices' },
  },
})

/** A row of a receipt's CSV. `detail` has the section's other facts, such as the number of units. */
export interface ReceiptLine extends Partial<OperationOutput<'receipt'>['total']> {
  readonly section: string
  readonly name: string | null
  readonly detail: string | null
}

/** A receipt as CSV: one section after the other in the same columns. */
export const receiptFile = tableOf<ReceiptLine>()({
  columns: {},
  file: [
    'section',
    'name',
    'detail',
    'calls',
    'input_tokens',
    'cache_read_tokens',
    'cache_write_tokens',
    'output_tokens',
    'cost_usd',
    UNPRICED,
  ],
})

/** The calls that a row of a receipt sums up. */
export const receiptCallsTable = tableOf<PaidRequest>()({
  columns: {
    ts_wall: { name: 'Request', format: 'moment', tone: 'soft' },
    model: { name: 'Model', format: 'model' },
    input_tokens: { name: 'Input', format: 'count' },
    cache_read_tokens: { name: 'Cache read', format: 'count' },
    cache_write_tokens: { name: 'Cache write', format: 'count' },
    output_tokens: { name: 'Output', format: 'count' },
    cost_usd: { name: 'Cost', format: 'money' },
    title: { name: 'Session', of: (row) => row.title ?? 'Untitled session', fit: 'cut' },
  },
})
