import type { ReactNode } from 'react'

interface FigureProps {
  readonly label: string
  readonly title?: string
  /** Hidden in a narrow window. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A figure of a session with its name. */
export function Figure({ label, title, isWide = false, children }: FigureProps): ReactNode {
  return (
    <div
      title={title}
      className={`min-w-12 max-[700px]:flex max-[700px]:min-w-0 ${isWide ? 'max-[700px]:hidden' : ''}`}
    >
      <dt className="label max-[700px]:sr-only">{label}</dt>
      <dd className="text-figure font-semibold tracking-tight max-[700px]:text-small">{children}</dd>
    </div>
  )
}
