import { Link } from '@tanstack/react-router'
import { type LucideIcon, RefreshCw, TriangleAlert, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { AspyError } from '../../shared/contract/errors.ts'
import { Button } from './button.tsx'

/** Placeholder bars, so that the layout does not jump when rows arrive. */
export function LoadingRows({
  rows = 8,
  label = 'Loading',
}: {
  rows?: number | undefined
  label?: string | undefined
}) {
  return (
    <div role="status" aria-label={label} className="flex min-w-0 flex-1 flex-col gap-3 p-6">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="skeleton h-5" style={{ width: `${92 - ((row * 17) % 40)}%` }} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
}

/** An empty view, with what will appear and how. */
export function Empty({ icon: Icon, title, children }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-3 px-6 py-16 text-center">
      <span className="flex size-12 items-center justify-center rounded-full bg-accent-soft text-accent">
        <Icon className="size-6" strokeWidth={1.75} aria-hidden />
      </span>
      <h2 className="text-title font-semibold">{title}</h2>
      <div className="text-soft">{children}</div>
    </div>
  )
}

/** Said where nothing was ever recorded, with the way to start. */
export function NothingYet() {
  return (
    <p>
      Nothing is recorded yet.{' '}
      <Link to="/live" className="text-accent underline">
        Record or import a session
      </Link>{' '}
      first.
    </p>
  )
}

interface FailedProps {
  readonly error: Error
  readonly onRetry?: (() => void) | undefined
  /** Shown if the requested item does not exist: retrying would not help. */
  readonly missing?: ReactNode
}

/** An error message with a retry button, or a note on what a team's history lacks. */
export function Failed({ error, onRetry, missing }: FailedProps) {
  if (missing !== undefined && error instanceof AspyError && error.code === 'not_found') return missing
  if (error instanceof AspyError && error.code === 'unsupported')
    return (
      <Empty icon={Users} title="Not in a team’s history">
        <p className="traffic">{error.message}</p>
      </Empty>
    )
  return (
    <div role="alert" className="mx-auto flex max-w-xl flex-col items-center gap-3 px-6 py-16 text-center">
      <span className="flex size-12 items-center justify-center rounded-full bg-bad-soft text-bad">
        <TriangleAlert className="size-6" strokeWidth={1.75} aria-hidden />
      </span>
      <h2 className="text-title font-semibold">Couldn’t load this</h2>
      <p className="traffic text-soft">{error.message}</p>
      {onRetry && (
        <Button onClick={onRetry}>
          <RefreshCw className="size-4" aria-hidden /> Try again
        </Button>
      )}
    </div>
  )
}
