import { Link } from '@tanstack/react-router'
import { ArrowUpDown, Network, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, buttonClasses } from '../../../components/button.tsx'
import { CodeBlock } from '../../../components/code-block.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { actionOf, KIND_LOOKS, KindIcon } from '../../../components/event-kind.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { ScrollRegion } from '../../../components/scroll-region.tsx'
import { formatDuration, formatExact, formatMoment } from '../../../lib/format.ts'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { useOperation } from '../../../lib/operation.ts'
import { eventText } from '../transcript/event-text.ts'
import { ChainNotes } from './chain-notes.tsx'
import { toExchange } from '../../../lib/places.ts'

const SOURCES = { wire: 'API traffic', hook: 'Hook', transcript: 'Transcript', api: 'HTTP API' } as const

interface EventDetailsProps {
  readonly uuid: string
  readonly onClose: () => void
  readonly onOpen: (uuid: string) => void
  /** Shows the trace tree that starts at the event. */
  readonly onTrace: (uuid: string) => void
}

/** Everything recorded about an event: sources, causes and content. */
export function EventDetails({ uuid, onClose, onOpen, onTrace }: EventDetailsProps) {
  const query = useOperation('events.get', { uuid })
  const { data: event } = query
  useHotkeys({ Escape: onClose })
  return (
    <aside
      aria-label="Event details"
      className="flex min-h-0 w-[clamp(19rem,28vw,32rem)] shrink-0 flex-col border-l bg-surface max-[700px]:absolute max-[700px]:inset-0 max-[700px]:z-20 max-[700px]:w-auto"
    >
      <div className="flex items-center gap-2 px-5 py-3">
        {event && <KindIcon kind={event.kind} action={actionOf(event.payload)} />}
        <h2 className="font-semibold">{event ? KIND_LOOKS[event.kind].label : 'Event'}</h2>
        <Button look="ghost" size="icon" className="ml-auto" aria-label="Close details (Esc)" onClick={onClose}>
          <X className="size-4" aria-hidden />
        </Button>
      </div>
      <ScrollRegion label="Details" className="min-h-0 flex-1 px-5 pb-8">
        {loaded({ query, rows: 5 }, (event) => (
          <div className="flex flex-col gap-5">
            <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-y-1.5 text-small">
              <Field name="Time">{formatExact(event.ts_wall)}</Field>
              <Field name="Turn">
                {event.turn_id}, event {event.seq}
              </Field>
              {event.agent_id !== null && <Field name="Agent">{event.agent_id}</Field>}
              {event.duration_ms !== null && <Field name="Duration">{formatDuration(event.duration_ms)}</Field>}
              {event.request_id !== null && <Field name="Request">{event.request_id}</Field>}
              <Field name="Event">
                <span className="flex items-center gap-1 font-mono text-meta">
                  <span className="truncate">{event.uuid}</span>
                  <CopyButton
                    text={event.uuid}
                    notice="Copied the event ID"
                    name="Copy the event ID"
                    size="icon-small"
                  />
                </span>
              </Field>
            </dl>
            <section aria-label="Recorded from">
              <h3 className="label mb-1.5">Recorded from</h3>
              <ul className="text-small text-soft">
                {event.sightings.map((sighting) => (
                  <li
                    key={`${sighting.source}-${sighting.session_id}-${sighting.seen_at}`}
                    className="flex justify-between gap-3 py-0.5"
                  >
                    <span>{SOURCES[sighting.source]}</span>
                    <span className="text-faint">{formatMoment(sighting.seen_at)}</span>
                  </li>
                ))}
              </ul>
            </section>
            <Chain uuid={uuid} onOpen={onOpen} />
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => onTrace(uuid)}>
                <Network className="size-4" aria-hidden /> Open trace
              </Button>
              {(event.kind === 'model_request' || event.kind === 'model_response') && (
                <Link {...toExchange(uuid, {})} className={buttonClasses()}>
                  <ArrowUpDown className="size-4" aria-hidden /> Open exchange
                </Link>
              )}
            </div>
            <section aria-label="Content">
              <h3 className="label">Content</h3>
              <CodeBlock code={JSON.stringify(event.payload, null, 2)} language="json" />
            </section>
          </div>
        ))}
      </ScrollRegion>
    </aside>
  )
}

function Field({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}

function Chain({ uuid, onOpen }: { uuid: string; onOpen: (uuid: string) => void }) {
  const { data: chain, error } = useOperation('events.chain', { uuid })
  return (
    <section aria-label="Caused by">
      <h3 className="label mb-1.5">Caused by</h3>
      {error && <p className="text-small text-bad">{error.message}</p>}
      {chain && <ChainNotes {...chain} />}
      <ol className="flex flex-col">
        {chain?.items.map((step) => (
          <li key={step.uuid}>
            <button
              type="button"
              onClick={() => onOpen(step.uuid)}
              aria-current={step.uuid === uuid ? 'true' : undefined}
              className={`flex w-full items-center gap-2.5 rounded-small px-1.5 py-1 text-left text-small hover:bg-hover ${step.uuid === uuid ? 'bg-accent-soft font-medium' : ''}`}
            >
              <KindIcon kind={step.kind} action={actionOf(step.payload)} className="size-3.5" />
              <span className="min-w-0 truncate">{eventText(step.kind, step.payload)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
