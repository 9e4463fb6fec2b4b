/** The window's theme. The choice is stored in the browser; `system` follows the operating system. */

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

/** The theme chosen in this browser, else the configured one, else `system`. */
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

/** Applies the theme before the first paint and follows changes of the system. */
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

/** Applies the configured theme unless one was chosen in this browser. */
export function configuredTheme(value: unknown): void {
  const theme = THEMES.find((known) => known === value)
  if (theme === undefined || stored() !== null) return
  chosen = theme
  apply()
}

/** Applies a configured theme that was just saved, and forgets the browser's own choice. */
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
