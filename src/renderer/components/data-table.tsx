import type { ReactNode, TdHTMLAttributes } from 'react'
import { ScrollRegion } from './scroll-region.tsx'

export interface DataColumn {
  readonly name: string
  /** Right-aligned. */
  readonly isNumber?: boolean
  /** Replaces the name in the header, for example with a sort button. */
  readonly head?: ReactNode
  readonly sort?: 'descending' | 'none'
  readonly className?: string
}

interface DataTableProps {
  readonly columns: readonly DataColumn[]
  /** Below this width, the table scrolls sideways. A Tailwind `min-w-…` class. */
  readonly minWidth?: string
  readonly children: ReactNode
}

/** A plain table inside a card. */
export function DataTable({ columns, minWidth = '', children }: DataTableProps) {
  const table = (
    <table className={`w-full text-small ${minWidth}`}>
      <thead>
        <tr className="label border-b text-left">
          {columns.map(({ name, isNumber = false, head, sort, className = '' }, index) => (
            <th
              key={name}
              aria-sort={sort}
              className={`py-2 font-medium ${index === 0 ? '' : 'pl-4'} ${isNumber ? 'text-right' : ''} ${className}`}
            >
              {head ?? name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
  if (minWidth === '') return <div className="px-5 pb-3">{table}</div>
  return (
    <ScrollRegion label={`Table: ${columns[0]?.name ?? ''}`} className="px-5 pb-3">
      {table}
    </ScrollRegion>
  )
}

interface DataRowProps {
  /** The row contains a link or button that covers it. */
  readonly isLink?: boolean
  readonly isSelected?: boolean
  readonly children: ReactNode
}

export function DataRow({ isLink = false, isSelected = false, children }: DataRowProps) {
  const pointed = isSelected ? 'bg-accent-soft' : 'hover:bg-hover'
  return <tr className={`border-b align-top last:border-0 ${isLink ? `relative ${pointed}` : ''}`}>{children}</tr>
}

const TONES = {
  soft: 'text-soft',
  faint: 'text-faint',
  strong: 'font-semibold',
  warn: 'text-warn',
  bad: 'font-medium text-bad',
} as const

interface NumberCellProps extends Omit<TdHTMLAttributes<HTMLTableCellElement>, 'className'> {
  readonly tone?: keyof typeof TONES
}

/** A right-aligned cell. */
export function NumberCell({ tone = 'soft', ...rest }: NumberCellProps) {
  return <td {...rest} className={`py-2 pl-4 text-right whitespace-nowrap ${TONES[tone]}`} />
}
