import { useNavigate } from '@tanstack/react-router'
import { FileText, type LucideIcon, MousePointerClick, Settings, TextSearch } from 'lucide-react'
import { useMemo } from 'react'
import { visibleText } from '../../shared/visible-text.ts'
import { currentCommands, recentCommands } from '../lib/commands.ts'
import { formatMoment, projectName } from '../lib/format.ts'
import { fuzzyMatch } from '../lib/fuzzy.ts'
import { useOperation } from '../lib/operation.ts'
import { pageActions } from '../lib/page-actions.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { toSession } from '../lib/places.ts'

export interface PaletteEntry {
  readonly id: string
  readonly group: string
  readonly icon: LucideIcon
  readonly name: string
  /** The characters of the name that match the typed text. */
  readonly marks: readonly number[]
  readonly note?: string
  readonly keys?: string
  readonly run: () => void
}

/** Groups that are shown once something is typed. */
const ONLY_TYPED: ReadonlySet<string> = new Set(['Theme', 'Density', 'Sections'])

/** Returns the palette's entries for a query: commands of the app and the open view, sessions and searches. */
export function usePaletteEntries(query: string): PaletteEntry[] {
  const text = query.trim()
  const commands = useMemo(() => commandsNow(), [])
  const sessions = useSessions(text)
  const searches = useSearches(text)
  if (text === '') return [...recent(commands), ...commands.filter(({ group }) => !ONLY_TYPED.has(group)), ...sessions]
  const found = ranked(commands, text)
  return found.length === 0 ? [...searches, ...sessions] : [...found, ...sessions, ...searches]
}

function commandsNow(): readonly PaletteEntry[] {
  const onPage = pageActions().map(({ name, run }) => ({
    id: `page:${name}`,
    group: 'On this page',
    icon: MousePointerClick,
    name,
    run,
  }))
  return [...onPage, ...currentCommands()].map((entry) => ({ ...entry, marks: [] }))
}

function recent(commands: readonly PaletteEntry[]): PaletteEntry[] {
  return recentCommands().flatMap((id) => {
    const command = commands.find((one) => one.id === id)
    return command === undefined ? [] : [{ ...command, id: `recent:${id}`, group: 'Recent' }]
  })
}

/** Returns the commands that match, the best first, still grouped: the group of the best match comes first. */
function ranked(commands: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const found = commands
    .flatMap((command) => {
      const match = fuzzyMatch(text, command.name)
      return match === null ? [] : [{ ...command, marks: match.at, score: match.score }]
    })
    .toSorted((one, other) => other.score - one.score)
  const groups = [...new Set(found.map(({ group }) => group))]
  return groups.flatMap((name) => found.filter(({ group }) => group === name))
}

/** A path, or a name with an ending. */
const FILE_NAME = /^\S*(?:[/\\]\S+|[\w)\]-]\.[a-z]\w{0,7})$/i

function useSearches(text: string): PaletteEntry[] {
  const navigate = useNavigate()
  const file: PaletteEntry = {
    id: 'file',
    group: 'Search',
    icon: FileText,
    name: `Find the file “${text}”`,
    marks: [],
    note: 'calls that read, changed or named it',
    run: () => void navigate({ to: '/recall', search: { q: `kind:tool ${text}` } }),
  }
  return [
    ...(FILE_NAME.test(text) ? [file] : []),
    {
      id: 'recall',
      group: 'Search',
      icon: TextSearch,
      name: `Search Recall for “${text}”`,
      marks: [],
      note: 'prompts, answers and thinking',
      run: () => void navigate({ to: '/recall', search: { q: text } }),
    },
    {
      id: 'settings',
      group: 'Search',
      icon: Settings,
      name: `Search Settings for “${text}”`,
      marks: [],
      note: 'names and descriptions',
      run: () => void navigate({ to: '/settings', search: { q: text } }),
    },
  ]
}

function useSessions(text: string): PaletteEntry[] {
  const navigate = useNavigate()
  const settled = useDebounced(text, 120)
  const { data } = useOperation('sessions.list', { limit: 6, query: settled || undefined }, { keepsPrevious: true })
  return (data?.items ?? []).map((session) => {
    const name = session.title === null ? projectName(session.project) : visibleText(session.title)
    return {
      id: session.id,
      group: 'Sessions',
      icon: FileText,
      name,
      marks: text === '' ? [] : (fuzzyMatch(text, name)?.at ?? []),
      note: `${projectName(session.project)} · ${formatMoment(session.last_event_at)}`,
      run: () => void navigate(toSession(session.id, {})),
    }
  })
}
