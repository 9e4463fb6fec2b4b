import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { SpecName } from './desktop-specs.ts'

const project = join(import.meta.dirname, '../../..')

/** A guard taken out of the built app, and the spec that must then fail. */
export interface PlantedFault {
  readonly guard: string
  /** Text of the bundles, exactly as it is built, and its replacement; the text must be found. */
  readonly patches: readonly (readonly [text: string, instead: string])[]
  readonly spec: SpecName
}

/** Guards whose absence leaves the app running, so that one app can be without all of them at once. */
export const faultsOfAPage: readonly PlantedFault[] = [
  {
    guard: 'the sender of a message is checked',
    patches: [['return frame !== null && frame.parent === null && isOwnPage(frame.url);', 'return true;']],
    spec: 'a frame that is not the window itself gets no answer',
  },
  {
    guard: 'no window is opened',
    patches: [['return { action: "deny" };', 'return { action: "allow" };']],
    spec: 'opens no window',
  },
  {
    guard: 'the page has a content security policy',
    // It is in the page and in its headers.
    patches: [
      ['"content-security-policy": CONTENT_SECURITY_POLICY,', ''],
      ['http-equiv="Content-Security-Policy"', 'name="none"'],
    ],
    spec: 'its page runs only its own code, and connects to nothing else',
  },
  {
    guard: 'files are looked for in the folder of the window alone',
    patches: [['return file.startsWith(base + sep) ? file : null;', 'return file;']],
    spec: 'serves only its own files',
  },
  {
    guard: 'rights are refused',
    patches: [['return RIGHTS.has(permission) && isOwnPage(page);', 'return true;']],
    spec: 'its page may write to the clipboard, and has no other permission',
  },
  {
    guard: 'nothing is loaded from a network',
    patches: [['function mayLoad(address, isPackaged) {', 'function mayLoad(address, isPackaged) { return true;']],
    spec: 'loads nothing from a network',
  },
  {
    guard: 'the page stays where it is',
    patches: [['if (!isOwnPage(event.url)) event.preventDefault();', '']],
    spec: 'navigates to no other page',
  },
  {
    guard: 'a terminal is opened for ids of Claude Code alone',
    patches: [['if (typeof id === "string" && isResumable(id)) return id;', 'return id;']],
    spec: 'opens a terminal only in the folder of a known session',
  },
]

/** Guards that need an app of their own. */
export const faultsOfTheApp: readonly PlantedFault[] = [
  {
    guard: 'only addresses of the web are handed to the browser',
    patches: [['if (mayOpenOutside(url)) shell.openExternal(url);', 'shell.openExternal(url);']],
    spec: 'passes only web addresses to the browser',
  },
  {
    guard: 'the bridge has two functions',
    patches: [
      [
        'exposeInMainWorld("aspy", {',
        'exposeInMainWorld("aspy", { send: (...args) => electron.ipcRenderer.send(...args),',
      ],
    ],
    spec: 'its page has two functions, and they call operations',
  },
  {
    guard: 'the window is sandboxed',
    patches: [['sandbox: true,', 'sandbox: false,']],
    spec: 'shows its first view',
  },
  {
    guard: 'what the window does not need waits',
    patches: [['\nstartDesktop();', '\nawait import("prom-client");\nstartDesktop();']],
    spec: 'loads nothing before its window that the window does not need',
  },
  {
    guard: 'the preload is CommonJS',
    patches: [['let electron = require("electron");', 'import electron from "electron";']],
    spec: 'shows its first view',
  },
  {
    guard: 'nobody waits for Electron on the way to its being ready',
    patches: [['\nstartDesktop();', '\nawait app.whenReady();\nstartDesktop();']],
    spec: 'shows its first view',
  },
  {
    guard: 'one window a data folder',
    patches: [['if (!app.requestSingleInstanceLock()) return app.quit();', '']],
    spec: 'a second start shows the first window, hands over its link, and exits',
  },
  {
    guard: 'links are read strictly',
    patches: [
      [String.raw`(session|event)\/([\w.-]{1,200})$/`, String.raw`(session|event)\/(.*)$/`],
      ['if (search !== "" || pathname !== `/${id}`) return null;', ''],
    ],
    spec: 'a link that names no view opens nothing',
  },
  {
    guard: 'the app stays when its window is closed',
    patches: [['function staysWhenClosed({ app }, on) {', 'function staysWhenClosed({ app }, on) { return false;']],
    spec: 'keeps capturing when its window is closed, and shows the session when it is reopened',
  },
  {
    guard: 'a recorder that ended is started again',
    patches: [['setTimeout(() => this.#spawn(), wait)', 'setTimeout(() => undefined, wait)']],
    spec: 'a killed recorder restarts, is reported, and loses nothing',
  },
  {
    guard: 'who quits is asked while clients run',
    patches: [['if (!(!isAsking || await mayQuit().catch(failed(true))) && isAsking) {', 'if (false) {']],
    spec: 'quitting asks first, names the number of sessions that use the proxy, and can be cancelled',
  },
  {
    guard: 'a quit is held back until all has ended',
    patches: [['if (state === "ended") return false;', 'return false;']],
    spec: 'quits in order: no process is left, and the database is intact',
  },
]

/**
 * Makes a copy of the built app in `folder`, with these texts of its bundles put in others' place. Throws where a text
 * is not there: the fault would be none.
 */
export function plantFaults(folder: string, faults: readonly PlantedFault[]): string {
  for (const name of ['node_modules', 'resources', 'package.json']) symlinkSync(join(project, name), join(folder, name))
  mkdirSync(join(folder, 'out', 'main'), { recursive: true })
  mkdirSync(join(folder, 'out', 'preload'))
  mkdirSync(join(folder, 'out', 'renderer'))
  for (const name of ['assets', 'icon.svg']) {
    symlinkSync(join(project, 'out/renderer', name), join(folder, 'out/renderer', name))
  }
  cpSync(join(project, 'out/main/migrations'), join(folder, 'out/main/migrations'), { recursive: true })
  const missing = new Set(faults.flatMap(({ patches }) => patches.map(([text]) => text)))
  for (const bundle of globSync(['out/main/*.js', 'out/preload/*.cjs', 'out/renderer/index.html'], { cwd: project })) {
    let text = readFileSync(join(project, bundle), 'utf8')
    for (const [from, instead] of faults.flatMap(({ patches }) => patches)) {
      if (!text.includes(from)) continue
      missing.delete(from)
      text = text.replaceAll(from, instead)
    }
    writeFileSync(join(folder, bundle), text)
  }
  if (missing.size > 0) throw new Error(`the bundles do not hold: ${[...missing].join(' | ')}`)
  if (!existsSync(join(folder, 'out/main/index.js'))) throw new Error(`${basename(folder)}: the app is not built`)
  return folder
}
