import { Download } from 'lucide-react'
import { useState } from 'react'
import type { ValueTable } from '../../shared/columns/column.ts'
import { Button } from './button.tsx'
import { ExportDialog } from './export-dialog.tsx'

interface ExportMenuProps {
  /** File name without its extension. */
  readonly name: string
  /** Returns the rows on screen; called when the dialog opens. */
  readonly table: () => ValueTable
}

/** Opens the dialog that saves the rows on screen as a file. */
export function ExportMenu({ name, table }: ExportMenuProps) {
  const [opened, setOpened] = useState<ValueTable | null>(null)
  return (
    <>
      <Button aria-label={`Export ${name}`} aria-haspopup="dialog" onClick={() => setOpened(table())}>
        <Download className="size-4" aria-hidden /> Export
      </Button>
      {opened !== null && <ExportDialog name={name} table={opened} onClose={() => setOpened(null)} />}
    </>
  )
}
