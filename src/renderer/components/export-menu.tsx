import { type ExportedTable, type ExportFormat, exportTable, saveFile } from '../lib/export-table.ts'
import { plural } from '../lib/format.ts'
import { notify } from '../lib/notices.ts'
import { Select } from './select.tsx'

const FORMATS = [
  ['', 'Export…'],
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['md', 'Markdown'],
] as const

interface ExportMenuProps {
  /** File name without its extension. */
  readonly name: string
  /** Returns the rows on screen; called when the user picks a format. */
  readonly table: () => ExportedTable
}

/** Saves the rows on screen as a file and confirms it in a notice. */
export function ExportMenu({ name, table }: ExportMenuProps) {
  return (
    <Select
      label={`Export ${name}`}
      value=""
      options={FORMATS}
      onChange={(format) => {
        if (format === '') return
        const made = table()
        saveFile(`${name}.${format}`, exportTable(made, format as ExportFormat))
        notify(`Saved ${name}.${format}: ${plural(made.rows.length, 'row')}, as shown`)
      }}
    />
  )
}
