import { readFileSync } from 'node:fs'
import { AspyError } from '../../../shared/contract/errors.ts'
import { type ReceiptRow, receiptTable } from '../../../shared/columns/receipt.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import { errorCode, errorMessage } from '../../../shared/error-text.ts'
import type { Client } from '../client.ts'
import { budgetNews } from '../guard-caps.ts'
import { counted, dollars, plain, shortIds, table, when } from '../table.ts'
import type { Printed } from './reading-command.ts'
import { unpricedOf } from '../../../shared/spend.ts'

interface ReceiptOptions {
  readonly csv?: boolean | undefined
  /** Path of the other program's usage report. */
  readonly compare?: string | undefined
}

/** `aspy receipt`: the paid calls, as tables, CSV, or compared with another program's report. */
export async function receipt(
  client: Client,
  input: OperationInput<'receipt'>,
  { csv = false, compare }: ReceiptOptions,
): Promise<Printed> {
  if (csv && compare !== undefined)
    throw new AspyError('bad_input', '--csv has no comparison; use --compare alone, or with --json')
  const found = await client.call('receipt', {
    ...input,
    format: csv ? 'csv' : 'json',
    compare: compare === undefined ? undefined : readJson(compare),
  })
  const { document, ...json } = found
  if (csv) return { json, text: (document ?? '').trimEnd() }
  if (found.comparison !== undefined) return { json, text: comparisonText(found.comparison) }
  const budgets = client.isTeam ? [] : budgetNews((await client.call('budgets.status', {})).items)
  return { json, text: [receiptText(found), ...budgets].join('\n') }
}

function readJson(path: string): { [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(textOf(readFileSync(path)))
    // Output of version 18 if it counts nothing.
    if (Array.isArray(value) && value.length === 0) return { daily: [] }
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ...value }
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw new AspyError('bad_input', `there is no file ${path}; write it with: ccusage daily --json > ${path}`)
    if (!(error instanceof SyntaxError)) throw new AspyError('bad_input', `cannot read ${path}: ${errorMessage(error)}`)
  }
  throw new AspyError('bad_input', `${path} holds no JSON object; write it with: ccusage daily --json > ${path}`)
}

/** Windows PowerShell writes UTF-16 if a program's output is redirected to a file, and marks UTF-8. */
function textOf(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** Rows of a table in the terminal. `--json` and `--csv` have all of them. */
const SHOWN = 15

type Receipt = OperationOutput<'receipt'>

function receiptText(found: Receipt): string {
  const { total, covered, cut } = found
  const share = (value: number | null) => (value === null ? '-' : `${Math.floor(value * 1000) / 10}%`)
  if (total.calls === 0 && cut.failed_requests === 0)
    return [`No requests ${spanText(found)}.`, ...found.gaps.map(plain)].join('\n')
  const head = [
    `${counted(total.calls, 'request')} ${spanText(found)}, ${dollars(total.cost_usd)} at API list prices`,
    `Covered: ${share(covered.priced_tokens_share)} of the recorded tokens have a price; ${share(covered.measured_usd_share)} of their cost was measured`,
    ...(cut.answers === 0 ? [] : [`${counted(cut.answers, 'answer')} cut off: ${dollars(cut.answers_usd)} at least`]),
    ...(cut.failed_requests === 0
      ? []
      : [`${counted(cut.failed_requests, 'failed request')} without usage: not charged here`]),
  ]
  const titles = new Map(found.by_session.map(({ session_id, title }) => [session_id, title]))
  const nameOf = (id: string) => [titles.get(id), ...shortIds([id])].filter(Boolean).join(' · ')
  const sections = [
    sums('Model', found.by_model, ({ model }) => model),
    sums('Day', found.by_day.toReversed(), ({ day }) => day),
    sums('Session', found.by_session, ({ session_id }) => nameOf(session_id)),
    sums('Agent', found.by_agent, (row) => `${row.agent_type ?? row.agent_id ?? 'main'} · ${nameOf(row.session_id)}`),
    sums('Kind', found.by_class, (row) => row.class.replaceAll('_', ' ')),
    sums('Tier', found.by_tier, (row) =>
      [row.service_tier ?? 'not named', row.speed, row.inference_geo].filter((part) => part !== null).join(', '),
    ),
    ...found.by_server_tool.map((row) => `${plain(row.tool)}: ${counted(row.uses, 'use')}, ${dollars(row.cost_usd)}`),
    clientTotals(found.client, nameOf),
    found.gaps.map(plain).join('\n'),
  ]
  return [head.join('\n'), ...sections.filter((section) => section !== '')].join('\n\n')
}

/** Returns the sessions whose cost differs from the client's own total, and the number of the others. */
export function clientTotals(client: Receipt['client'], nameOf: (id: string) => string): string {
  if (client.length === 0) return ''
  const differing = client.filter(({ ours_usd: ours, client_usd: own }) => dollars(ours) !== dollars(own))
  const same = client.length - differing.length
  const rows = differing
    .slice(0, SHOWN)
    .map(({ session_id, ours_usd: ours, client_usd: own, explanation }) =>
      [
        `${plain(nameOf(session_id))}: ours ${dollars(ours)}, the client's ${dollars(own)}`,
        ...explanation.map(plain),
      ].join('\n  '),
    )
  return [
    "The client's own totals",
    ...rows,
    ...(differing.length > SHOWN ? [`(${differing.length - SHOWN} more; use --json)`] : []),
    ...(same === 0 ? [] : [`Equal to ours: ${counted(same, 'session')}`]),
  ].join('\n')
}

function spanText({ since, until }: Pick<Receipt, 'since' | 'until'>): string {
  if (since === null && until === null) return 'recorded'
  return [...(since === null ? [] : [`from ${when(since)}`]), ...(until === null ? [] : [`until ${when(until)}`])].join(
    ' ',
  )
}

function sums<Row extends Omit<ReceiptRow, 'id' | 'name'>>(
  title: string,
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): string {
  if (rows.length === 0) return ''
  const named = rows.slice(0, SHOWN).map((row) => ({ ...row, id: '', name: nameOf(row), cost_usd: pricedCost(row) }))
  const text = table(named, receiptTable, {}, { name: title })
  return rows.length > SHOWN ? `${text}\n(${rows.length - SHOWN} more; use --json or --csv)` : text
}

/** Returns the cost of a row; null if none of its calls has a price. */
const pricedCost = (row: Omit<ReceiptRow, 'id' | 'name'>) =>
  row.calls !== undefined && row.calls === unpricedOf(row) ? null : row.cost_usd

function comparisonText(rows: NonNullable<Receipt['comparison']>): string {
  if (rows.length === 0) return 'Nothing to compare: neither side has calls in this time.'
  const lines = rows.map((row) =>
    [
      `${plain(row.period)}  ${plain(row.model)}  ours ${dollars(row.ours.cost_usd)}, theirs ${dollars(row.theirs.cost_usd)}, ` +
        `difference ${dollars(row.difference_usd)} and ${counted(row.difference_tokens, 'token')}`,
      ...row.reasons.map(({ usd, tokens, text }) => `${dollars(usd)}, ${counted(tokens, 'token')}: ${plain(text)}`),
    ].join('\n    '),
  )
  return lines.join('\n')
}
