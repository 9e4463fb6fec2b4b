import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { CLASS_NAMES, type ReceiptRow } from '../../../../shared/columns/receipt.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { modelName } from '../../../../shared/vendors.ts'
import { rowName } from './receipt-search.ts'

export type Receipt = OperationOutput<'receipt'>

interface Section {
  readonly title: string
  readonly rows: readonly ReceiptRow[]
  /** The sum of all rows, if there are several. */
  readonly total?: ReceiptRow
}

/** Returns the sections of a receipt as rows. Those without rows are not shown. */
export function sectionsOf(receipt: Receipt): readonly Section[] {
  const { total } = receipt
  const titles = new Map(receipt.by_session.map(({ session_id: id, title }) => [id, visibleText(title ?? id)]))
  return [
    section('By model', total, receipt.by_model, ({ model }) => [rowName('model', model), modelName(model)]),
    section('By day', total, receipt.by_day.toReversed(), ({ day }) => [rowName('day', day), day]),
    section('By session', total, receipt.by_session, ({ session_id: id }) => [
      rowName('session', id),
      titles.get(id) ?? id,
    ]),
    section('By agent', total, receipt.by_agent, (row) => [
      rowName('agent', row.session_id, row.agent_id),
      `${visibleText(row.agent_type ?? row.agent_id ?? 'main')} · ${titles.get(row.session_id) ?? row.session_id}`,
    ]),
    {
      title: 'By kind of token',
      rows: receipt.by_class
        .filter(({ units }) => units > 0)
        .map((row) => ({
          id: rowName('class', row.class),
          name: CLASS_NAMES[row.class],
          units: row.units,
          cost_usd: row.cost_usd,
        })),
    },
    section('By service tier', total, receipt.by_tier, (row) => [
      rowName('tier', row.service_tier, row.speed, row.inference_geo),
      [row.service_tier ?? 'not named', row.speed, row.inference_geo].filter((part) => part !== null).join(', '),
    ]),
    {
      title: 'By server tool',
      rows: receipt.by_server_tool.map((row) => ({
        id: rowName('server_tool', row.tool),
        name: row.tool.replaceAll('_', ' '),
        uses: row.uses,
        cost_usd: row.cost_usd,
      })),
    },
  ]
}

function section<Row extends Receipt['total']>(
  title: string,
  total: Receipt['total'],
  sums: readonly Row[],
  nameOf: (row: Row) => readonly [id: string, name: string],
): Section {
  const rows = sums.map((row): ReceiptRow => {
    const [id, name] = nameOf(row)
    return { ...row, id, name }
  })
  return { title, rows, ...(rows.length > 1 && { total: { ...total, id: '', name: 'Total' } }) }
}
