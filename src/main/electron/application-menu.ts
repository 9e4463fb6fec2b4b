import type { MenuItemConstructorOptions } from 'electron'
import type { MenuActions } from './tray-menu.ts'

const ABOUT: MenuItemConstructorOptions = { role: 'help', submenu: [{ role: 'about' }] }
const VIEWS = ['Live', 'Sessions', 'Recall', 'Costs', 'Tools', 'Health', 'Guard'] as const

/** Returns the application menu in each platform's conventional layout. */
export function applicationMenu(
  platform: NodeJS.Platform,
  { isPackaged }: { readonly isPackaged: boolean },
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const settings: MenuItemConstructorOptions = {
    label: isMac ? 'Settings…' : 'Settings',
    accelerator: 'CommandOrControl+,',
    click: () => actions.open('/settings'),
  }
  // Not the built-in role: the user must be asked first if sessions still use the proxy.
  const quit: MenuItemConstructorOptions = {
    label: platform === 'win32' ? 'Exit' : 'Quit Aspy',
    accelerator: 'CommandOrControl+Q',
    click: () => actions.quit(),
  }
  const ownMenu: MenuItemConstructorOptions = isMac
    ? {
        label: 'Aspy',
        submenu: [
          { role: 'about' },
          { type: 'separator' },
          settings,
          { type: 'separator' },
          { role: 'services' },
          { type: 'separator' },
          { role: 'hide' },
          { role: 'hideOthers' },
          { role: 'unhide' },
          { type: 'separator' },
          quit,
        ],
      }
    : {
        label: '&File',
        submenu: [settings, { type: 'separator' }, { role: 'close' }, { type: 'separator' }, quit],
      }
  return [
    ownMenu,
    { role: 'editMenu' },
    {
      label: isMac ? 'View' : '&View',
      submenu: [
        ...VIEWS.map((label, index): MenuItemConstructorOptions => {
          const address = `/${label.toLowerCase()}`
          return { label, accelerator: `CommandOrControl+${index + 1}`, click: () => actions.open(address) }
        }),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(isPackaged ? [] : [{ role: 'reload' } as const, { role: 'toggleDevTools' } as const]),
      ],
    },
    { role: 'windowMenu' },
    ...(isMac ? [] : [ABOUT]),
  ]
}
