import { ChevronDown, ChevronUp, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { flushSync } from 'react-dom'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { formatMoment, projectName } from '../lib/format.ts'
import { changePack, moved, type PackedHit, packKey, togglePacked } from '../lib/pack-store.ts'
import { Button } from './button.tsx'

type Entry = OperationOutput<'recall.pack'>['entries'][number]

interface PackEntriesProps {
  readonly hits: readonly PackedHit[]
  /** The app's data on the hits; hits without data yet are shown without their text. */
  readonly entries: readonly Entry[]
}

/** The hits of a pack in order, to move and to remove: with buttons, Alt+↑ and Alt+↓, and Delete. */
export function PackEntries({ hits, entries }: PackEntriesProps) {
  const known = new Map(entries.map((entry) => [packKey(entry), entry]))
  return (
    <ol aria-label="Hits of the pack" className="max-h-[30%] shrink-0 overflow-y-auto border-t px-3 py-1.5">
      {hits.map((hit, at) => (
        <EntryRow key={packKey(hit)} hit={hit} entry={known.get(packKey(hit))} at={at} count={hits.length} />
      ))}
    </ol>
  )
}

interface EntryRowProps {
  readonly hit: PackedHit
  readonly entry: Entry | undefined
  readonly at: number
  readonly count: number
}

function EntryRow({ hit, entry, at, count }: EntryRowProps) {
  const name = entry === undefined ? `Hit ${at + 1}` : `${entry.label}, turn ${entry.turn_id}`
  return (
    <li className="flex items-center gap-1 rounded-small pl-2 hover:bg-hover" data-packed={packKey(hit)}>
      <p className="min-w-0 flex-1 truncate py-1 text-meta" title={entry?.preview}>
        {entry === undefined ? (
          <span className="text-faint">…</span>
        ) : (
          <>
            <span className="text-faint">
              {entry.label} · {projectName(entry.project)} · {formatMoment(entry.timestamp)} ·{' '}
            </span>
            {entry.preview}
          </>
        )}
      </p>
      <span className="flex shrink-0">
        <Button
          look="ghost"
          size="icon-small"
          aria-label={`Move up: ${name}`}
          onKeyDown={(event) => onEntryKey(event, hit)}
          title="Move up (Alt+↑)"
          aria-disabled={at === 0}
          onClick={() => move(hit, -1)}
        >
          <ChevronUp className="size-4" aria-hidden />
        </Button>
        <Button
          look="ghost"
          size="icon-small"
          aria-label={`Move down: ${name}`}
          onKeyDown={(event) => onEntryKey(event, hit)}
          title="Move down (Alt+↓)"
          aria-disabled={at === count - 1}
          onClick={() => move(hit, 1)}
        >
          <ChevronDown className="size-4" aria-hidden />
        </Button>
        <Button
          look="ghost"
          size="icon-small"
          aria-label={`Remove from pack: ${name}`}
          onKeyDown={(event) => onEntryKey(event, hit)}
          title="Remove from pack (Delete)"
          onClick={() => remove(hit)}
        >
          <X className="size-4" aria-hidden />
        </Button>
      </span>
    </li>
  )
}

function onEntryKey(event: KeyboardEvent<HTMLElement>, hit: PackedHit): void {
  const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined
  if (step !== undefined) move(hit, step)
  else if (event.key === 'Delete' || event.key === 'Backspace') remove(hit)
  else return
  event.preventDefault()
}

/** Moving the focused row in the page takes its focus away, so it is focused again. */
function move(hit: PackedHit, by: number): void {
  const button = document.activeElement
  flushSync(() => changePack(({ hits }) => ({ hits: moved(hits, hit, by) })))
  if (button instanceof HTMLElement) button.focus()
}

/** The row after a removed one gets the focus. */
function remove(hit: PackedHit): void {
  const row = document.querySelector(`[data-packed="${CSS.escape(packKey(hit))}"]`)
  const next = row?.nextElementSibling ?? row?.previousElementSibling
  flushSync(() => togglePacked(hit))
  next?.querySelector<HTMLButtonElement>('button:last-of-type')?.focus()
}
