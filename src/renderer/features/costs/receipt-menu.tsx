import { Select } from '../../components/select.tsx'
import { call } from '../../lib/client.ts'
import { saveFile } from '../../lib/export-table.ts'
import { notify } from '../../lib/notices.ts'
import { type Range, rangeStart, viewerZone } from '../../lib/time-range.ts'

const FORMATS = [
  ['', 'Receipt…'],
  ['html', 'Page to print'],
  ['csv', 'CSV'],
] as const

/** Saves the receipt of the range as a page to print or as CSV. */
export function ReceiptMenu({ range }: { readonly range: Range }) {
  async function save(format: 'html' | 'csv'): Promise<void> {
    const since = rangeStart(range, Date.now(), viewerZone())
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const span = since === null ? {} : { since: new Date(since).toISOString() }
    const { document: text = '', total } = await call('receipt', { format, time_zone: zone, ...span })
    saveFile(`receipt.${format}`, text)
    notify(`Saved receipt.${format}: ${total.calls} calls, all projects`)
  }
  return (
    <Select
      label="Save a receipt"
      value=""
      options={FORMATS}
      onChange={(format) => {
        if (format !== 'html' && format !== 'csv') return
        save(format).catch((error: unknown) => notify(error instanceof Error ? error.message : String(error), 'warn'))
      }}
    />
  )
}
