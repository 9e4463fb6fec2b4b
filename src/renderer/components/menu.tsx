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

/** Least distance of a menu from the edge of the window. */
const MARGIN_PX = 8

/** A button that opens a menu. Arrow keys and first letters move, Enter runs, Escape and a click elsewhere close it. */
export function Menu({ label, text, icon: Icon, items, size = 'medium', disabled = false }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const root = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    if (list.current !== null) keepInWindow(list.current)
    list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
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
    const next = nextItem(event.key, at, all.length) ?? nextWith(event.key, at, all)
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
          if (event.key !== 'ArrowDown' || isOpen) return
          event.preventDefault()
          setOpen(true)
        }}
      >
        <Icon className="size-4" aria-hidden />
        {text}
        <ChevronDown className="size-3.5 text-faint" aria-hidden />
      </Button>
      {isOpen && (
        <div
          ref={list}
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={label}
          onKeyDown={move}
          className="absolute top-full right-0 z-40 mt-1 w-72 max-w-[80vw] rounded-medium border border-line-strong bg-surface p-1 shadow-float"
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
              className="flex w-full flex-col rounded-small px-3 py-1.5 text-left text-small text-ink outline-none hover:bg-hover focus:bg-accent-soft"
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

/** Moves a menu that would leave the window on the left back into it. */
function keepInWindow(menu: HTMLElement): void {
  const { left } = menu.getBoundingClientRect()
  if (left < MARGIN_PX) menu.style.translate = `${MARGIN_PX - left}px`
}

/** Returns the next item whose name begins with a letter; null if there is none, or the key is not a letter. */
function nextWith(key: string, at: number, items: readonly HTMLElement[]): number | null {
  if (key.length !== 1 || key === ' ') return null
  const order = items.map((_, index) => (at + 1 + index) % items.length)
  return order.find((index) => items[index]?.textContent.toLowerCase().startsWith(key.toLowerCase())) ?? null
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
