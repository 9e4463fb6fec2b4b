import { useContext, useState } from 'react'
import { firstCharacters } from '../../shared/cut-text.ts'
import { formatCount } from '../lib/format.ts'
import { Button } from './button.tsx'
import { StartsOpen } from './show-all.tsx'

/** A longer text is cut, since a browser takes seconds to lay it out. */
const MAX_CHARACTERS = 50_000

interface CutText {
  readonly shown: string
  readonly isCut: boolean
  readonly showAll: () => void
}

/** Cuts a very long text at the end of a line, until the user asks for all of it. */
export function useCutText(text: string): CutText {
  const [isOpen, setOpen] = useState(useContext(StartsOpen))
  const isCut = !isOpen && text.length > MAX_CHARACTERS
  return { shown: isCut ? cutText(text) : text, isCut, showAll: () => setOpen(true) }
}

function cutText(text: string): string {
  const start = firstCharacters(text, MAX_CHARACTERS)
  const lastBreak = start.lastIndexOf('\n')
  return lastBreak > MAX_CHARACTERS / 2 ? start.slice(0, lastBreak) : start
}

interface ShowRestProps {
  readonly onClick: () => void
  /** Characters of the whole text. */
  readonly length: number
}

/** The button below a text that was cut. */
export function ShowRest({ onClick, length }: ShowRestProps) {
  return (
    <Button size="small" className="mt-1 w-fit" onClick={onClick}>
      Show all {formatCount(length)} characters
    </Button>
  )
}
