import type { ReactNode } from 'react'

const TONES = {
  plain: 'bg-hover text-soft',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
} as const

interface BadgeProps {
  readonly tone?: keyof typeof TONES
  readonly title?: string | undefined
  readonly children: ReactNode
}

/** A short label. */
export function Badge({ tone = 'plain', title, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={`inline-flex h-5 max-w-full items-center gap-1 rounded-full px-2 text-micro font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  )
}
