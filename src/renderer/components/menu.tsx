import { ChevronDown, type LucideIcon } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Button, type ButtonSize } from './button.tsx'

export interface MenuItem {
  readonly name: string
  readonly note?: string
  readonly run: () => void
}

interface MenuProps {
  /** Accessible name of the button. */
  readonly label: string
  /** Text of the button. */
  readonly text: string
  readonly icon: LucideIcon
  readonly items: readonly MenuItem[]
  readonly size?: ButtonSize
  readonly disabled?: boolean
}

/** Minimum distance of a menu from the edge of the window. */
const MARGIN_PX = 8

/** Letters typed within this time belong to one name. */
const TYPING_MS = 500

/** A button that opens a menu. Arrow keys and letters move, Enter runs, Escape or a click elsewhere closes it. */
export function Menu({ label, text, icon: Icon, items, size = 'medium', disabled = false }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const root = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const opensAtEnd = useRef(false)
  const typed = useRef({ text: '', at: 0 })
  useEffect(() => {
    if (!isOpen) return
    if (list.current !== null) keepInWindow(list.current)
    const all = list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []
    all[opensAtEnd.current ? all.length - 1 : 0]?.focus()
    opensAtEnd.current = false
    // Letters typed earlier no longer count as the beginning of a name.
    typed.current.text = ''
    typed.current.at = 0
    const onPointerDown = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    window.addEventListener('pointerdown', onPointerDown)
    return () => window.removeEventListener('pointerdown', onPointerDown)
  }, [isOpen])

  const close = () => {
    setOpen(false)
    root.current?.querySelector('button')?.focus()
  }
  const move = (event: KeyboardEvent) => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = nextItem(event.key, at, all.length) ?? nextWith(typedWith(typed.current, event), at, all)
    if (event.key === 'Escape') close()
    else if (event.key === 'Tab') return setOpen(false)
    else if (next === null) return
    else all[next]?.focus()
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <span ref={root} className="relative inline-flex">
      <Button
        size={size}
        disabled={disabled}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (!['ArrowDown', 'ArrowUp'].includes(event.key) || isOpen) return
          event.preventDefault()
          opensAtEnd.current = event.key === 'ArrowUp'
          setOpen(true)
        }}
      >
        <Icon className="size-4" aria-hidden />
        <span className="max-[700px]:hidden">{text}</span>
        <ChevronDown className="size-3.5 text-faint max-[700px]:hidden" aria-hidden />
      </Button>
      {isOpen && (
        <div
          ref={list}
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={label}
          onKeyDown={move}
          className="absolute top-full right-0 z-40 mt-1 max-h-[calc(100dvh-1rem)] w-72 max-w-[80vw] overflow-y-auto rounded-medium border border-line-strong bg-surface p-1 shadow-float"
        >
          {items.map((item) => (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close()
                item.run()
              }}
              className="flex w-full flex-col rounded-small px-3 py-1.5 text-left text-small text-ink outline-transparent hover:bg-hover focus:bg-accent-soft"
            >
              {item.name}
              {item.note !== undefined && <span className="text-meta text-soft">{item.note}</span>}
            </button>
          ))}
        </div>
      )}
    </span>
  )
}

/** Moves a menu that would leave the window on the left or at the bottom back into it. */
function keepInWindow(menu: HTMLElement): void {
  const { left, bottom } = menu.getBoundingClientRect()
  const [x, y] = [Math.max(0, MARGIN_PX - left), Math.min(0, innerHeight - MARGIN_PX - bottom)]
  menu.style.translate = `${x}px ${y}px`
}

/** Adds a key to the recently typed letters, and returns them all; '' if the key is not a letter. */
function typedWith(typed: { text: string; at: number }, { key, timeStamp }: KeyboardEvent): string {
  if (key.length !== 1 || key === ' ') return ''
  typed.text = timeStamp - typed.at < TYPING_MS ? typed.text + key.toLowerCase() : key.toLowerCase()
  typed.at = timeStamp
  return typed.text
}

/** Returns the item whose name begins with some letters: the next one for a single letter. null if there is none. */
function nextWith(letters: string, at: number, items: readonly HTMLElement[]): number | null {
  if (letters === '') return null
  const first = letters.length === 1 ? at + 1 : at
  const order = items.map((_, index) => (first + index) % items.length)
  return order.find((index) => items[index]?.textContent.toLowerCase().startsWith(letters)) ?? null
}

function nextItem(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count
    case 'ArrowUp':
      return (at - 1 + count) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
