import type { ReactNode } from 'react'
import { guardNotes } from '../../../../shared/guard-reason.ts'
import { formatExact } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'

/** Lists what a cap of the guard may be exceeded by. */
export function GuardNotes(): ReactNode {
  const { data } = useOperation('guard.get', {})
  const notes = data === undefined ? [] : guardNotes(data, formatExact)
  if (notes.length === 0) return null
  return (
    <ul aria-label="What a cap may be exceeded by" className="text-small text-soft">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}
