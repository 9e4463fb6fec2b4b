import { Children, type CSSProperties, type ReactNode } from 'react'
import { ScrollRegion } from './scroll-region.tsx'

interface PageProps {
  readonly title: string
  /** Controls to the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A view with a title, controls and content. */
export function Page({ title, actions, children }: PageProps) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-4 gap-y-2 px-6 py-2.5 max-[700px]:px-4">
        <h1 className="text-heading font-semibold tracking-tight">{title}</h1>
        <div data-actions className="ml-auto flex min-w-0 flex-wrap items-center gap-2">
          {actions}
        </div>
      </header>
      {children}
    </div>
  )
}

/** The scrolling content of a view. */
export function PageBody({ children }: { children: ReactNode }) {
  return (
    <ScrollRegion className="min-h-0 flex-1 px-6 pb-10 max-[700px]:px-4 focus-visible:outline-none" label="Content">
      <div className="mx-auto flex max-w-[124rem] flex-col gap-6">{children}</div>
    </ScrollRegion>
  )
}

interface CardProps {
  readonly title?: string
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

/** A titled surface. */
export function Card({ title, note, actions, children, className = '' }: CardProps) {
  return (
    <section className={`rounded-medium border bg-surface ${className}`} aria-label={title}>
      {title !== undefined && (
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-5 pt-4 pb-3">
          <h2 className="text-body font-semibold">{title}</h2>
          {note !== undefined && <p className="text-small text-faint">{note}</p>}
          <div className="ml-auto max-w-full min-w-0">{actions}</div>
        </div>
      )}
      {children}
    </section>
  )
}

interface StatProps {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
  readonly tone?: 'bad' | 'warn' | undefined
}

/** A labelled figure. */
export function Stat({ label, value, note, tone }: StatProps) {
  const color = tone === 'bad' ? 'text-bad' : tone === 'warn' ? 'text-warn' : 'text-ink'
  return (
    <div className="min-w-0">
      <dt className="label">{label}</dt>
      <dd className={`mt-0.5 text-stat leading-9 font-semibold tracking-tight tabular-nums ${color}`}>{value}</dd>
      {note !== undefined && <dd className="text-meta text-faint">{note}</dd>}
    </div>
  )
}

/** Figures side by side: in one row if they fit, else in two rows of equal length, or in pairs in a narrow window. */
export function StatRow({ children }: { children: ReactNode }) {
  const count = Children.toArray(children).length
  const columns = { '--all': count, '--half': Math.ceil(count / 2) } as CSSProperties
  return (
    <dl
      style={columns}
      className="grid grid-cols-2 min-[700px]:grid-cols-[repeat(var(--half),minmax(0,1fr))] min-[1280px]:grid-cols-[repeat(var(--all),minmax(0,1fr))] gap-x-6 gap-y-4 rounded-medium border bg-surface px-5 py-4"
    >
      {children}
    </dl>
  )
}
