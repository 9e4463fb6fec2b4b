import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileText, type LucideIcon, Palette as PaletteIcon, Settings, TextSearch } from 'lucide-react'
import { visibleText } from '../../shared/visible-text.ts'
import { call } from '../lib/client.ts'
import { formatMoment, projectName } from '../lib/format.ts'
import { chooseTheme, THEME_LABELS, THEMES } from '../lib/theme.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { VIEWS } from './views.ts'

export interface PaletteEntry {
  readonly id: string
  readonly group: string
  readonly icon: LucideIcon
  readonly name: string
  readonly note: string
  readonly run: () => void
}

/** Returns what the palette offers for a query: views, searches, sessions and themes. */
export function usePaletteEntries(query: string): PaletteEntry[] {
  const navigate = useNavigate()
  const text = query.trim()
  const settled = useDebounced(text, 120)
  const { data: sessions } = useQuery({
    queryKey: ['sessions.list', 'palette', settled],
    queryFn: ({ signal }) => call('sessions.list', { limit: 6, ...(settled === '' ? {} : { query: settled }) }, signal),
    placeholderData: (before) => before,
  })
  const matches = (name: string) => name.toLowerCase().includes(text.toLowerCase())
  const views = VIEWS.filter((view) => matches(view.name)).map((view) => ({
    id: view.to,
    group: 'Go to',
    icon: view.icon,
    name: view.name,
    note: `g ${view.key}`,
    run: () => void navigate({ to: view.to }),
  }))
  const searches = [
    {
      id: 'recall',
      group: 'Search',
      icon: TextSearch,
      name: `Search Recall for “${text}”`,
      note: 'prompts, answers and thinking',
      run: () => void navigate({ to: '/recall', search: { q: text } }),
    },
    {
      id: 'settings',
      group: 'Search',
      icon: Settings,
      name: `Search Settings for “${text}”`,
      note: 'names and descriptions',
      run: () => void navigate({ to: '/settings', search: { q: text } }),
    },
  ]
  const found = (sessions?.items ?? []).map((session) => ({
    id: session.id,
    group: 'Sessions',
    icon: FileText,
    name: session.title === null ? projectName(session.project) : visibleText(session.title),
    note: `${projectName(session.project)} · ${formatMoment(session.last_event_at)}`,
    run: () => void navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id }, search: {} }),
  }))
  const themes = THEMES.filter((theme) => matches(`theme ${THEME_LABELS[theme]}`)).map((theme) => ({
    id: `theme-${theme}`,
    group: 'Theme',
    icon: PaletteIcon,
    name: THEME_LABELS[theme],
    note: 'window theme',
    run: () => chooseTheme(theme),
  }))
  return text === '' ? [...views, ...found] : [...views, ...searches, ...found, ...themes]
}
