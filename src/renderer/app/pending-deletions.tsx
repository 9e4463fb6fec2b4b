import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { Button } from '../components/button.tsx'
import { call } from '../lib/client.ts'
import { formatCount, plural } from '../lib/format.ts'
import { useNow } from '../lib/live/live-context.tsx'
import { notify, notifyFailure } from '../lib/notices.ts'
import { useOperation } from '../lib/operation.ts'

const TICK_MS = 500

type Deletion = OperationOutput<'sessions.deletions'>['items'][number]

/**
 * Offers to undo each deletion that is pending, and shows its progress once it has begun. The app keeps them, so a page
 * that was opened since shows them too.
 */
export function PendingDeletions() {
  const queries = useQueryClient()
  const { data } = useOperation('sessions.deletions', {})
  const items = data?.items ?? []
  const before = useRef(0)
  useEffect(() => {
    // Sums of all kinds follow when a deletion is complete.
    if (items.length < before.current) void queries.invalidateQueries()
    before.current = items.length
  }, [items.length, queries])
  if (items.length === 0) return null
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-24 z-50 flex flex-col items-center gap-2">
      {items.map((deletion, at) => (
        <div
          key={deletion.ids[0] ?? at}
          className={`pointer-events-auto flex items-center gap-3 py-1 pl-4 text-small shadow-float ${deletion.undo_until === null ? 'rounded-large border border-line-strong bg-surface pr-4' : 'rounded-full bg-ink pr-1 text-bg'}`}
        >
          {deletion.undo_until === null ? (
            <Progress {...deletion} />
          ) : (
            <Offer ids={deletion.ids} isSeen={deletion.is_seen} until={Date.parse(deletion.undo_until)} />
          )}
        </div>
      ))}
    </div>
  )
}

interface OfferProps {
  readonly ids: readonly string[]
  readonly isSeen: boolean
  /** In ms since 1970. */
  readonly until: number
}

/** Offers an undo. Its time begins when it is on screen. */
function Offer({ ids, isSeen, until }: OfferProps) {
  const queries = useQueryClient()
  const seconds = Math.ceil((until - useNow(TICK_MS)) / 1000)
  const { mutate: see } = useMutation({
    mutationFn: (shown: readonly string[]) => call('sessions.undo_shown', { ids: [...shown] }),
    // If it fails, more time is left than shown.
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions.deletions'] }),
  })
  const undo = useMutation({
    mutationFn: () => call('sessions.undo_delete', { ids: [...ids] }),
    onSuccess: ({ sessions }) =>
      notify(sessions === 1 ? 'Restored the session' : `Restored ${plural(sessions, 'session')}`),
    onError: notifyFailure,
    onSettled: () => queries.invalidateQueries(),
  })
  useEffect(() => {
    if (isSeen) return
    // A page in the background draws no frames.
    const frame = requestAnimationFrame(() => see(ids))
    return () => cancelAnimationFrame(frame)
  }, [isSeen, ids, see])
  return (
    <>
      {ids.length === 1 ? 'Session deleted' : `${plural(ids.length, 'session')} deleted`}
      <Button size="pill" disabled={undo.isPending} onClick={() => undo.mutate()}>
        {isSeen && seconds > 0 ? `Undo (${seconds} s)` : 'Undo'}
      </Button>
    </>
  )
}

function Progress({ sessions, sessions_deleted: done }: Deletion) {
  return (
    <span className="flex flex-col gap-1.5 py-1.5">
      <span className="flex justify-between gap-6">
        {`Deleting ${plural(sessions, 'session')}`}
        <span aria-hidden className="tabular-nums">
          {done < sessions ? `${formatCount(done)} done` : 'Overwriting text'}
        </span>
      </span>
      <progress aria-label="Sessions deleted" value={done / sessions} className="h-1.5 w-64 accent-(--accent)" />
    </span>
  )
}
