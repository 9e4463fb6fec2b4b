import { visibleText } from '../../../../shared/visible-text.ts'
import { useNavigate } from '@tanstack/react-router'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { formatBytes, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { useDeleteSessions } from './use-delete-sessions.ts'

/** Asks for confirmation before a session is deleted permanently. */
export function DeleteDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const navigate = useNavigate()
  const footprint = useOperation('sessions.footprint', { session_id: session.id })
  const remove = useDeleteSessions(() => navigate({ to: '/sessions', search: {} }))
  return (
    <ConfirmDialog
      label="Delete session"
      question="Delete this session?"
      action="Delete session"
      onConfirm={() => {
        remove.mutate([session.id])
        onClose()
      }}
      onClose={onClose}
    >
      <p className="traffic line-clamp-3 font-medium">{visibleText(session.title ?? session.id)}</p>
      <p role="status" aria-label="What is deleted">
        {footprint.data === undefined
          ? plural(session.prompts, 'prompt')
          : `${plural(footprint.data.events, 'event')}, ${plural(session.prompts, 'prompt')}, ${formatBytes(footprint.data.bytes)}`}
      </p>
      {footprint.data !== undefined && footprint.data.copies.length > 0 && (
        <p className="traffic break-all">
          These copies, which Aspy kept, go with it: {footprint.data.copies.join(', ')}
        </p>
      )}
      <p className="text-soft">
        This deletes its prompts, answers, thinking, tool calls, costs and log file. You can undo it for ten seconds.
        After that, not even importing its transcript restores it.
      </p>
    </ConfirmDialog>
  )
}
