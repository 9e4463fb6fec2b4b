import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { firstCharacters } from '../../shared/cut-text.ts'
import type { Json } from '../../shared/json.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { formatCount, plural } from '../lib/format.ts'

/** Entries shown of a list or an object before "Show all". */
const MAX_ENTRIES = 50
/** Characters shown of a text before "Show all". */
const MAX_TEXT = 500
/** Number of levels that are open at first. */
const OPEN_LEVELS = 2
/** A level with more entries starts closed, except the first. */
const MAX_OPEN_ENTRIES = 12

/** A JSON value as a tree whose levels open and close. Closed levels are not rendered, so depth costs nothing. */
export function JsonTree({ value, label }: { readonly value: Json; readonly label: string }) {
  return (
    <div
      role="group"
      aria-label={label}
      className="my-2 overflow-x-auto rounded-small border bg-sunken px-3 py-2 font-mono text-meta leading-[1.6]"
      dir="ltr"
    >
      <Entries value={value} level={0} />
    </div>
  )
}

function Entries({ value, level }: { readonly value: Json; readonly level: number }): ReactNode {
  const [isAll, setAll] = useState(false)
  const entries = entriesOf(value)
  if (entries === null) return <Leaf value={value} />
  const shown = isAll ? entries : entries.slice(0, MAX_ENTRIES)
  return (
    <ul>
      {shown.map(([name, child]) => (
        <li key={name}>
          <Entry name={name} value={child} level={level} isItem={Array.isArray(value)} />
        </li>
      ))}
      {entries.length > shown.length && (
        <li>
          <button type="button" onClick={() => setAll(true)} className="min-h-6 font-sans text-accent">
            Show all {formatCount(entries.length)}
          </button>
        </li>
      )}
    </ul>
  )
}

interface EntryProps {
  readonly name: string
  readonly value: Json
  readonly level: number
  readonly isItem: boolean
}

function Entry({ name, value, level, isItem }: EntryProps): ReactNode {
  const entries = entriesOf(value)
  const [isOpen, setOpen] = useState(
    level < OPEN_LEVELS && (level === 0 || (entries?.length ?? 0) <= MAX_OPEN_ENTRIES) && (entries?.length ?? 0) > 0,
  )
  const shownName = <span className={isItem ? 'text-faint' : 'text-[var(--syn-property)]'}>{visibleText(name)}</span>
  if (entries === null) {
    return (
      <div className="flex min-w-0 gap-2 pl-5">
        <span className="shrink-0">{shownName}</span>
        <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
          <Leaf value={value} />
        </span>
      </div>
    )
  }
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-6 items-center gap-1.5 rounded-small text-left hover:bg-hover"
      >
        <ChevronRight
          className={`size-3.5 shrink-0 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}
          aria-hidden
        />
        {shownName}
        <span className="text-faint">
          {Array.isArray(value) ? `[${plural(entries.length, 'item')}]` : `{${plural(entries.length, 'field')}}`}
        </span>
      </button>
      {isOpen && (
        // The indent has a maximum, so that deep levels stay visible.
        <div className={level < 12 ? 'ml-1.5 border-l pl-2' : ''}>
          <Entries value={value} level={level + 1} />
        </div>
      )}
    </>
  )
}

function Leaf({ value }: { readonly value: Json }): ReactNode {
  const [isAll, setAll] = useState(false)
  if (typeof value !== 'string') return <span className="text-[var(--syn-keyword)]">{JSON.stringify(value)}</span>
  const isCut = !isAll && value.length > MAX_TEXT
  return (
    <>
      <span className="text-[var(--syn-string)]">{visibleText(isCut ? firstCharacters(value, MAX_TEXT) : value)}</span>
      {isCut && (
        <button type="button" onClick={() => setAll(true)} className="ml-1 min-h-6 font-sans text-accent">
          … show all {formatCount(value.length)} characters
        </button>
      )}
    </>
  )
}

const entriesOf = (value: Json): readonly (readonly [string, Json])[] | null =>
  typeof value === 'object' && value !== null ? Object.entries(value) : null
