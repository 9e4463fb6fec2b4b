import { Unlink } from 'lucide-react'
import { useState } from 'react'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { formatCount, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { Moment } from '../../../components/moment.tsx'

interface ResumeTruthBannerProps {
  readonly sessionId: string
  /** `from`: the other session that has the event, if this one continues it under a new ID. */
  readonly onOpen: (uuid: string, from: string | null) => void
}

/** Reports that the last resume of a session lost content, with the missing messages to read and copy. */
export function ResumeTruthBanner({ sessionId, onOpen }: ResumeTruthBannerProps) {
  const { data } = useOperation('sessions.resume_truth', { session_id: sessionId })
  const [isOpen, setIsOpen] = useState(false)
  const [hidden, setHidden] = useState<string | null>(null)
  const resumed = data?.resumed ?? null
  if (data?.pack == null || resumed === null || resumed.request === hidden) return null
  const { at, basis, had, carried, lost_count: count, lost_results: results, lost } = resumed
  return (
    <section
      aria-label="Messages missing after the resume"
      className="mx-6 mt-2 rounded-small bg-warn-soft px-3 py-2 text-small"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Unlink className="size-4 shrink-0 text-warn" aria-hidden />
        <p className="min-w-0 flex-1 basis-80">
          {basis === 'request' ? 'This session was resumed, or you went back in it,' : 'This session was resumed'}{' '}
          <Moment at={at} /> with {formatCount(carried)} of {plural(had, 'message')}
          {results > 0 && ` and without ${plural(results, 'tool result')}`}.{' '}
          {count > 0 && `The model does not see the other ${plural(count, 'message')}.`}
        </p>
        <CopyButton
          look="plain"
          size="small"
          label="Copy what is missing"
          text={data.pack.text}
          notice={`Copied ${plural(data.pack.included, 'text')}, about ${formatCount(data.pack.tokens)} tokens. Paste them into the session.`}
        />
        <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Close list' : 'Show'}
        </Button>
        <Button size="small" look="ghost" onClick={() => setHidden(resumed.request)}>
          Hide
        </Button>
      </div>
      {isOpen && (
        <ol aria-label="Missing messages" className="mt-2 max-h-48 overflow-y-auto border-t border-line-strong pt-1.5">
          {lost.map((text) => (
            <li key={text.uuid}>
              <button
                type="button"
                className="traffic w-full truncate rounded-small px-1 py-0.5 text-left text-meta hover:bg-hover"
                onClick={() => onOpen(text.uuid, resumed.from_session_id)}
              >
                <span className="text-faint">
                  {text.role === 'user' ? 'prompt' : text.role === 'tool' ? 'tool result' : 'answer'} · turn{' '}
                  {text.turn_id} ·{' '}
                </span>
                {visibleText(text.content)}
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
