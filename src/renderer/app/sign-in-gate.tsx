import { KeyRound } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { AspyCommand } from '../components/command-line.tsx'
import { Empty } from '../components/states.tsx'
import { onUnauthorized } from '../lib/client.ts'

/** Shows its children, or how to sign in if the server rejected this window. */
export function SignInGate({ children }: { children: ReactNode }) {
  const [refused, setRefused] = useState(false)
  useEffect(() => onUnauthorized(() => setRefused(true)), [])
  if (!refused) return children
  return (
    <main className="flex h-full items-center justify-center">
      <Empty icon={KeyRound} title="Open Aspy with its link">
        <p className="mb-4">
          This browser is not signed in, or Aspy was restarted. Run this command, or open the link that Aspy printed
          when it started.
        </p>
        <AspyCommand args="open" />
      </Empty>
    </main>
  )
}
