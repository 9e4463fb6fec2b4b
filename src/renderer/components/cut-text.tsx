import { useContext, useState } from 'react'
import { firstCharacters } from '../../shared/cut-text.ts'
import { formatCount } from '../lib/format.ts'
import { Button } from './button.tsx'
import { StartsOpen } from './show-all.tsx'

/** A longer text is cut, since a browser takes seconds to lay it out. */
const MAX_CHARACTERS = 50_000

/** Cuts a very long text at the end of a line, until the user asks for all of it with the button `rest`. */
export function useCutText(text: string) {
  const [isOpen, setOpen] = useState(useContext(StartsOpen))
  const shown = isOpen || text.length <= MAX_CHARACTERS ? text : cutText(text)
  const rest = <ShowRest shown={shown.length} all={text.length} noun="characters" onClick={() => setOpen(true)} />
  return { shown, rest }
}

function cutText(text: string): string {
  const start = firstCharacters(text, MAX_CHARACTERS)
  const lastBreak = start.lastIndexOf('\n')
  return lastBreak > MAX_CHARACTERS / 2 ? start.slice(0, lastBreak) : start
}

interface ShowRestProps {
  readonly shown: number
  readonly all: number
  /** Plural. */
  readonly noun: string
  readonly onClick: () => void
}

/** The button below a text or a list that was cut. */
export function ShowRest({ shown, all, noun, onClick }: ShowRestProps) {
  if (shown >= all) return null
  return (
    <Button size="small" className="my-1 w-fit" onClick={onClick}>
      Show all {formatCount(all)} {noun}
    </Button>
  )
}
