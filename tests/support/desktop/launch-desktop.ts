import { join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import type { AspyBridge, BridgeAnswer } from '../../../src/shared/bridge.ts'
import type { Health } from '../../../src/shared/contract/health.ts'
import { until } from '../runner/until.ts'

const project = join(import.meta.dirname, '../../..')

/** With ASPY_REAL_ELECTRON=1 Electron itself runs the built bundles, else the double of this folder. */
export const onRealElectron = process.env['ASPY_REAL_ELECTRON'] === '1'

/** The window's own object, as the page sees it. */
type OwnWindow = { readonly aspy: AspyBridge }

export interface Desktop {
  readonly electron: ElectronApplication
  readonly dataDir: string
  /** The program that was started, to be started a second time. */
  readonly program: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** The window that is open now, or opens soon. */
  page(): Promise<Page>
  /** Asks an operation through the page's bridge. */
  call<T>(name: string, input?: object): Promise<T>
  health(): Promise<Health>
  close(): Promise<void>
  /** Ends it, in order or not. */
  end(): Promise<void>
}

export interface DesktopPlaces {
  readonly dataDir: string
  readonly upstream: string
  /** The built app, where it is another than the project's. */
  readonly appFolder?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Time limit for any step, in ms. */
  readonly patienceMs?: number
}

/** Starts the desktop app on free ports over a separate folder. */
export async function launchDesktop(places: DesktopPlaces): Promise<Desktop> {
  const { dataDir, upstream, appFolder = project, args = [], patienceMs = 60_000 } = places
  const double = join(project, 'tests/support/desktop/electron-double')
  if (onRealElectron) delete process.env['ELECTRON_OVERRIDE_DIST_PATH']
  else process.env['ELECTRON_OVERRIDE_DIST_PATH'] = double
  const env = {
    ...(process.env as Record<string, string>),
    // Nothing of the person who runs the tests: the start at login would be written there.
    HOME: dataDir,
    XDG_CONFIG_HOME: join(dataDir, 'xdg'),
    ASPY_DATA: dataDir,
    ASPY_PROXY_PORT: '0',
    ASPY_APP_PORT: '0',
    ASPY_PROXY_UPSTREAM: upstream,
    ...places.env,
  }
  const watch = join(import.meta.dirname, 'watch-electron.cjs')
  const electron = await _electron.launch({
    args: ['-r', watch, appFolder, ...args],
    env,
    timeout: patienceMs * 2,
  })
  electron.context().setDefaultTimeout(patienceMs)
  // Asked for now: an app that was closed has none any more.
  const child = electron.process()
  let said = ''
  child.stderr?.on('data', (text: Buffer) => (said += text.toString()))
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) process.stderr.write(`The desktop app ended with ${code}; it said:\n${said}\n`)
  })
  const program = onRealElectron ? await electron.evaluate(() => process.execPath) : join(double, 'electron')

  async function page(): Promise<Page> {
    const { exitCode, signalCode } = child
    if (exitCode !== null || signalCode !== null)
      throw new Error(`the desktop app has ended (${exitCode ?? signalCode})`)
    const find = () => electron.windows().find((window) => !window.isClosed())
    await until('a window is open', async () => find() !== undefined, patienceMs).catch(async (error: unknown) => {
      const windows = await electron.evaluate(({ BrowserWindow, webContents }) => [
        BrowserWindow.getAllWindows().length,
        webContents.getAllWebContents().map((contents) => contents.getURL()),
      ])
      throw new Error(`${String(error)}; the app has the windows ${JSON.stringify(windows)} and said:\n${said}`)
    })
    const open = find()
    if (open === undefined) throw new Error('the window closed as soon as it was open')
    // A window begins empty.
    await open.waitForFunction(() => 'aspy' in window)
    return open
  }
  async function call<T>(name: string, input: object = {}): Promise<T> {
    const answer: BridgeAnswer = await (
      await page()
    ).evaluate(([operation, given]) => (window as unknown as OwnWindow).aspy.call(operation, given), [
      name,
      input,
    ] as const)
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code}: ${answer.error.message}`)
    return JSON.parse(answer.json) as T
  }
  return {
    electron,
    dataDir,
    program: [program, appFolder],
    env,
    page,
    call,
    health: () => call<Health>('health.get'),
    close: () => electron.close(),
    async end() {
      child.kill('SIGKILL')
      await gone(child.pid ?? 0)
    },
  }
}

/** Waits until nothing of these processes is left. */
export function gone(...pids: readonly number[]): Promise<void> {
  return until(`the processes ${pids.join(', ')} are gone`, async () => pids.every((pid) => !isAlive(pid)))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
