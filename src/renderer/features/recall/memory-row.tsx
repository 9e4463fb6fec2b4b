import { Link } from '@tanstack/react-router'
import { Bookmark, Pencil } from 'lucide-react'
import { useState } from 'react'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Button } from '../../components/button.tsx'
import { loaded } from '../../components/loaded.tsx'
import { formatMoment, plural, projectName } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import { FactForm } from './fact-form.tsx'
import { MemoryButton } from './memory-button.tsx'
import { toSession } from '../../lib/places.ts'
import { Moment } from '../../components/moment.tsx'

type Memory = OperationOutput<'memories.list'>['items'][number]

/** A remembered fact with its category and confidence, and on request the turns that support it. */
export function MemoryRow({ memory }: { memory: Memory }) {
  const [isOpen, setIsOpen] = useState(false)
  const [isWriting, setIsWriting] = useState(false)
  const { uuid, session_id: sessionId, fact, note, content, category, confidence, evidence_count: count } = memory
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-small px-2 py-1.5 text-small hover:bg-hover">
        <Bookmark className="size-4 shrink-0 fill-current text-accent" aria-hidden />
        <Link {...toSession(sessionId, { event: uuid })} className="traffic min-w-40 flex-1 truncate">
          {visibleText(fact === '' ? (note ?? content) : fact)}
        </Link>
        <span className="shrink-0 text-micro text-faint" title="Category and confidence">
          {visibleText(category)}
          {confidence < 1 && ` ${Math.round(confidence * 100)}%`}
        </span>
        <Button
          look="ghost"
          size="small"
          aria-expanded={isOpen}
          title="Turns that support it"
          onClick={() => setIsOpen(!isOpen)}
        >
          {plural(count, 'turn')}
        </Button>
        <Moment at={memory.timestamp} className="shrink-0 text-micro text-faint" />
        <Button
          look="ghost"
          size="icon"
          aria-label="Edit"
          title="Write the fact in your words"
          aria-expanded={isWriting}
          onClick={() => setIsWriting(!isWriting)}
        >
          <Pencil className="size-4" aria-hidden />
        </Button>
        <MemoryButton uuid={uuid} on />
      </div>
      {isWriting && <FactForm memory={memory} onDone={() => setIsWriting(false)} />}
      {isOpen && <Evidence uuid={uuid} />}
    </li>
  )
}

function Evidence({ uuid }: { uuid: string }) {
  const query = useOperation('memories.get', { uuid })
  return loaded({ query, look: 'line' }, (memory) => (
    <ol aria-label="Turns that support it" className="mb-1 ml-4 border-l pl-3">
      {memory.evidence.map((event) => (
        <li key={event.uuid}>
          <Link
            {...toSession(event.session_id, { event: event.uuid })}
            className="traffic block truncate rounded-small px-2 py-0.5 text-meta hover:bg-hover"
          >
            <span className="text-faint">
              {projectName(event.project)} · turn {event.turn_id} · {formatMoment(event.timestamp)} ·{' '}
            </span>
            {visibleText(event.content)}
          </Link>
        </li>
      ))}
    </ol>
  ))
}
