import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { call } from '../lib/client.ts'
import { notify } from '../lib/notices.ts'

const TICK_MS = 500

/** Offers to undo deletions that are still pending. The app keeps them, so a page that was opened since shows them too. */
export function PendingDeletions() {
  const queries = useQueryClient()
  const now = useNow()
  const { data } = useQuery({
    queryKey: ['sessions.deletions'],
    queryFn: ({ signal }) => call('sessions.deletions', {}, signal),
    refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > 0 ? 1000 : false),
  })
  const undo = useMutation({
    mutationFn: (session_id: string) => call('sessions.undo_delete', { session_id }),
    onSuccess: () => notify('Restored the session'),
    onError: (error) => notify(error.message, 'warn'),
    onSettled: () => queries.invalidateQueries(),
  })
  const pending = (data?.items ?? []).flatMap(({ session_id, undo_until }) => {
    const leftMs = undo_until === null ? 0 : Date.parse(undo_until) - now
    return leftMs > 0 ? [{ session_id, seconds: Math.ceil(leftMs / 1000) }] : []
  })
  if (pending.length === 0) return null
  return (
    <div role="status" className="fixed inset-x-0 bottom-24 z-50 flex flex-col items-center gap-2">
      {pending.map(({ session_id, seconds }) => (
        <p
          key={session_id}
          className="flex items-center gap-3 rounded-full bg-ink py-1 pr-1 pl-4 text-small text-bg shadow-float"
        >
          Session deleted
          <Button disabled={undo.isPending} onClick={() => undo.mutate(session_id)}>
            Undo ({seconds} s)
          </Button>
        </p>
      ))}
    </div>
  )
}

/** The time, twice a second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
