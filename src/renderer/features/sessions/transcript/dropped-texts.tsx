import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { DroppedPanel } from '../dropped/dropped-panel.tsx'

interface DroppedTextsProps {
  readonly uuid: string
  readonly onOpen: (uuid: string) => void
  /** The address leads to this compaction, so its panel opens. */
  readonly isLinked: boolean
}

/** Opens the texts that the summary of a compaction leaves out. */
export function DroppedTexts({ uuid, onOpen, isLinked }: DroppedTextsProps) {
  const [open, setOpen] = useState(isLinked)
  const [wasLinked, setWasLinked] = useState(isLinked)
  if (isLinked !== wasLinked) {
    setWasLinked(isLinked)
    if (isLinked) setOpen(true)
  }
  return (
    <div className="mt-2">
      <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        What was dropped
      </Button>
      {open && <DroppedPanel uuid={uuid} onOpen={onOpen} />}
    </div>
  )
}
