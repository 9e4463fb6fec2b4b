// Loaded before the app's code, by Electron and by the double: keeps what the app shows to the system, presses its keys,
// answers its questions, and keeps its threads where a spec can end one of them.
const threads = require('node:worker_threads')
const { registerHooks, syncBuiltinESMExports } = require('node:module')
const { app, dialog, globalShortcut, Notification, shell, Tray } = require('electron')

const { Worker } = threads
const kept = []
threads.Worker = class extends Worker {
  constructor(entry, options) {
    super(entry, options)
    kept.push({ name: options?.name ?? '', worker: this })
  }
}
syncBuiltinESMExports()
globalThis.keptWorkers = kept

/** `answers`: what the next questions are answered with, by the place of the button. */
const shown = { tray: null, notices: [], questions: [], answers: [], opened: [] }
/** Calls `watch` with what a function is given, then the function itself. */
function watched(owner, name, watch) {
  const own = owner[name]
  owner[name] = function (...args) {
    watch.apply(this, args)
    return own.apply(this, args)
  }
}
watched(Tray.prototype, 'setToolTip', (tooltip) => (shown.tray = { menu: null, ...shown.tray, tooltip }))
watched(Tray.prototype, 'setContextMenu', (menu) => (shown.tray = { tooltip: '', ...shown.tray, menu }))
watched(Tray.prototype, 'destroy', () => (shown.tray = null))
watched(Notification.prototype, 'show', function () {
  shown.notices.push(this)
})
dialog.showMessageBox = async (options) => {
  shown.questions.push(options)
  const response = shown.answers.shift()
  if (response === undefined) throw new Error(`nobody answers "${options.message}"`)
  return { response }
}
shell.openExternal = async (url) => void shown.opened.push(url)

const keys = new Map()
const { register } = globalShortcut
globalShortcut.register = (accelerator, callback) => {
  const isRegistered = register.call(globalShortcut, accelerator, callback)
  if (isRegistered) keys.set(accelerator, callback)
  return isRegistered
}
/** As if a person pressed them; false: the app never had them. */
function press(accelerator) {
  keys.get(accelerator)?.()
  return keys.has(accelerator)
}

/** Addresses of the modules that were asked for, and how many of them before the app's own and before Electron was ready. */
function watchModules() {
  const modules = { loaded: [], beforeApp: 0, beforeReady: 0 }
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      modules.loaded.push(found.url)
      return found
    },
  })
  app.once('ready', () => (modules.beforeReady = modules.loaded.length))
  return modules
}
globalThis.watchedElectron = { shown, press, modules: globalThis.electronDouble?.modules ?? watchModules() }
