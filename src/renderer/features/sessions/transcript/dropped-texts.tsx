import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { DroppedPanel } from '../dropped/dropped-panel.tsx'

interface DroppedTextsProps {
  readonly uuid: string
  readonly onOpen: (uuid: string) => void
}

/** Opens what the summary of a compaction leaves out. */
export function DroppedTexts({ uuid, onOpen }: DroppedTextsProps) {
  const [open, setOpen] = useState(false)
  return (
    <div className="mt-2">
      <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        What was dropped
      </Button>
      {open && <DroppedPanel uuid={uuid} onOpen={onOpen} />}
    </div>
  )
}
