import { useState } from 'react'
import { keptMessages } from '../../../../shared/kept-messages.ts'
import { Button } from '../../../components/button.tsx'
import { Sentences } from '../../../components/sentences.tsx'
import { droppedInput } from '../../../lib/dropped.ts'
import { useOperation } from '../../../lib/operation.ts'
import { DroppedPanel } from '../dropped/dropped-panel.tsx'

interface DroppedTextsProps {
  readonly uuid: string
  readonly onOpen: (uuid: string) => void
  /** The address leads to this compaction, so its panel opens. */
  readonly isLinked: boolean
}

/** Says what a compaction lost, and opens the texts that its summary leaves out. */
export function DroppedTexts({ uuid, onOpen, isLinked }: DroppedTextsProps) {
  const [open, setOpen] = useState(isLinked)
  const { data } = useOperation('compactions.dropped', droppedInput(uuid))
  const [wasLinked, setWasLinked] = useState(isLinked)
  if (isLinked !== wasLinked) {
    setWasLinked(isLinked)
    if (isLinked) setOpen(true)
  }
  return (
    <div className="mt-2">
      {data !== undefined && !open && (
        <Sentences className="mb-1 text-small" sentences={[{ text: keptMessages(data) }]} />
      )}
      <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide what was dropped' : 'What was dropped'}
      </Button>
      {open && <DroppedPanel uuid={uuid} onOpen={onOpen} />}
    </div>
  )
}
