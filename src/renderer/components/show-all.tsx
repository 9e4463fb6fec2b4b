import { createContext, useContext, useMemo, useState } from 'react'
import { foldText } from '../lib/folded-text.ts'
import { formatCount } from '../lib/format.ts'

/** More lines than this scroll in a box, once the user has asked for all of them. */
const MAX_OPEN_LINES = 400

/** True: a text that is otherwise folded starts open, because it was found by a search. */
export const StartsOpen = createContext(false)

/** A text that is shown in part or completely. */
export interface TextFold {
  readonly shown: string
  readonly lines: number
  readonly isCut: boolean
  readonly isOpen: boolean
  /** The text is open and so long that it scrolls in its own box. */
  readonly scrolls: boolean
  readonly toggle: () => void
}

/** Folds a long text to its first lines. Nothing that is folded scrolls, so the wheel always moves the page. */
export function useFoldedText(text: string): TextFold {
  const { start, lines, isCut } = useMemo(() => foldText(text), [text])
  const [isOpen, setOpen] = useState(useContext(StartsOpen))
  return {
    shown: isOpen ? text : start,
    lines,
    isCut,
    isOpen,
    scrolls: isOpen && (lines > MAX_OPEN_LINES || text.length > MAX_OPEN_LINES * 200),
    toggle: () => setOpen((now) => !now),
  }
}

/** The button below a folded text. Renders nothing for a short one. */
export function ShowAll({
  fold: { isCut, isOpen, lines, toggle },
}: {
  fold: Pick<TextFold, 'isCut' | 'isOpen' | 'lines' | 'toggle'>
}) {
  if (!isCut) return null
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={toggle}
      className="block min-h-7 w-full border-t px-3.5 py-1 text-left text-meta text-accent hover:bg-hover"
    >
      {isOpen ? 'Show less' : lines === 1 ? 'Show the whole line' : `Show all ${formatCount(lines)} lines`}
    </button>
  )
}
