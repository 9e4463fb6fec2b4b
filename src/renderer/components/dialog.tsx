import { type ReactNode, useLayoutEffect, useRef } from 'react'

interface DialogProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly placement?: 'center' | 'top'
  readonly className?: string
}

/**
 * A modal dialog, which scrolls if the window is too short for it. Escape or a click outside closes it. The browser
 * keeps the focus inside, and then returns it to the previous element.
 */
export function Dialog({ label, onClose, children, placement = 'center', className = '' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  /** The pointer went down outside: a text selection that merely ends there is not a click. */
  const isOutside = useRef(false)
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // Unmounting an open dialog would not return focus to its opener.
    return () => dialog?.close()
  }, [])
  return (
    // Escape does the same for the keyboard.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={element}
      aria-label={label}
      onClose={(event) => {
        // The event comes after a removed dialog is closed, and also arrives from a nested dialog.
        if (event.currentTarget.isConnected && event.target === event.currentTarget) onClose()
      }}
      onPointerDown={(event) => {
        isOutside.current = event.target === event.currentTarget
      }}
      onClick={(event) => {
        if (isOutside.current && event.target === event.currentTarget) event.currentTarget.close()
      }}
      className={`${placement === 'top' ? 'mx-auto mt-[12vh] mb-auto' : 'm-auto'} max-h-[calc(100dvh-2rem)] overflow-x-hidden overflow-y-auto rounded-large border border-line-strong bg-surface p-0 text-ink shadow-float outline-none ${className}`}
    >
      {children}
    </dialog>
  )
}
