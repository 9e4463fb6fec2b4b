import { LogOut, Sparkles, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useOperation } from '../lib/operation.ts'
import { call } from '../lib/client.ts'
import { noteLeft } from '../lib/connection.ts'
import { useAction } from '../lib/use-action.ts'

/** How long one can still stay after a click on Leave. */
const STAY_MS = 5000

/** Badge on every view of a demo, with a button to leave it. The demo ends a moment later, so that one can stay. */
export function DemoBadge() {
  const { data: health } = useOperation('health.get', {})
  const { mutate } = useAction({ mutationFn: leaveDemo })
  const [isLeaving, setLeaving] = useState(false)
  useEffect(() => {
    if (!isLeaving) return
    const timer = setTimeout(() => mutate(undefined, { onError: () => setLeaving(false) }), STAY_MS)
    return () => clearTimeout(timer)
  }, [isLeaving, mutate])
  if (health?.is_demo !== true) return null
  const Icon = isLeaving ? Undo2 : LogOut
  return (
    <div
      role="group"
      aria-label="Demo"
      className="mb-3 flex items-center rounded-small bg-accent-soft text-small text-accent max-[1179px]:flex-col"
    >
      <span
        className="flex items-center gap-1.5 px-2.5 py-1.5 font-medium"
        title="Sample sessions, deleted when you leave"
      >
        <Sparkles className="size-4 shrink-0" aria-hidden />
        <span role="status" className="max-[1179px]:sr-only">
          {isLeaving ? 'Leaving…' : 'Demo'}
        </span>
      </span>
      <button
        type="button"
        onClick={() => setLeaving(!isLeaving)}
        aria-label={isLeaving ? 'Stay in the demo' : 'Leave the demo'}
        title={
          isLeaving
            ? 'The demo ends in a few seconds. Stay in it.'
            : 'Ends the demo and goes back to your own sessions, if Aspy runs with them. Only the samples are deleted.'
        }
        className="ml-auto flex min-h-8 items-center gap-1.5 rounded-small px-2.5 hover:bg-hover"
      >
        <Icon className="size-4 shrink-0" aria-hidden />
        <span className="max-[1179px]:sr-only">{isLeaving ? 'Stay' : 'Leave'}</span>
      </button>
    </div>
  )
}

/**
 * Leaves the demo: closes its tab or, where the browser does not allow that, returns to the app that opened it, or says
 * that it has ended.
 */
async function leaveDemo(): Promise<void> {
  const { link } = await call('demo.leave', {})
  window.close()
  if (window.closed) return
  if (link === null) noteLeft()
  else window.location.assign(link)
}
