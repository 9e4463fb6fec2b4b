import type { MenuItemConstructorOptions } from 'electron'
import type { DesktopStatus } from './status-watch.ts'

/** What a person can do from menus; each opens the window where it has to. */
export interface MenuActions {
  open(address?: string): void
  recall(): void
  quit(): void
  /** Only where a new version waits. */
  update(): void
}

/** What the tray knows besides the status. */
export interface TrayExtras {
  /** Why the keys for Recall do nothing; null: they work, or none are wanted. */
  readonly shortcutFault: string | null
  /** The keys for Recall, as Electron writes them; empty: none. */
  readonly shortcut: string
  /** A version that was fetched and waits for a restart. */
  readonly update: string | null
}

/** The tray's menu: how it stands, then what can be done. */
export function trayMenu(
  status: DesktopStatus,
  extras: TrayExtras,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const line = (label: string): MenuItemConstructorOptions => ({ label, enabled: false })
  return [
    line(captureLine(status)),
    ...(status.trouble === null
      ? []
      : [{ label: status.trouble.slice(0, 80), click: () => actions.open('/health') } as const]),
    line(status.sessions === 1 ? '1 session active' : `${status.sessions} sessions active`),
    line(status.costTodayUsd === null ? 'Cost today: unknown' : `Cost today: $${status.costTodayUsd.toFixed(2)}`),
    { type: 'separator' },
    {
      label: 'Recall…',
      click: () => actions.recall(),
      ...(extras.shortcut === '' || extras.shortcutFault !== null
        ? {}
        : { accelerator: extras.shortcut, registerAccelerator: false }),
    },
    ...(extras.shortcutFault === null ? [] : [line(extras.shortcutFault)]),
    { label: 'Open Aspy', click: () => actions.open() },
    { label: 'Settings', click: () => actions.open('/settings') },
    { type: 'separator' },
    ...(extras.update === null
      ? []
      : [{ label: `Restart to update to ${extras.update}`, click: () => actions.update() } as const]),
    { label: 'Quit Aspy', click: () => actions.quit() },
  ]
}

/** One line for the pointer that rests on the tray. */
export function trayTooltip(status: DesktopStatus): string {
  const cost = status.costTodayUsd === null ? '' : ` · $${status.costTodayUsd.toFixed(2)} today`
  return `Aspy · ${captureLine(status)} · ${status.sessions} active${cost}`
}

function captureLine({ capture }: DesktopStatus): string {
  switch (capture) {
    case 'starting':
      return 'Starting'
    case 'capturing':
      return 'Capturing'
    case 'failing':
      return 'Not recording as it should'
    case 'off':
      return 'Recording is switched off'
    case 'gone':
      return 'Not connected'
  }
}
