import { type ExportedTable, type ExportFormat, exportTable, saveFile } from '../lib/export-table.ts'
import { plural } from '../lib/format.ts'
import { say } from '../lib/notices.ts'
import { Select } from './select.tsx'

const FORMATS = [
  ['', 'Export…'],
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['md', 'Markdown'],
] as const

interface ExportMenuProps {
  /** What the file is called, without its ending. */
  readonly name: string
  /** The rows that are on screen; made only when they are asked for. */
  readonly table: () => ExportedTable
}

/** Saves what is on screen as a file, and says what it did. */
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
        say(`Saved ${name}.${format}: ${plural(made.rows.length, 'row')}, as on screen`)
      }}
    />
  )
}
