import { join } from 'node:path'
import { Menu, nativeImage, Tray } from 'electron'
import type { DesktopStatus } from './status-watch.ts'
import { trayMenu, trayTooltip, type MenuActions, type TrayExtras } from './tray-menu.ts'

export interface TrayIcon {
  update(status: DesktopStatus, extras: TrayExtras): void
  destroy(): void
}

/** The icon in the tray. Throws where the system has no tray. */
export function createTrayIcon(icons: string, actions: MenuActions): TrayIcon {
  // On macOS a template is drawn in the colour of the menu bar; `@2x` is found beside it.
  const name = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  const tray = new Tray(nativeImage.createFromPath(join(icons, name)))
  let shown = ''
  tray.on('click', () => {
    if (process.platform !== 'darwin') actions.open()
  })
  return {
    update(status, extras) {
      const template = trayMenu(status, extras, actions)
      // A menu that is set anew closes under the pointer on some systems.
      const text = JSON.stringify(template)
      if (text === shown) return
      shown = text
      tray.setToolTip(trayTooltip(status))
      tray.setContextMenu(Menu.buildFromTemplate(template))
    },
    destroy: () => tray.destroy(),
  }
}
