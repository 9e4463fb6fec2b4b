import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { strict, strictClass } from './strict.ts'

/**
 * What Electron has of the system around it: tray, menus, notices, keys, dialogs, screens, power. Nothing is shown;
 * what the app does here is kept by `watch-electron.cjs`, as on Electron itself.
 */

interface Item {
  readonly label?: string
  readonly role?: string
  readonly type?: string
  readonly enabled?: boolean
  readonly submenu?: readonly Item[]
  readonly click?: () => void
}

class BuiltMenu {
  readonly items: readonly (Omit<Item, 'submenu'> & { readonly submenu?: BuiltMenu })[]
  constructor(template: readonly Item[]) {
    checkItems(template)
    this.items = template.map(({ submenu, ...item }) =>
      submenu === undefined ? item : { ...item, submenu: new BuiltMenu(submenu) },
    )
  }
}

function checkItems(template: readonly Item[]): void {
  for (const { label, role, type, submenu = [] } of template) {
    if (label === undefined && role === undefined && type !== 'separator') {
      throw new Error('electron (test double): a menu item needs a label, a role or the type separator')
    }
    checkItems(submenu)
  }
}

export const Menu = strict('Menu', {
  buildFromTemplate: (template: readonly Item[]) => new BuiltMenu(template),
  setApplicationMenu(menu: BuiltMenu | null) {
    if (menu !== null && !(menu instanceof BuiltMenu)) throw new TypeError('electron (test double): not a menu')
  },
})

class DoubleImage {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}
export const nativeImage = strict('nativeImage', {
  createFromPath(path: string) {
    // Electron gives an empty image, which nobody sees.
    if (!existsSync(path)) throw new Error(`electron (test double): there is no image ${path}`)
    return new DoubleImage(path)
  },
})

class DoubleTray extends EventEmitter {
  constructor(image: DoubleImage) {
    super()
    if (!(image instanceof DoubleImage)) throw new TypeError('electron (test double): a tray needs an image')
  }
  setToolTip(text: string): void {
    if (typeof text !== 'string') throw new TypeError('electron (test double): a tooltip is a text')
  }
  setContextMenu(menu: BuiltMenu): void {
    if (!(menu instanceof BuiltMenu)) throw new TypeError('electron (test double): not a menu')
  }
  destroy(): void {
    this.removeAllListeners()
  }
}
export const Tray = strictClass('Tray', DoubleTray)

class DoubleNotification extends EventEmitter {
  readonly title: string
  readonly body: string
  constructor({ title, body }: { title: string; body: string }) {
    super()
    this.title = title
    this.body = body
  }
  show(): void {
    this.emit('show')
  }
  static isSupported(): boolean {
    return true
  }
}
export const Notification = strictClass('Notification', DoubleNotification)

const keys = new Map<string, () => void>()
const KEY =
  /^((Command|Cmd|Control|Ctrl|CommandOrControl|CmdOrCtrl|Alt|Option|AltGr|Shift|Super|Meta)\+)*([A-Z0-9]|F\d{1,2}|Space|Tab|Enter|Up|Down|Left|Right)$/
export const globalShortcut = strict('globalShortcut', {
  register(accelerator: string, callback: () => void): boolean {
    if (!KEY.test(accelerator)) throw new TypeError('Error processing argument at index 0, conversion failure')
    if (keys.has(accelerator)) return false
    keys.set(accelerator, callback)
    return true
  },
  unregister: (accelerator: string) => void keys.delete(accelerator),
  unregisterAll: () => keys.clear(),
  isRegistered: (accelerator: string) => keys.has(accelerator),
})
export const powerMonitor = strict('powerMonitor', new EventEmitter())

const display = { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1080 } }
export const screen = strict('screen', { getAllDisplays: () => [display] })

export const dialog = strict('dialog', {
  async showMessageBox({ message }: { message: string }): Promise<{ response: number }> {
    throw new Error(`electron (test double): nobody answers "${message}"`)
  },
  showErrorBox(title: string, content: string): void {
    process.stderr.write(`${title}: ${content}\n`)
  },
})

export const shell = strict('shell', {
  async openExternal(url: string) {
    throw new Error(`electron (test double): there is no browser for ${url}`)
  },
})
