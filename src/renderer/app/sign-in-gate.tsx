import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { AspyCommand } from '../components/command-line.tsx'
import { Empty } from '../components/states.tsx'
import { call, onUnauthorized } from '../lib/client.ts'

const RECHECK_MS = 3000

/** Shows its children, or how to sign in if the server rejected this window. */
export function SignInGate({ children }: { children: ReactNode }) {
  const [refused, setRefused] = useState(false)
  const queries = useQueryClient()
  useEffect(() => onUnauthorized(() => setRefused(true)), [])
  useEffect(() => {
    if (!refused) return
    // Signing in from another tab counts for this one, too.
    const timer = setInterval(() => {
      void call('health.get', {}).then(
        () => {
          setRefused(false)
          void queries.invalidateQueries()
        },
        () => undefined,
      )
    }, RECHECK_MS)
    return () => clearInterval(timer)
  }, [refused, queries])
  if (!refused) return children
  return (
    <main className="flex h-full items-center justify-center">
      <Empty icon={KeyRound} title="Open Aspy with its link">
        <p className="mb-4">
          This browser is not signed in, or its sign-in has expired. Run this command, or open the link that Aspy
          printed when it started.
        </p>
        <AspyCommand args="open" />
      </Empty>
    </main>
  )
}
