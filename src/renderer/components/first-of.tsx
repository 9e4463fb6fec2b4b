import { type ReactNode, useContext, useState } from 'react'
import { ShowRest } from './cut-text.tsx'
import { StartsOpen } from './show-all.tsx'

/** A longer list is cut: a call may have thousands of fields, tasks or questions. */
const MAX_SHOWN = 100

interface FirstOfProps<Item> {
  readonly items: readonly Item[]
  /** Plural noun for the items. */
  readonly noun: string
  readonly children: (shown: readonly Item[]) => ReactNode
}

/** Renders the first items of a list, with a button for the others. */
export function FirstOf<Item>({ items, noun, children }: FirstOfProps<Item>): ReactNode {
  const [isWhole, setWhole] = useState(useContext(StartsOpen))
  return (
    <>
      {children(isWhole ? items : items.slice(0, MAX_SHOWN))}
      <ShowRest
        shown={isWhole ? items.length : MAX_SHOWN}
        all={items.length}
        noun={noun}
        onClick={() => setWhole(true)}
      />
    </>
  )
}
