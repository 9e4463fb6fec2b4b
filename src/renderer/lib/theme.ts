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

/** Themes that `system` can use by day and by night. */
export const SYSTEM_LOOKS = {
  light: ['light', 'solarized-light'],
  dark: ['dark', 'solarized-dark'],
} as const satisfies Record<string, readonly Theme[]>
type Brightness = keyof typeof SYSTEM_LOOKS

const STORAGE_KEY = 'aspy.theme'
const systemKey = (brightness: Brightness): string => `${STORAGE_KEY}.${brightness}`
const listeners = new Set<() => void>()

/** The theme chosen in this browser, else the configured one, else `system`. */
let chosen: Theme = stored() ?? 'system'

function stored(): Theme | null {
  const value = typeof localStorage === 'undefined' ? null : localStorage.getItem(STORAGE_KEY)
  return THEMES.find((theme) => theme === value) ?? null
}

const darkSystem = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

/** Returns the theme that `system` uses while the operating system is light or dark. */
export function systemLook(brightness: Brightness): Exclude<Theme, 'system'> {
  const kept = localStorage.getItem(systemKey(brightness))
  return SYSTEM_LOOKS[brightness].find((theme) => theme === kept) ?? brightness
}

/** Chooses the theme that `system` uses in this browser while the operating system is light or dark. */
export function chooseSystemLook(brightness: Brightness, theme: string): void {
  localStorage.setItem(systemKey(brightness), theme)
  apply()
}

function apply(): void {
  const theme = chosen === 'system' ? systemLook(darkSystem().matches ? 'dark' : 'light') : chosen
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

export const currentTheme = (): Theme => chosen

export function subscribeTheme(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
