import { useEffect, useRef } from 'react'

/** Distance of the hint from its control and from the edges of the window, in px. */
const GAP_PX = 8

/**
 * Shows the `title` of the control that the keyboard moved to, as the browser does for the pointer. It is above
 * everything, including dialogs, and disappears with the next key press. Screen readers have the title from the control
 * itself.
 */
export function FocusHint() {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const hint = box.current
    if (hint === null) return
    const hide = () => hint.hidePopover()
    const onFocus = ({ target }: FocusEvent) => {
      hide()
      if (!(target instanceof HTMLElement) || !target.matches(':focus-visible')) return
      if (target.title === '' || target.title === target.textContent.trim()) return
      hint.textContent = target.title
      hint.showPopover()
      place(hint, target.getBoundingClientRect())
    }
    const events = ['keydown', 'pointerdown', 'focusout', 'wheel'] as const
    document.addEventListener('focusin', onFocus)
    for (const name of events) document.addEventListener(name, hide, { capture: true, passive: true })
    return () => {
      document.removeEventListener('focusin', onFocus)
      for (const name of events) document.removeEventListener(name, hide, { capture: true })
    }
  }, [])
  return (
    <div
      ref={box}
      popover="manual"
      aria-hidden
      data-focus-hint
      className="inset-auto m-0 max-w-72 rounded-small border border-line-strong bg-surface px-2 py-1 text-meta text-ink shadow-float"
    />
  )
}

/** Puts the hint below a control, or above it if there is no room, and keeps it in the window. */
function place(hint: HTMLElement, control: DOMRect): void {
  const { width, height } = hint.getBoundingClientRect()
  const below = control.bottom + GAP_PX
  const top = below + height + GAP_PX <= innerHeight ? below : control.top - GAP_PX - height
  const middle = control.left + control.width / 2 - width / 2
  const left = Math.max(GAP_PX, Math.min(middle, innerWidth - width - GAP_PX))
  Object.assign(hint.style, { top: `${Math.max(GAP_PX, top)}px`, left: `${left}px` })
}
