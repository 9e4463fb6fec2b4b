import type { ReactNode } from 'react'
import { type ReceiptRow, receiptTable } from '../../../../shared/columns/receipt.ts'
import { Card } from '../../../components/page.tsx'
import { Table } from '../../../components/table.tsx'
import { formatCount } from '../../../lib/format.ts'

interface ReceiptSectionProps {
  readonly title: string
  readonly rows: readonly ReceiptRow[]
  /** The sum of all rows. */
  readonly total?: ReceiptRow
  /** The row whose calls are listed. */
  readonly open: string | undefined
  readonly onOpen: (row: string | undefined) => void
  /** The calls of the open row. */
  readonly calls: ReactNode
}

/** Rows that are shown; the CSV has all of them. */
const SHOWN = 50

/** A part of the receipt. Each row opens the list of its calls. */
export function ReceiptSection({ title, rows, total, open, onOpen, calls }: ReceiptSectionProps) {
  if (rows.length === 0) return null
  return (
    <Card title={title} className="break-inside-avoid">
      <Table
        columns={receiptTable}
        heads={{ name: title.replace(/^By /, '').replace(/^./, (letter) => letter.toUpperCase()) }}
        rows={[...rows.slice(0, SHOWN), ...(total === undefined ? [] : [total])]}
        keyOf={(row) => row.id}
        isLink={(row) => row !== total}
        isSelected={(row) => row.id === open}
        cells={{
          name: (row, text) =>
            row === total ? (
              <strong>{text}</strong>
            ) : (
              <button
                type="button"
                aria-expanded={row.id === open}
                onClick={() => onOpen(row.id === open ? undefined : row.id)}
                className="max-w-full truncate text-left align-bottom font-medium after:absolute after:inset-0"
              >
                {text}
              </button>
            ),
        }}
      />
      {rows.length > SHOWN && (
        <p className="px-5 pb-3 text-meta text-faint">{`${formatCount(rows.length - SHOWN)} more rows are in the CSV.`}</p>
      )}
      {rows.some(({ id }) => id === open) && calls}
    </Card>
  )
}
