import type { ReactNode } from 'react'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Empty, Failed } from '../components/states.tsx'

/** The view for an unknown address. */
export function NotFound(): ReactNode {
  return (
    <Empty icon={Compass} title="Page not found">
      <p>
        Go to{' '}
        <Link to="/live" className="text-accent underline">
          Live
        </Link>{' '}
        or press <kbd className="font-mono">?</kbd> to see all shortcuts.
      </p>
    </Empty>
  )
}

/** The view shown when rendering another view throws. */
export const Broken = ({ error, reset }: ErrorComponentProps) => (
  <Failed error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
)
