import { useNavigate } from '@tanstack/react-router'
import {
  CircleStop,
  Download,
  FileText,
  Keyboard,
  Lightbulb,
  Palette,
  Power,
  RefreshCw,
  Rows3,
  Rows4,
  Settings,
  Shield,
  Wallet,
} from 'lucide-react'
import { useQueryClient } from '@tanstack/react-query'
import { useCommands } from '../lib/commands.ts'
import { chooseDensity, DENSITIES, DENSITY_LABELS } from '../lib/density.ts'
import { useImportControl, useImportStatus } from '../lib/import-job.ts'
import { chooseTheme, THEME_LABELS, THEMES } from '../lib/theme.ts'
import { COSTS_TABS } from '../features/costs/costs-search.ts'
import { ADVANCED, COMMON } from '../features/settings/setting-sections.ts'
import { VIEWS } from './views.ts'

/** Commands available on every view: navigation, theme, import, reload. */
export function useAppCommands(onShortcuts: () => void, onRecording: () => void): void {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { start, stop } = useImportControl()
  const isImporting = useImportStatus()?.state === 'running'
  useCommands(
    'Theme',
    THEMES.map((theme) => ({
      id: `theme:${theme}`,
      icon: Palette,
      name: `Theme: ${THEME_LABELS[theme]}`,
      run: () => chooseTheme(theme),
    })),
  )
  useCommands(
    'Density',
    DENSITIES.map((density) => ({
      id: `density:${density}`,
      icon: Rows4,
      name: `Density: ${DENSITY_LABELS[density]}`,
      run: () => chooseDensity(density),
    })),
  )
  useCommands('Aspy', [
    isImporting
      ? { id: 'import:stop', icon: CircleStop, name: 'Stop the import', run: stop }
      : { id: 'import:start', icon: Download, name: 'Import past sessions', run: start },
    {
      id: 'prompts',
      icon: Rows3,
      name: 'Show all prompts',
      run: () => void navigate({ to: '/recall', search: { tab: 'prompts' } }),
    },
    {
      id: 'suggestions',
      icon: Lightbulb,
      name: 'Show all suggestions',
      run: () => void navigate({ to: '/costs/advice' }),
    },
    {
      id: 'budget',
      icon: Wallet,
      name: 'Set a budget',
      run: () => void navigate({ to: '/settings', search: { q: 'budgets' } }),
    },
    {
      id: 'cap',
      icon: Shield,
      name: 'Set a spending cap',
      run: () => void navigate({ to: '/guard' }),
    },
    {
      id: 'reload',
      icon: RefreshCw,
      name: 'Reload the data of this view',
      run: () => void queries.invalidateQueries(),
    },
    { id: 'off', icon: Power, name: 'Switch off or stop Aspy', run: onRecording },
    { id: 'shortcuts', icon: Keyboard, name: 'Show keyboard shortcuts', keys: '?', run: onShortcuts },
  ])
  useCommands('Sections', [
    ...COSTS_TABS.map(({ value: tab, name }) => ({
      id: `costs:${tab}`,
      icon: Wallet,
      name: `Costs: ${name}`,
      run: () => void navigate({ to: '/costs', search: { tab } }),
    })),
    ...Object.entries({ ...COMMON, ...ADVANCED }).map(([section, name]) => ({
      id: `settings:${section}`,
      icon: Settings,
      name: `Settings: ${name}`,
      run: () => void navigate({ to: '/settings', search: { q: `${section}.` } }),
    })),
    ...['Files and blame of a session', 'Export a session'].map((name) => ({
      id: `session:${name}`,
      icon: FileText,
      name: `${name}: choose it in Sessions`,
      run: () => void navigate({ to: '/sessions' }),
    })),
  ])
  useCommands(
    'Go to',
    VIEWS.map((view) => ({
      id: view.to,
      icon: view.icon,
      name: view.name,
      keys: `g ${view.key}`,
      run: () => void navigate({ to: view.to }),
    })),
  )
}
