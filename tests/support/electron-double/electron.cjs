// What `require('electron')` and `import … from 'electron'` give: names spelled out, so that both ways see them.
const api = globalThis[Symbol.for('electron-double')]
exports.app = api.app
exports.BrowserWindow = api.BrowserWindow
exports.ipcMain = api.ipcMain
exports.Menu = api.Menu
exports.protocol = api.protocol
exports.session = api.session
exports.shell = api.shell
exports.webContents = api.webContents
