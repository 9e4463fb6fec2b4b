import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  readonly label: string
  readonly question: string
  /** What is lost, and what is not. */
  readonly children: ReactNode
  readonly cancel?: string
  /** The button that deletes. */
  readonly action: string
  readonly isBusy?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something is deleted. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { label, question, children, cancel = 'Cancel', action, isBusy = false, onConfirm, onClose } = props
  return (
    <Dialog label={label} onClose={onClose} className="w-[min(30rem,92vw)]">
      <div className="flex flex-col gap-3 p-6">
        <h2 className="text-title font-semibold">{question}</h2>
        {children}
        <div className="mt-2 flex justify-end gap-2">
          <Button onClick={(event) => event.currentTarget.closest('dialog')?.close()}>{cancel}</Button>
          <Button look="danger" disabled={isBusy} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
