import type { Receipt } from './receipt.ts'

/** Rows of a table that are printed. The CSV has all of them. */
const MAX_ROWS = 200

const STYLE = `body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin-top:1.6rem}table{border-collapse:collapse;width:100%}
th,td{padding:.2rem .5rem;border-bottom:1px solid #ddd;text-align:right;font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}`

/** Writes a receipt as a page to print. It contains no scripts and loads nothing. */
export function receiptPage(receipt: Receipt): string {
  const { total } = receipt
  const span = [receipt.since, receipt.until].map((end) => end?.slice(0, 10) ?? '…').join(' – ')
  const title = receipt.session_id === null ? `Receipt ${span}` : `Receipt of session ${receipt.session_id}`
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escape(title)}</h1><p>${total.calls} calls, <strong>${total.calls === 0 ? 'cost unknown' : usd(total.cost_usd)}</strong> at API list prices. Days are in ${escape(receipt.time_zone)}.</p>`,
    sums('By model', 'Model', receipt.by_model, ({ model }) => model),
    sums('By day', 'Day', receipt.by_day, ({ day }) => day),
    sums('By session', 'Session', receipt.by_session, ({ title: name, session_id: id }) => name ?? id),
    sums(
      'By agent',
      'Agent',
      receipt.by_agent,
      (row) => `${row.agent_type ?? row.agent_id ?? 'main'} (${row.session_id})`,
    ),
    table(
      'By kind of token',
      ['Kind', 'Units', 'Cost'],
      receipt.by_class.map((row) => [row.class.replaceAll('_', ' '), count(row.units), usd(row.cost_usd)]),
    ),
    sums('By tier', 'Tier', receipt.by_tier, (row) =>
      [row.service_tier ?? 'not named', row.speed, row.inference_geo].filter((part) => part !== null).join(', '),
    ),
    table(
      'Server tools',
      ['Tool', 'Uses', 'Cost'],
      receipt.by_server_tool.map((row) => [row.tool, count(row.uses), usd(row.cost_usd)]),
    ),
    table(
      "The client's own totals",
      ['Session', 'Ours', 'Client', 'Why they differ'],
      receipt.client.map((row) => [row.session_id, usd(row.ours_usd), usd(row.client_usd), row.explanation.join(' ')]),
    ),
    `<h2>What is not included</h2><p>${count(receipt.cut.answers)} answers were cut off (${usd(receipt.cut.answers_usd)} at least). ` +
      `${count(receipt.cut.failed_requests)} requests failed without usage and cost nothing here.</p>`,
    `<ul>${receipt.gaps.map((gap) => `<li>${escape(gap)}</li>`).join('')}</ul></body></html>`,
  ].join('\n')
}

function sums<Row extends Receipt['total']>(
  heading: string,
  first: string,
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): string {
  return table(
    heading,
    [first, 'Calls', 'Input', 'Cache read', 'Cache write', 'Output', 'Cost'],
    rows.map((row) => [
      nameOf(row),
      count(row.calls),
      count(row.input_tokens),
      count(row.cache_read_tokens),
      count(row.cache_write_tokens),
      count(row.output_tokens),
      usd(row.cost_usd),
    ]),
  )
}

function table(heading: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join('')}</tr>`
  const more = rows.length > MAX_ROWS ? `<p>${rows.length - MAX_ROWS} more rows are in the CSV.</p>` : ''
  const body = rows.slice(0, MAX_ROWS).map((cells) => line(cells, 'td'))
  return `<h2>${escape(heading)}</h2><table><thead>${line(head, 'th')}</thead><tbody>${body.join('')}</tbody></table>${more}`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
const usd = (amount: number): string => `$${amount.toFixed(amount !== 0 && Math.abs(amount) < 0.01 ? 6 : 2)}`
const count = (n: number): string => n.toLocaleString('en-US')
