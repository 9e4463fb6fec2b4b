import { valueTable } from '../../../../shared/columns/column.ts'
import { csvOf } from '../../../../shared/columns/csv.ts'
import { receiptFile, type ReceiptLine } from '../../../../shared/columns/receipt.ts'
import type { Receipt } from './receipt.ts'

/** Writes a receipt as CSV. Every section has the same total. */
export function receiptCsv(receipt: Receipt): string {
  const lines = [
    line('total', null, null, receipt.total),
    ...receipt.by_model.map((sum) => line('model', sum.model, null, sum)),
    ...receipt.by_day.map((sum) => line('day', sum.day, null, sum)),
    ...receipt.by_session.map((sum) => line('session', sum.session_id, sum.title, sum)),
    ...receipt.by_agent.map((sum) => line('agent', sum.session_id, sum.agent_id ?? 'main', sum)),
    ...receipt.by_class.map((sum) => line('class', sum.class, `${sum.units} units`, sum)),
    ...receipt.by_tier.map((sum) =>
      line('tier', sum.service_tier, [sum.speed, sum.inference_geo].filter((part) => part !== null).join(' '), sum),
    ),
    ...receipt.by_server_tool.map((sum) => line('server_tool', sum.tool, `${sum.uses} units`, sum)),
  ]
  return `${csvOf(valueTable(receiptFile, lines))}\r\n`
}

const line = (
  section: string,
  name: string | null,
  detail: string | null,
  sum: Partial<Receipt['total']>,
): ReceiptLine => ({ ...sum, section, name, detail })
