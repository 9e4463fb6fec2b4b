import { projectFolder } from '../../shared/project-name.ts'
import type { MenuItemConstructorOptions } from 'electron'
import type { GUARD_DECISIONS, HeldRequest } from '../../shared/contract/guard.ts'
import { formatUsd } from '../../shared/usd.ts'
import { waitedFor } from '../keeper/control.ts'
import type { DesktopStatus } from './status-watch.ts'

/** Actions of the menus. They open the window if necessary. */
export interface MenuActions {
  open(address?: string): void
  recall(): void
  quit(): void
  /** Available only if a new version is ready. */
  update(): void
  /** Decides about a request that waits. */
  decide(id: string, decision: (typeof GUARD_DECISIONS)[number]): void
}

/** Limit of waiting requests in the menu. The window shows all. */
const MAX_HELD = 5

/** State shown in the tray in addition to the status. */
export interface TrayExtras {
  /** Why the Recall shortcut does not work; null if it works or none is configured. */
  readonly shortcutFault: string | null
  /** The Recall shortcut in Electron's notation; '' if none is configured. */
  readonly shortcut: string
  /** A downloaded version that will be installed on restart; null if there is none. */
  readonly update: string | null
}

/** Returns the tray menu: the status, then the actions. */
export function trayMenu(
  status: DesktopStatus,
  extras: TrayExtras,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const line = (label: string): MenuItemConstructorOptions => ({ label, enabled: false })
  return [
    ...heldItems(status.held, actions),
    line(captureLine(status)),
    ...(status.trouble === null
      ? []
      : [{ label: status.trouble.slice(0, 80), click: () => actions.open('/health') } as const]),
    ...(status.waits === 0 ? [] : [line(`Waits for ${waitedFor(status.waits)}`)]),
    line(status.sessions === 1 ? '1 session active' : `${status.sessions} sessions active`),
    line(status.costTodayUsd === null ? 'Cost today: unknown' : `Cost today: ${formatUsd(status.costTodayUsd)}`),
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

function heldItems(held: readonly HeldRequest[], actions: MenuActions): MenuItemConstructorOptions[] {
  if (held.length === 0) return []
  const items = held.slice(0, MAX_HELD).map(({ id, project, over: { cap } }): MenuItemConstructorOptions => ({
    label: `${nameOf(project)}: ${cap}`.slice(0, 80),
    submenu: [
      { label: 'Allow once', click: () => actions.decide(id, 'once') },
      ...(cap === 'unpriced' ? [] : [{ label: 'Raise the cap', click: () => actions.decide(id, 'raise') }]),
      { label: 'Stop', click: () => actions.decide(id, 'stop') },
    ],
  }))
  return [{ label: heldLine(held), click: () => actions.open() }, ...items, { type: 'separator' }]
}

const heldLine = ({ length }: readonly HeldRequest[]): string =>
  length === 1 ? '1 request waits for your decision' : `${length} requests wait for your decision`

const nameOf = (project: string | null): string => projectFolder(project) ?? 'No project'

/** Returns the tooltip of the tray icon. */
export function trayTooltip(status: DesktopStatus): string {
  const cost = status.costTodayUsd === null ? '' : ` · ${formatUsd(status.costTodayUsd)} today`
  const held = status.held.length === 0 ? '' : ` · ${heldLine(status.held)}`
  return `Aspy${held} · ${captureLine(status)} · ${status.sessions} active${cost}`
}

function captureLine({ capture }: DesktopStatus): string {
  switch (capture) {
    case 'starting':
      return 'Starting'
    case 'capturing':
      return 'Capturing'
    case 'failing':
      return 'Recording has problems'
    case 'off':
      return 'Recording is off'
    case 'gone':
      return 'Not connected'
  }
}
