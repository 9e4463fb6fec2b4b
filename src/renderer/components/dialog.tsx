import { type ReactNode, useEffect, useRef } from 'react'

interface DialogProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly placement?: 'center' | 'top'
  readonly className?: string
}

/** A modal dialog. Escape or a click outside closes it; the browser keeps the focus inside. */
export function Dialog({ label, onClose, children, placement = 'center', className = '' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    // Escape does the same for the keyboard.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={element}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close()
      }}
      className={`${placement === 'top' ? 'mx-auto mt-[12vh] mb-auto' : 'm-auto'} overflow-hidden rounded-large border border-line-strong bg-surface p-0 text-ink shadow-float outline-none ${className}`}
    >
      {children}
    </dialog>
  )
}
