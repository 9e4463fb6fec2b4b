import { useLayoutEffect, useRef } from 'react'

export type HotkeyHandlers = Readonly<Record<string, (event: KeyboardEvent) => void>>

const SEQUENCE_MS = 900

/** Returns true if the user is typing in a field. A checkbox, which keeps the focus after a click, takes no letters. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target.matches('[type=checkbox]')) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Returns true if the key press already activates the focused control. */
function worksControl(event: KeyboardEvent): boolean {
  const target = event.target
  return (
    (event.key === 'Enter' || event.key === ' ') &&
    target instanceof HTMLElement &&
    target.closest('button, a, summary, [role="option"], [type=checkbox]') !== null
  )
}

/** Returns the name of a key press: `mod+k`, `j`, `?`, `Enter`, ` `. `mod` is Cmd on a Mac, Ctrl elsewhere. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>): string {
  if (event.altKey) return `alt+${event.key}`
  return event.ctrlKey || event.metaKey ? `mod+${event.key.toLowerCase()}` : event.key
}

/**
 * Handles keys of the whole window while the component is mounted, by key name or as a sequence of two (`g l`). Keys
 * without `mod` are ignored while typing, and all keys while a dialog is open, except those in `always`.
 */
export function useHotkeys(handlers: HotkeyHandlers, always: readonly string[] = []): void {
  const latest = useRef({ handlers, always })
  // A layout effect, so that a key pressed right after the first paint reaches the current handlers.
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
        // Letters find an item of the open menu.
        if (event.target instanceof HTMLElement && event.target.closest('[role=menu]') !== null) return
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

/** Label of the `mod` key on this platform. */
export const MOD_LABEL = MAC ? '⌘' : 'Ctrl'
