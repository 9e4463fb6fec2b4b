import type { ReactNode } from 'react'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Empty, Failed } from '../components/states.tsx'

/** An address that leads nowhere. */
export function NotFound(): ReactNode {
  return (
    <Empty icon={Compass} title="There is nothing at this address">
      <p>
        Go to{' '}
        <Link to="/live" className="text-accent underline">
          Live
        </Link>{' '}
        or press <kbd className="font-mono">?</kbd> to see the ways around.
      </p>
    </Empty>
  )
}

/** A view that failed while it was drawn. */
export function Broken({ error, reset }: ErrorComponentProps) {
  return <Failed error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
}
