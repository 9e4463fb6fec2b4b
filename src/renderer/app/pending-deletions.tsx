import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { call } from '../lib/client.ts'
import { notify } from '../lib/notices.ts'

const TICK_MS = 500

/** Offers to undo the deletions that are still pending, all at once. The app keeps them, so a page that was opened since shows them too. */
export function PendingDeletions() {
  const queries = useQueryClient()
  const now = useNow()
  const { data } = useQuery({
    queryKey: ['sessions.deletions'],
    queryFn: ({ signal }) => call('sessions.deletions', {}, signal),
    refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > 0 ? 1000 : false),
  })
  const undo = useMutation({
    async mutationFn(sessions: readonly string[]) {
      for (const session_id of sessions) await call('sessions.undo_delete', { session_id })
    },
    onSuccess: (_, { length }) => notify(length === 1 ? 'Restored the session' : `Restored ${length} sessions`),
    onError: (error) => notify(error.message, 'warn'),
    onSettled: () => queries.invalidateQueries(),
  })
  const pending = (data?.items ?? []).filter(
    ({ undo_until }) => undo_until !== null && Date.parse(undo_until) - now > 0,
  )
  if (pending.length === 0) return null
  // The first to be carried out ends the time for all.
  const until = Math.min(...pending.map(({ undo_until }) => Date.parse(undo_until ?? '')))
  return (
    <div role="status" className="fixed inset-x-0 bottom-24 z-50 flex flex-col items-center gap-2">
      <p className="flex items-center gap-3 rounded-full bg-ink py-1 pr-1 pl-4 text-small text-bg shadow-float">
        {pending.length === 1 ? 'Session deleted' : `${pending.length} sessions deleted`}
        <Button disabled={undo.isPending} onClick={() => undo.mutate(pending.map(({ session_id }) => session_id))}>
          Undo ({Math.ceil((until - now) / 1000)} s)
        </Button>
      </p>
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
