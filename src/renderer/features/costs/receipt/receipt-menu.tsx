import { Select } from '../../../components/select.tsx'
import { call } from '../../../lib/client.ts'
import { plural } from '../../../lib/format.ts'
import { saveFile } from '../../../lib/export-table.ts'
import { notify } from '../../../lib/notices.ts'
import { type ReceiptSearch, spanOf } from './receipt-search.ts'
import { errorMessage } from '../../../../shared/error-text.ts'

const FORMATS = [
  ['', 'Save…'],
  ['html', 'Page to print'],
  ['csv', 'CSV'],
] as const

/** Saves the receipt as a page to print or as CSV. */
export function ReceiptMenu({ search }: { readonly search: ReceiptSearch }) {
  async function save(format: 'html' | 'csv'): Promise<void> {
    const { document: text = '', total } = await call('receipt', { format, ...spanOf(search, Date.now()) })
    saveFile(`receipt.${format}`, text)
    notify(`Saved receipt.${format}: ${plural(total.calls, 'request')}`)
  }
  return (
    <Select
      label="Save a receipt"
      value=""
      options={FORMATS}
      onChange={(format) => {
        if (format !== 'html' && format !== 'csv') return
        save(format).catch((error: unknown) => notify(errorMessage(error), 'warn'))
      }}
    />
  )
}
