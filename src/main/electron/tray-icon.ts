import { join } from 'node:path'
import { Menu, nativeImage, Tray } from 'electron'
import type { DesktopStatus } from './status-watch.ts'
import { trayMenu, trayTooltip, type MenuActions, type TrayExtras } from './tray-menu.ts'

export type TrayIcon = ReturnType<typeof createTrayIcon>

/** Creates the tray icon. Throws if the system has no tray. */
export function createTrayIcon(icons: string, actions: MenuActions) {
  // macOS draws a template image in the colour of the menu bar, and finds the `@2x` file itself.
  const name = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  const tray = new Tray(nativeImage.createFromPath(join(icons, name)))
  let shown = ''
  tray.on('click', () => {
    if (process.platform !== 'darwin') actions.open()
  })
  return {
    update(status: DesktopStatus, extras: TrayExtras) {
      const template = trayMenu(status, extras, actions)
      // On some systems, setting a menu closes the open one, so it is set only when it changes.
      const text = JSON.stringify(template)
      if (text === shown) return
      shown = text
      tray.setToolTip(trayTooltip(status))
      tray.setContextMenu(Menu.buildFromTemplate(template))
    },
    destroy: () => tray.destroy(),
  }
}
