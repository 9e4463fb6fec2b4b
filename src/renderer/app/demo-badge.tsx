import { LogOut, Sparkles } from 'lucide-react'
import { useOperation } from '../lib/operation.ts'
import { leaveDemo } from '../lib/leave-demo.ts'
import { useAction } from '../lib/use-action.ts'

/** Badge on every view of a demo, with a button to leave it. */
export function DemoBadge() {
  const { data: health } = useOperation('health.get', {})
  const leave = useAction({ mutationFn: leaveDemo })
  if (health?.is_demo !== true) return null
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
        <span className="max-[1179px]:sr-only">Demo</span>
      </span>
      <button
        type="button"
        disabled={leave.isPending}
        onClick={() => leave.mutate()}
        aria-label="Leave the demo"
        title="Ends the demo and goes back to your own sessions, if Aspy runs with them. Only the samples are deleted."
        className="ml-auto flex min-h-8 items-center gap-1.5 rounded-small px-2.5 hover:bg-hover"
      >
        <LogOut className="size-4 shrink-0" aria-hidden />
        <span className="max-[1179px]:sr-only">Leave</span>
      </button>
    </div>
  )
}
