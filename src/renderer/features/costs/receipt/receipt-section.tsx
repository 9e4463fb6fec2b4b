import type { ReactNode } from 'react'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../../components/data-table.tsx'
import { Card } from '../../../components/page.tsx'
import { columnDollars } from '../../../lib/axis.ts'
import { formatCount, plural } from '../../../lib/format.ts'
import { viewerNumber } from '../../../lib/viewer-locale.ts'

/** A row: what it is, how many of what, and what that cost. */
export interface ReceiptRow {
  /** Names the row in the address. */
  readonly id: string
  readonly name: string
  /** The numbers of its columns between name and cost. */
  readonly counts: readonly number[]
  readonly cost: number
  readonly unpriced?: number
}

interface ReceiptSectionProps {
  readonly title: string
  /** The names of the columns between name and cost. */
  readonly counts: readonly string[]
  readonly rows: readonly ReceiptRow[]
  /** The row whose calls are listed. */
  readonly open: string | undefined
  readonly onOpen: (row: string | undefined) => void
  /** The calls of the open row. */
  readonly calls: ReactNode
}

/** Rows that are shown; the CSV has all of them. */
const SHOWN = 50

/** A part of the receipt. Each row opens the list of its calls. */
export function ReceiptSection({ title, counts, rows, open, onOpen, calls }: ReceiptSectionProps) {
  if (rows.length === 0) return null
  const cost = columnDollars(rows.map((row) => row.cost))
  const columns: readonly DataColumn[] = [
    { name: title.replace(/^By /, '').replace(/^./, (letter) => letter.toUpperCase()) },
    ...counts.map((name) => ({ name, isNumber: true })),
    { name: 'Cost', isNumber: true },
  ]
  const isHere = rows.some(({ id }) => id === open)
  return (
    <Card title={title} className="break-inside-avoid">
      <DataTable columns={columns} minWidth={counts.length > 2 ? 'min-w-[40rem]' : ''}>
        {rows.slice(0, SHOWN).map((row) => (
          <DataRow key={row.id} isLink isSelected={row.id === open}>
            <td className="max-w-0 min-w-48 truncate py-2" title={row.name}>
              <button
                type="button"
                aria-expanded={row.id === open}
                onClick={() => onOpen(row.id === open ? undefined : row.id)}
                className="max-w-full truncate text-left align-bottom font-medium after:absolute after:inset-0"
              >
                {row.name}
              </button>
            </td>
            {row.counts.map((count, at) => (
              <NumberCell key={counts[at]}>{viewerNumber(count)}</NumberCell>
            ))}
            <NumberCell tone="strong">
              {cost(row.cost)}
              {(row.unpriced ?? 0) > 0 && (
                <span className="text-warn" title={`${plural(row.unpriced ?? 0, 'call')} without a price`}>
                  {' '}
                  +?
                </span>
              )}
            </NumberCell>
          </DataRow>
        ))}
      </DataTable>
      {rows.length > SHOWN && (
        <p className="px-5 pb-3 text-meta text-faint">{`${formatCount(rows.length - SHOWN)} more rows are in the CSV.`}</p>
      )}
      {isHere && calls}
    </Card>
  )
}
