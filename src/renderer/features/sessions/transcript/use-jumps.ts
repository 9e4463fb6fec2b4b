import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { VirtualListHandle } from '../../../components/virtual-list.tsx'
import { useHotkeys } from '../../../lib/hotkeys.ts'

interface Jumps {
  readonly rows: number
  /** The address asks for the end of the session. */
  readonly startsAtEnd: boolean
  /** All rows up to the start, or to the end, are loaded. */
  readonly hasStart: boolean
  readonly hasEnd: boolean
  /** Loads the start or the end of the session. */
  readonly onLoad: (target: 'start' | 'end') => void
  /** A jump to the start begins. */
  readonly onLeave: () => void
}

/**
 * Goes to the first row with `g g` or Home and to the newest with `G` or End, loading what is missing. Gives the list the focus
 * when it appears, so that Page Down works at once.
 */
export function useJumps(list: RefObject<VirtualListHandle | null>, jumps: Jumps): void {
  const { rows, startsAtEnd, hasStart, hasEnd, onLoad, onLeave } = jumps
  const awaited = useRef<'start' | 'end' | null>(startsAtEnd ? 'end' : null)
  const show = (target: 'start' | 'end') => {
    awaited.current = null
    if (target === 'start') list.current?.scrollTo(0, 'start')
    else list.current?.scrollTo(rows - 1, 'end')
  }
  const jump = (target: 'start' | 'end') => {
    if (target === 'start') onLeave()
    if (target === 'start' ? hasStart : hasEnd) return show(target)
    awaited.current = target
    onLoad(target)
  }
  useLayoutEffect(() => {
    const target = awaited.current
    if (target !== null && rows > 0 && (target === 'start' ? hasStart : hasEnd)) show(target)
  })
  useHotkeys({
    'g g': () => jump('start'),
    Home: () => jump('start'),
    G: () => jump('end'),
    End: () => jump('end'),
  })
  const hasRows = rows > 0
  // A layout effect, so that a key pressed right after the first paint scrolls.
  useLayoutEffect(() => {
    const isFree = [null, document.body, document.querySelector('main')].includes(
      document.activeElement as HTMLElement | null,
    )
    if (hasRows && isFree && document.querySelector('dialog[open]') === null) list.current?.focus()
  }, [list, hasRows])
}
