import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileText, type LucideIcon, Palette as PaletteIcon, Search, Settings, TextSearch } from 'lucide-react'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { call } from '../lib/client.ts'
import { formatMoment, projectName } from '../lib/format.ts'
import { chooseTheme, THEME_LABELS, THEMES } from '../lib/theme.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { VIEWS } from './views.ts'

interface Entry {
  readonly id: string
  readonly group: string
  readonly icon: LucideIcon
  readonly name: string
  readonly note: string
  readonly run: () => void
}

/** One field to go anywhere: views, sessions, colours, and a search in Recall for whatever was typed. */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const asked = useDebounced(query.trim(), 120)
  const { data: sessions } = useQuery({
    queryKey: ['sessions.list', 'palette', asked],
    queryFn: ({ signal }) => call('sessions.list', { limit: 6, ...(asked === '' ? {} : { query: asked }) }, signal),
    placeholderData: (before) => before,
  })

  const matches = (name: string) => name.toLowerCase().includes(query.trim().toLowerCase())
  const entries: Entry[] = [
    ...VIEWS.filter((view) => matches(view.name)).map((view) => ({
      id: view.to,
      group: 'Go to',
      icon: view.icon,
      name: view.name,
      note: `g ${view.key}`,
      run: () => void navigate({ to: view.to }),
    })),
    ...(query.trim() === ''
      ? []
      : [
          {
            id: 'recall',
            group: 'Search',
            icon: TextSearch,
            name: `Recall “${query.trim()}”`,
            note: 'everything said and done',
            run: () => void navigate({ to: '/recall', search: { q: query.trim() } }),
          },
          {
            id: 'settings',
            group: 'Search',
            icon: Settings,
            name: `Settings with “${query.trim()}”`,
            note: 'what can be changed',
            run: () => void navigate({ to: '/settings', search: { q: query.trim() } }),
          },
        ]),
    ...(sessions?.items ?? []).map((session) => ({
      id: session.id,
      group: 'Sessions',
      icon: FileText,
      name: session.title ?? projectName(session.project),
      note: `${projectName(session.project)} · ${formatMoment(session.last_event_at)}`,
      run: () => void navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id }, search: {} }),
    })),
    ...THEMES.filter((theme) => query.trim() !== '' && matches(`theme ${THEME_LABELS[theme]}`)).map((theme) => ({
      id: `theme-${theme}`,
      group: 'Theme',
      icon: PaletteIcon,
      name: THEME_LABELS[theme],
      note: 'colours of the window',
      run: () => chooseTheme(theme),
    })),
  ]
  const current = Math.min(active, entries.length - 1)
  const run = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    entry.run()
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
          aria-controls="palette-list"
          aria-activedescendant={entries[current] ? `palette-${current}` : undefined}
          placeholder="Go to a view or session, or search…"
          autoComplete="off"
          spellCheck={false}
          // The dialog was opened to type here.
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
  readonly entry: Entry
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
      {/* The field keeps the focus and works this list by arrows and Enter. */}
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
        <span className="min-w-0 flex-1 truncate">{entry.name}</span>
        <span className="max-w-56 truncate text-meta text-faint">{entry.note}</span>
      </div>
    </>
  )
}
