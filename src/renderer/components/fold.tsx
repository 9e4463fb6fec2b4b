import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

interface FoldProps {
  readonly open: boolean
  readonly onToggle: () => void
  readonly children: ReactNode
}

/** A line that expands and collapses the content below it. */
export function Fold({ open, onToggle, children }: FoldProps) {
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className="flex min-h-6 w-full min-w-0 items-center gap-2 rounded-small text-left hover:text-ink"
    >
      <ChevronRight
        className={`size-3.5 shrink-0 text-faint transition-transform ${open ? 'rotate-90' : ''}`}
        aria-hidden
      />
      {children}
    </button>
  )
}
