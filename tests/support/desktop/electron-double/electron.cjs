// What `require('electron')` and `import … from 'electron'` give: names spelled out, so that both ways see them.
const api = globalThis[Symbol.for('electron-double')]
exports.app = api.app
exports.BrowserWindow = api.BrowserWindow
exports.dialog = api.dialog
exports.globalShortcut = api.globalShortcut
exports.ipcMain = api.ipcMain
exports.Menu = api.Menu
exports.nativeImage = api.nativeImage
exports.Notification = api.Notification
exports.powerMonitor = api.powerMonitor
exports.protocol = api.protocol
exports.screen = api.screen
exports.session = api.session
exports.shell = api.shell
exports.Tray = api.Tray
exports.webContents = api.webContents
