import { readFileSync, statSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { becomeReady, bootstrap, modules, openBrowser } from './api.ts'
import { startChromium } from './chromium.ts'

/** Entry of the double: resolves `electron` to the double's API, then runs what `-r` names and the app itself. */

const shim = new URL('electron.cjs', import.meta.url).href
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'electron') return { url: shim, format: 'commonjs', shortCircuit: true }
    const found = next(specifier, context)
    modules.loaded.push(found.url)
    return found
  },
})

const args = process.argv.slice(2)
const required: string[] = []
let appPath: string | null = null
for (let i = 0; i < args.length; i += 1) {
  const argument = args[i] ?? ''
  if (argument === '-r') {
    i += 1
    required.push(args[i] ?? '')
  } else if (!argument.startsWith('-') && appPath === null) {
    appPath = resolve(argument)
  }
}
if (appPath === null) throw new Error('electron (test double): name the app to run')

// As in Electron, the program that runs is the one that an app starts again.
process.execPath = join(import.meta.dirname, 'electron')
process.argv = [process.execPath, ...args]
Object.defineProperty(process.versions, 'electron', { value: '0.0.0-double' })
const folder = statSync(appPath).isDirectory() ? appPath : null
const manifest =
  folder === null ? null : (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main: string })
bootstrap(startChromium, folder ?? join(appPath, '..'))
const require = createRequire(import.meta.url)
for (const file of required) require(file)
// Whoever drives this from outside waits for the browser's address, and counts on what `-r` named from then on.
if (args.some((argument) => argument.startsWith('--remote-debugging-port'))) await openBrowser()

modules.beforeApp = modules.loaded.length
const before = performance.now()
await import(pathToFileURL(manifest === null || folder === null ? appPath : join(folder, manifest.main)).href)
modules.evaluationMs = performance.now() - before
modules.beforeReady = modules.loaded.length
becomeReady()
