import { Search } from 'lucide-react'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { noteCommand } from '../lib/commands.ts'
import { type PaletteEntry, usePaletteEntries } from './palette-entries.ts'

/** A command palette: actions of the open view, views, sessions and searches. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const entries = usePaletteEntries(query)
  const current = Math.min(active, entries.length - 1)
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return
    onClose()
    noteCommand(entry.id.replace(/^recent:/, ''))
    // The dialog returns the focus first.
    requestAnimationFrame(entry.run)
  }

  return (
    <Dialog label="Go to or search" onClose={onClose} placement="top" className="w-[min(38rem,92vw)]">
      <div className="flex items-center gap-3 border-b px-4">
        <Search className="size-5 text-faint" aria-hidden />
        <input
          type="text"
          role="combobox"
          aria-label="Go to or search"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls="palette-list"
          aria-activedescendant={entries[current] ? `palette-${current}` : undefined}
          placeholder="Type a command, view or session…"
          autoComplete="off"
          spellCheck={false}
          // The dialog opens to type here.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setActive(0)
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setActive((current + 1) % Math.max(1, entries.length))
            else if (event.key === 'ArrowUp') setActive((current - 1 + entries.length) % Math.max(1, entries.length))
            else if (event.key === 'Enter') run(entries[current])
            else return
            event.preventDefault()
          }}
          className="h-13 w-full bg-transparent text-lead outline-none"
        />
      </div>
      <div id="palette-list" role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto p-2">
        {entries.map((entry, index) => (
          <PaletteRow
            key={entry.id}
            entry={entry}
            index={index}
            active={index === current}
            first={entries[index - 1]?.group !== entry.group}
            onRun={() => run(entry)}
            onPoint={() => setActive(index)}
          />
        ))}
      </div>
    </Dialog>
  )
}

interface PaletteRowProps {
  readonly entry: PaletteEntry
  readonly index: number
  readonly active: boolean
  readonly first: boolean
  readonly onRun: () => void
  readonly onPoint: () => void
}

function PaletteRow({ entry, index, active, first, onRun, onPoint }: PaletteRowProps) {
  const Icon = entry.icon
  return (
    <>
      {first && (
        <div role="presentation" className="label px-2.5 pt-2 pb-1">
          {entry.group}
        </div>
      )}
      {/* The input keeps the focus and handles the arrow keys and Enter. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus */}
      <div
        id={`palette-${index}`}
        role="option"
        aria-selected={active}
        onClick={onRun}
        onPointerMove={onPoint}
        ref={(element) => {
          if (active) element?.scrollIntoView({ block: 'nearest' })
        }}
        className={`flex h-9 items-center gap-3 rounded-small px-2.5 ${active ? 'bg-accent-soft text-accent' : ''}`}
      >
        <Icon className="size-4 shrink-0 text-faint" aria-hidden />
        <span className="min-w-0 flex-1 truncate">
          <Marked text={entry.name} marks={entry.marks} />
        </span>
        {entry.note !== undefined && <span className="max-w-56 truncate text-meta text-faint">{entry.note}</span>}
        {entry.keys !== undefined && (
          <span className="flex gap-1">
            {entry.keys.split(/ +/).map((key) => (
              <kbd key={key} className="rounded-small border bg-sunken px-1.5 font-sans text-micro text-soft">
                {key}
              </kbd>
            ))}
          </span>
        )}
      </div>
    </>
  )
}

function Marked({ text, marks }: { text: string; marks: readonly number[] }) {
  if (marks.length === 0) return text
  const marked = new Set(marks)
  // Runs of marked and unmarked characters.
  const runs: { text: string; isMarked: boolean; from: number }[] = []
  for (let at = 0; at < text.length; at += 1) {
    const isMarked = marked.has(at)
    const last = runs.at(-1)
    if (last?.isMarked === isMarked) last.text += text[at]
    else runs.push({ text: text[at] ?? '', isMarked, from: at })
  }
  return runs.map((run) =>
    run.isMarked ? (
      <b key={run.from} className="font-semibold text-accent underline decoration-2 underline-offset-2">
        {run.text}
      </b>
    ) : (
      <span key={run.from}>{run.text}</span>
    ),
  )
}
