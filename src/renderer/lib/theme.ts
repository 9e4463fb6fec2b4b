/** The window's colours: the choice is kept in this browser, `system` follows the machine. */

export const THEMES = ['system', 'light', 'dark', 'solarized-light', 'solarized-dark'] as const
export type Theme = (typeof THEMES)[number]

export const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
  'solarized-light': 'Solarized light',
  'solarized-dark': 'Solarized dark',
}

const STORAGE_KEY = 'aspy.theme'
const listeners = new Set<() => void>()

/** The theme that was chosen here, else the configured one, else the system's. */
let chosen: Theme = stored() ?? 'system'

function stored(): Theme | null {
  const value = typeof localStorage === 'undefined' ? null : localStorage.getItem(STORAGE_KEY)
  return THEMES.find((theme) => theme === value) ?? null
}

function darkSystem(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: dark)')
}

function apply(): void {
  const theme = chosen === 'system' ? (darkSystem().matches ? 'dark' : 'light') : chosen
  document.documentElement.dataset['theme'] = theme
  for (const listener of listeners) listener()
}

/** Sets the colours before the first paint and follows the system from then on. */
export function startTheme(): void {
  apply()
  darkSystem().addEventListener('change', apply)
}

/** Chooses a theme for this browser. */
export function chooseTheme(theme: Theme): void {
  chosen = theme
  localStorage.setItem(STORAGE_KEY, theme)
  apply()
}

/** Takes the theme of the settings file where nothing was chosen here. */
export function configuredTheme(value: unknown): void {
  const theme = THEMES.find((known) => known === value)
  if (theme === undefined || stored() !== null) return
  chosen = theme
  apply()
}

/** The theme of the settings file was chosen just now: it holds here too. */
export function followConfiguredTheme(value: unknown): void {
  localStorage.removeItem(STORAGE_KEY)
  configuredTheme(value)
}

export function currentTheme(): Theme {
  return chosen
}

export function subscribeTheme(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
