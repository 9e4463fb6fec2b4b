import { configSchema } from '../../shared/config.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'

const defaults = configSchema.parse({})

/** The settings that the desktop shell uses. */
export interface DesktopSettings {
  readonly app: Pick<typeof defaults.app, 'close_to_tray' | 'recall_shortcut' | 'start_at_login' | 'update_url'>
  readonly notices: Pick<typeof defaults.notices, 'budget_reached' | 'capture_stopped' | 'long_turn_minutes'>
}

export const DEFAULT_SETTINGS: DesktopSettings = defaults

/** Extracts them from `config.get`. The app may be another version; settings it does not know get their defaults. */
export function desktopSettings({ items }: OperationOutput<'config.get'>): DesktopSettings {
  const given: Record<string, Record<string, unknown>> = {}
  for (const { key, value } of items) {
    const [section = '', name = ''] = key.split('.')
    if (section in DEFAULT_SECTIONS) (given[section] ??= {})[name] = value
  }
  const parsed = configSchema.pick({ app: true, notices: true }).safeParse(given)
  return parsed.success ? parsed.data : defaults
}

const DEFAULT_SECTIONS = { app: true, notices: true }

/** Returns whether the app keeps running when its window is closed: in the tray, or in the Dock on macOS. */
export function staysWhenClosed(
  { app }: DesktopSettings,
  on: { readonly hasTray: boolean; readonly platform: NodeJS.Platform },
): boolean {
  return on.platform === 'darwin' || (on.hasTray && app.close_to_tray)
}

/** Applies settings to the system. Each effect runs only when its setting has changed. */
export function settingsEffects(effects: {
  readonly shortcut: { apply(accelerator: string): void }
  readonly updates: { apply(url: string): void }
  readonly login: (isWanted: boolean) => void
  readonly onFault: (error: unknown) => void
}): (settings: DesktopSettings) => void {
  let isLoginApplied: boolean | null = null
  return ({ app }) => {
    effects.shortcut.apply(app.recall_shortcut)
    effects.updates.apply(app.update_url)
    if (app.start_at_login === isLoginApplied) return
    isLoginApplied = app.start_at_login
    try {
      effects.login(isLoginApplied)
    } catch (error) {
      effects.onFault(error)
    }
  }
}
