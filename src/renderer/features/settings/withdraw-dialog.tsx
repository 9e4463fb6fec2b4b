import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/client.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { notify } from '../../lib/notices.ts'

/** Asks whether to delete data from the team that a lowered policy no longer sends. */
export function WithdrawDialog({ sessions, onClose }: { sessions: number; onClose: () => void }) {
  const withdraw = useMutation({
    mutationFn: () => call('team.withdraw', {}),
    onSuccess({ events }) {
      notify(`Withdrawn: ${plural(events, 'event')}`)
      onClose()
    },
    onError: (error) => notify(error.message, 'warn'),
  })
  return (
    <Dialog label="Withdraw from the team" onClose={onClose} className="w-[min(30rem,92vw)]">
      <div className="flex flex-col gap-3 p-6">
        <h2 className="text-title font-semibold">Delete the sent data from the team?</h2>
        <p className="text-soft">
          {formatCount(sessions)} {sessions === 1 ? 'session is' : 'sessions are'} no longer sent. The team keeps its
          copy until you delete it. This machine keeps everything.
        </p>
        <div className="mt-2 flex justify-end gap-2">
          <Button onClick={(event) => event.currentTarget.closest('dialog')?.close()}>Keep in the team</Button>
          <Button look="danger" disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
            {withdraw.isPending ? 'Deleting…' : 'Delete from the team'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
