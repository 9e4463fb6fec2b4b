import { type ReactNode, useState } from 'react'
import { useIsWindowWide } from '../../lib/use-wide.ts'

interface FoldedCardProps {
  readonly title: string
  /** What it comes to, so that few people need to open it. */
  readonly note?: ReactNode
  /** Open from the start, because something in it needs a look. */
  readonly isOpen?: boolean
  /** So long that it stays closed where a wide window opens the others. */
  readonly isLong?: boolean
  readonly children: ReactNode
}

/** A titled surface whose details are shown on request, and from the start where a wide window has room. */
export function FoldedCard({ title, note, isOpen = false, isLong = false, children }: FoldedCardProps) {
  // Only the width at first counts: later, a card is as the user left it.
  const [hasRoom] = useState(useIsWindowWide(1100))
  return (
    <section className="rounded-medium border bg-surface" aria-label={title}>
      <details open={isOpen || (!isLong && hasRoom)}>
        <summary className="min-h-11 cursor-pointer px-5 py-3">
          <h2 className="inline text-body font-semibold">{title}</h2>
          {note !== undefined && <span className="ml-3 text-small text-faint">{note}</span>}
        </summary>
        {children}
      </details>
    </section>
  )
}

/** Lists facts by name. */
export function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className="px-5 pb-4 text-small">
      {facts.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-4 border-b py-2 last:border-0">
          <dt className="min-w-24 text-faint wrap-anywhere">{name}</dt>
          <dd className="text-right wrap-anywhere tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
