import { Info, Link2 } from 'lucide-react'
import type { AnyEvent } from '../../../../shared/event.ts'
import { copyText, CopyButton } from '../../../components/copy-button.tsx'
import { KIND_LOOKS } from '../../../components/event-kind.tsx'
import { formatClock, formatExact } from '../../../lib/format.ts'

const BUTTON = 'flex size-6 items-center justify-center rounded-small text-faint hover:bg-hover hover:text-ink'

interface RowActionsProps {
  readonly event: AnyEvent
  readonly label: string
  readonly onDetails: () => void
}

/** The time of a row, replaced by the row's actions on hover and focus. */
export function RowActions({ event, label, onDetails }: RowActionsProps) {
  return (
    <div className="relative flex h-6 items-center justify-end text-micro whitespace-nowrap text-faint">
      <time
        className="group-hover:opacity-0 max-[560px]:hidden"
        dateTime={event.ts_wall}
        onPointerEnter={({ currentTarget }) => {
          // Only on demand: the long form of a date is slow to make, and rows come and go while scrolling.
          currentTarget.title = formatExact(event.ts_wall)
        }}
      >
        {formatClock(event.ts_wall)}
      </time>
      <div className="absolute inset-y-0 right-0 flex items-center bg-bg opacity-0 group-hover:opacity-100 focus-within:opacity-100">
        {event.kind === 'assistant_text' && (
          <CopyButton text={event.payload.text} notice="Copied the answer" name="Copy answer" size="icon-small" />
        )}
        <button
          type="button"
          onClick={() => void copyText(eventLink(event.session_id, event.uuid), 'Copied the link')}
          aria-label={`Copy a link to this ${label}`}
          title="Copy link"
          className={BUTTON}
        >
          <Link2 className="size-3.5" aria-hidden />
        </button>
        <button
          type="button"
          onClick={onDetails}
          aria-label={`Details of this ${label}`}
          title="Details: sources and causes"
          className={BUTTON}
        >
          <Info className="size-3.5" aria-hidden />
        </button>
      </div>
    </div>
  )
}

/** Returns a row's kind in words. */
export const labelOf = (kind: AnyEvent['kind']): string => KIND_LOOKS[kind].label.toLowerCase()

/** Returns a link to an event: one that the desktop app opens, or the address in this browser. */
function eventLink(sessionId: string, uuid: string): string {
  if (window.aspy !== undefined) return `aspy://event/${uuid}`
  return new URL(`/sessions/${encodeURIComponent(sessionId)}?event=${encodeURIComponent(uuid)}`, location.href).href
}
