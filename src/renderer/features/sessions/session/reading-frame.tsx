import { type ReactNode, type UIEvent, useState } from 'react'

/** Scrolled further than this, a text is being read; closer to its start than `TOP_PX`, its header counts again. */
const READING_PX = 240
const TOP_PX = 20

interface ReadingFrameProps {
  /** What is shown; another one starts at its top. */
  readonly view: string
  readonly children: ReactNode
}

/** The frame of a session. While its view is scrolled away from the start, a narrow window gives the header's room to it. */
export function ReadingFrame({ view, children }: ReadingFrameProps): ReactNode {
  const [read, setRead] = useState<string | null>(null)
  const onScrollCapture = ({ target }: UIEvent) => {
    // A part of the text that scrolls on its own, up and down or sideways.
    if (!(target instanceof HTMLElement) || target.clientHeight < window.innerHeight / 3) return
    if (target.scrollHeight === target.clientHeight) return
    if (target.scrollTop > READING_PX) setRead(view)
    else if (target.scrollTop < TOP_PX) setRead(null)
  }
  return (
    <div
      className="flex h-full min-h-0 flex-col"
      data-reading={read === view ? '' : undefined}
      onScrollCapture={onScrollCapture}
    >
      {children}
    </div>
  )
}
