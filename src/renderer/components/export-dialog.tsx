import { useMemo, useState } from 'react'
import type { ValueTable } from '../../shared/columns/column.ts'
import { type ExportFormat, exportTable, saveFile, withoutColumns } from '../lib/export-table.ts'
import { formatBytes, plural } from '../lib/format.ts'
import { notify } from '../lib/notices.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Segments } from './segments.tsx'

const FORMATS = [
  { value: 'csv', name: 'CSV' },
  { value: 'json', name: 'JSON' },
  { value: 'md', name: 'Markdown' },
] as const

interface ExportDialogProps {
  /** File name without its extension. */
  readonly name: string
  readonly table: ValueTable
  readonly onClose: () => void
}

/** Shows what a file of the rows on screen would reveal, lets the user leave columns out, and saves it. */
export function ExportDialog({ name, table, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set())
  const chosen = useMemo(() => withoutColumns(table, without), [table, without])
  const text = useMemo(() => exportTable(chosen, format), [chosen, format])
  const toggle = (column: string) =>
    setWithout((now) =>
      now.has(column) ? new Set([...now].filter((one) => one !== column)) : new Set([...now, column]),
    )
  const save = () => {
    saveFile(`${name}.${format}`, text)
    notify(`Saved ${name}.${format}: ${plural(chosen.rows.length, 'row')}, as shown`)
    onClose()
  }
  return (
    <Dialog label={`Export ${name}`} onClose={onClose} className="w-[min(32rem,94vw)]">
      <div className="flex flex-col gap-4 p-6">
        <div>
          <h2 className="text-title font-semibold">Export {name}</h2>
          <p className="text-soft">The rows that are loaded, as shown. Secrets are already redacted.</p>
        </div>
        <div>
          <Segments label="Format" options={FORMATS} value={format} onChange={setFormat} />
        </div>
        <fieldset>
          <legend className="mb-1 font-medium">Include</legend>
          <div className="grid grid-cols-2 gap-x-4">
            {table.columns.map((column) => (
              <label key={column} className="flex min-h-7 min-w-0 items-center gap-2.5">
                <input
                  type="checkbox"
                  checked={!without.has(column)}
                  onChange={() => toggle(column)}
                  className="size-4 shrink-0 accent-(--accent)"
                />
                <span className="truncate">{column.replaceAll('_', ' ')}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <div role="status" aria-label="Contents of the file" className="rounded-small bg-sunken px-4 py-3">
          <p>
            {plural(chosen.rows.length, 'row')} · {plural(chosen.columns.length, 'column')} ·{' '}
            {plural(wordsOf(chosen), 'word')} · {formatBytes(new Blob([text]).size)}
          </p>
          <p className="text-small text-soft">{pathsNote(chosen)}</p>
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={(event) => event.currentTarget.closest('dialog')?.close()}>Cancel</Button>
          <Button look="primary" disabled={chosen.columns.length === 0} onClick={save}>
            Save file
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const wordsOf = ({ rows }: ValueTable): number =>
  rows.flat().reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.split(/\s+/).length : 0), 0)

const PATH = /^(?:\/|~\/|[A-Za-z]:\\)\S/

function pathsNote({ rows }: ValueTable): string {
  const paths = new Set(rows.flat().filter((cell) => typeof cell === 'string' && PATH.test(cell)))
  return paths.size === 0 ? 'Names no paths.' : `Names ${plural(paths.size, 'path')}.`
}
