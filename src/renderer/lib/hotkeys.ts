import { useLayoutEffect, useRef } from 'react'

export type HotkeyHandlers = Readonly<Record<string, (event: KeyboardEvent) => void>>

const SEQUENCE_MS = 900

/** Whether a key press belongs to a field that is being typed in. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Whether a key press would already work the control that has the focus. */
function worksControl(event: KeyboardEvent): boolean {
  const target = event.target
  return (
    (event.key === 'Enter' || event.key === ' ') &&
    target instanceof HTMLElement &&
    target.closest('button, a, summary, [role="option"]') !== null
  )
}

/** The name of a key press: `mod+k`, `j`, `?`, `Enter`, ` `. `mod` is Cmd on a Mac, Ctrl elsewhere. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>): string {
  if (event.altKey) return `alt+${event.key}`
  return event.ctrlKey || event.metaKey ? `mod+${event.key.toLowerCase()}` : event.key
}

/**
 * Listens to keys of the whole window while the caller is on screen: by key name, or two in a row (`g l`). Keys without
 * `mod` are left alone in fields, and all of them while a dialog is open, but for those in `always`.
 */
export function useHotkeys(handlers: HotkeyHandlers, always: readonly string[] = []): void {
  const latest = useRef({ handlers, always })
  // Before anything of it is on screen: a key that is pressed at once must be heard, and by what is shown.
  useLayoutEffect(() => {
    latest.current = { handlers, always }
  })
  useLayoutEffect(() => {
    let first = { key: '', at: 0 }
    const onKeyDown = (event: KeyboardEvent) => {
      const { handlers, always } = latest.current
      const name = keyName(event)
      if (!always.includes(name)) {
        if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
        if (!name.startsWith('mod+') && (isTyping(event.target) || worksControl(event))) return
      }
      const pair = event.timeStamp - first.at < SEQUENCE_MS ? handlers[`${first.key} ${name}`] : undefined
      first = { key: name, at: event.timeStamp }
      const handler = pair ?? handlers[name]
      if (!handler) return
      event.preventDefault()
      handler(event)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

const MAC = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** How `mod` is written on this machine's keys. */
export const MOD_LABEL = MAC ? '⌘' : 'Ctrl'
