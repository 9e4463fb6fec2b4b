import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { call } from '../../lib/client.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { notify } from '../../lib/notices.ts'
import { useAction } from '../../lib/use-action.ts'

/** Asks whether to delete data from the team that a lowered policy no longer sends. */
export function WithdrawDialog({ sessions, onClose }: { sessions: number; onClose: () => void }) {
  const withdraw = useAction({
    mutationFn: () => call('team.withdraw', {}),
    onSuccess({ events }) {
      notify(`Withdrawn: ${plural(events, 'event')}`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      label="Withdraw from the team"
      question="Delete the sent data from the team?"
      cancel="Keep in the team"
      action={withdraw.isPending ? 'Deleting…' : 'Delete from the team'}
      isBusy={withdraw.isPending}
      onConfirm={() => withdraw.mutate()}
      onClose={onClose}
    >
      <p className="text-soft">
        {formatCount(sessions)} {sessions === 1 ? 'session is' : 'sessions are'} no longer sent. The team keeps its copy
        until you delete it. This machine keeps everything.
      </p>
    </ConfirmDialog>
  )
}
