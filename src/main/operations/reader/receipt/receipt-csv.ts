import type { Receipt } from './receipt.ts'

const HEAD = [
  'section',
  'name',
  'detail',
  'calls',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'cost_usd',
  'unpriced_calls',
]

type Sum = Receipt['total']
type Cell = string | number | null

/** Writes a receipt as CSV (RFC 4180): one section after the other in the same columns. Every section has the same total. */
export function receiptCsv(receipt: Receipt): string {
  const rows: Cell[][] = [
    HEAD,
    row('total', null, null, receipt.total),
    ...receipt.by_model.map((sum) => row('model', sum.model, null, sum)),
    ...receipt.by_day.map((sum) => row('day', sum.day, null, sum)),
    ...receipt.by_session.map((sum) => row('session', sum.session_id, sum.title, sum)),
    ...receipt.by_agent.map((sum) => row('agent', sum.session_id, sum.agent_id ?? 'main', sum)),
    ...receipt.by_class.map(({ class: name, units, cost_usd: cost }) => short('class', name, units, cost)),
    ...receipt.by_tier.map((sum) =>
      row('tier', sum.service_tier, [sum.speed, sum.inference_geo].filter((part) => part !== null).join(' '), sum),
    ),
    ...receipt.by_server_tool.map(({ tool, uses, cost_usd: cost }) => short('server_tool', tool, uses, cost)),
  ]
  return rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')
}

const row = (section: string, name: string | null, detail: string | null, sum: Sum): Cell[] => [
  section,
  name,
  detail,
  sum.calls,
  sum.input_tokens,
  sum.cache_read_tokens,
  sum.cache_write_tokens,
  sum.output_tokens,
  sum.cost_usd,
  sum.unpriced_calls,
]

/** A row that counts units instead of calls and tokens. They are in the column `detail`. */
const short = (section: string, name: string, units: number, cost: number): Cell[] => [
  section,
  name,
  `${units} units`,
  null,
  null,
  null,
  null,
  null,
  cost,
  null,
]

function cellOf(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  // A spreadsheet would run recorded text that looks like a formula.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
