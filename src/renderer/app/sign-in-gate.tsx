import { KeyRound } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { CommandLine } from '../components/command-line.tsx'
import { Empty } from '../components/states.tsx'
import { onUnauthorized } from '../lib/client.ts'

/** Shows the window to those who are signed in; others learn how to come in. */
export function SignInGate({ children }: { children: ReactNode }) {
  const [refused, setRefused] = useState(false)
  useEffect(() => onUnauthorized(() => setRefused(true)), [])
  if (!refused) return children
  return (
    <main className="flex h-full items-center justify-center">
      <Empty icon={KeyRound} title="Open Aspy with its link">
        <p className="mb-4">
          This browser has no key for Aspy yet, or the app was started anew. Run this command, or open the link that
          Aspy printed when it started.
        </p>
        <CommandLine command="npx aspy open" />
      </Empty>
    </main>
  )
}
