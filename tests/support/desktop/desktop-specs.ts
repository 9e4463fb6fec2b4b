import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { OPEN_TERMINAL, type AspyBridge } from '../../../src/shared/bridge.ts'
import { ask } from '../app/ask.ts'
import { gone, onRealElectron, type Desktop } from './launch-desktop.ts'
import { until } from '../runner/until.ts'

/** What runs in the page sees this. */
type OwnWindow = { readonly aspy: AspyBridge }
/** What runs in the main process sees this, by `watch-electron.cjs`. */
interface Watched {
  readonly watchedElectron: {
    readonly shown: {
      readonly tray: { readonly tooltip: string; readonly menu: { readonly items: readonly TrayItem[] } | null } | null
      readonly notices: readonly { readonly title: string }[]
      readonly questions: readonly { readonly message: string }[]
      readonly answers: number[]
      readonly opened: readonly string[]
    }
    press(accelerator: string): boolean
    readonly modules: { readonly loaded: readonly string[]; readonly beforeApp: number; readonly beforeReady: number }
  }
}
interface TrayItem {
  readonly label?: string
  readonly click?: () => void
  readonly submenu?: { readonly items: readonly TrayItem[] }
}

const main = <T>(desktop: Desktop, look: (globals: Watched) => T): Promise<T> =>
  // The function itself travels as text.
  desktop.electron.evaluate(`(${look.toString()})(globalThis)` as never) as Promise<T>

async function trayLabels(desktop: Desktop): Promise<string[]> {
  return main(desktop, ({ watchedElectron }) =>
    (watchedElectron.shown.tray?.menu?.items ?? []).flatMap(({ label }) => (label ? [label] : [])),
  )
}

const TERMINAL_SESSION = '0f9b3c1e-5d2a-4c7b-9e8f-0123456789ab'

const specs = {
  'shows its first view': async (desktop) => {
    const page = await desktop.page()
    await page.getByRole('navigation').getByText('Live').waitFor()
    await expect.poll(() => page.url()).toMatch(/aspy/)
  },

  'loads nothing before its window that the window does not need': async (desktop) => {
    // The window is there, and has asked what it shows.
    expect((await desktop.health()).status).toBe('ok')
    const { ready, shown } = await main(desktop, ({ watchedElectron: { modules } }) => ({
      ready: modules.loaded.slice(modules.beforeApp, modules.beforeReady),
      shown: modules.loaded.slice(modules.beforeApp),
    }))
    const packages = (urls: readonly string[]) =>
      new Set(urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.slice(1) ?? []))
    expect([...packages(ready)]).toEqual([])
    expect(ready.length).toBeGreaterThan(0)
    expect([...packages(shown)]).toEqual(['better-sqlite3'])
    // All others are bundled: a name of each tells whose code a file has.
    const late = /\b(AppImageUpdater|McpServer|OTLPTraceExporter|Command) = class|class Command /
    const files = shown.filter((url) => url.startsWith('file:') && url.includes('/out/main/'))
    expect(files.filter((url) => late.test(readFileSync(new URL(url), 'utf8')))).toEqual([])
    expect(files.some((url) => readFileSync(new URL(url), 'utf8').includes('Hono'))).toBe(true)
  },

  'its page has two functions, and they call operations': async (desktop) => {
    const page = await desktop.page()
    const found = await page.evaluate(() => ({
      names: Object.keys((window as unknown as OwnWindow).aspy),
      types: Object.values((window as unknown as OwnWindow).aspy).map((value) => typeof value),
      leaked: ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron'].filter((name) => name in window),
    }))
    expect(found).toEqual({ names: ['call', 'subscribe'], types: ['function', 'function'], leaked: [] })
    expect((await desktop.health()).status).toBe('ok')
    const wrong = await page.evaluate(() => (window as unknown as OwnWindow).aspy.call('no.such', {}))
    expect(wrong).toMatchObject({ ok: false, error: { code: 'not_found' } })
  },

  'shows a session captured through the proxy while it streams': async (desktop) => {
    const page = await desktop.page()
    const { proxy_url } = await desktop.health()
    const batch = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const stop = (window as unknown as OwnWindow).aspy.subscribe(
            'live.subscribe',
            { kinds: ['user_prompt'] },
            (json) => {
              if (!json.includes('across the bridge')) return
              stop()
              resolve(json)
            },
            (error) => resolve(`ended: ${error?.message ?? 'no error'}`),
          )
        }),
    )
    let isHere = false
    const answer = batch.finally(() => (isHere = true))
    // What is asked before the page listens does not come.
    await until('a question comes', async () => {
      await (await ask(proxy_url ?? '', { prompt: 'A question that goes across the bridge' })).text()
      return isHere
    })
    expect(JSON.parse(await answer)).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({ kind: 'user_prompt', text: 'A question that goes across the bridge' }),
      ]),
    })
    await page.getByText('A question that goes across the bridge').first().waitFor()
  },

  'a request that waits is in the tray and a notification, and the tray decides about it': async (desktop) => {
    const { proxy_url } = await desktop.health()
    await desktop.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.blur())
    await desktop.call('config.set', { key: 'guard.decide_ms', value: 10_000 })
    await desktop.call('config.set', { key: 'guard.request_tokens', value: 10 })
    const answer = ask(proxy_url ?? '', { prompt: 'A question over the cap' })
    await until('the tray lists it', async () => (await trayLabels(desktop))[0] === '1 request waits for your decision')
    expect((await trayLabels(desktop))[1]).toBe('project: request_tokens')
    const decide = await main(desktop, ({ watchedElectron: { shown } }) => {
      const [, item] = shown.tray?.menu?.items ?? []
      const once = item?.submenu?.items.find(({ label }) => label === 'Allow once')
      once?.click?.()
      return { isFound: once !== undefined, notices: shown.notices.map(({ title }) => title) }
    })
    expect(decide.isFound).toBe(true)
    expect(decide.notices).toContain('A request waits for your decision')
    expect((await answer).status).toBe(200)
    await (await answer).text()
    await until('the tray forgets it', async () => !(await trayLabels(desktop))[0]?.includes('waits'))
    await desktop.call('config.set', { key: 'guard.request_tokens', value: 0 })
  },

  'keeps capturing when its window is closed, and shows the session when it is reopened': async (desktop) => {
    const { proxy_url } = await desktop.health()
    const page = await desktop.page()
    const closed = page.waitForEvent('close')
    await desktop.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    await closed
    // The page may close before its window.
    await until(
      'no window is left',
      async () => (await desktop.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)) === 0,
    )
    await (await ask(proxy_url ?? '', { prompt: 'Asked while no window is open' })).text()
    const opened = desktop.electron.waitForEvent('window')
    await desktop.electron.evaluate(({ app }) => void app.emit('activate'))
    await opened
    await until('it is recorded', async () => {
      const { items } = await desktop.call<{ items: { text: string }[] }>('events.recent', { kinds: ['user_prompt'] })
      return items.some(({ text }) => text === 'Asked while no window is open')
    })
  },

  'a second start shows the first window, hands over its link, and exits': async (desktop) => {
    const [program, ...args] = desktop.program
    const second = spawn(program, [...args, 'aspy://recall?q=solarized'], { env: desktop.env, stdio: 'ignore' })
    const patience = setTimeout(() => second.kill('SIGKILL'), 120_000)
    const [code] = (await once(second, 'exit')) as [number | null]
    clearTimeout(patience)
    expect(code).toBe(0)
    const page = await desktop.page()
    await page.waitForURL(/\/recall\?q=solarized$/)
    expect(await desktop.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
  },

  'a link that names no view opens nothing': async (desktop) => {
    // Addresses are noted instead of being loaded.
    await desktop.electron.evaluate(({ app, BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows()
      const asked: string[] = []
      if (window !== undefined) window.loadURL = async (url) => void asked.push(url)
      Reflect.set(globalThis, 'askedFor', asked)
      const event = { preventDefault: () => undefined }
      const links = 'aspy://settings aspy://session/../x aspy://session/a/b https://example.org/ javascript:alert(1)'
      for (const url of [...links.split(' '), 'aspy://recall?q=after']) app.emit('open-url', event, url)
    })
    const asked = () => desktop.electron.evaluate(() => Reflect.get(globalThis, 'askedFor') as string[])
    await until('the last link was followed', async () => (await asked()).at(-1)?.endsWith('/recall?q=after') === true)
    expect(await asked()).toEqual(['app://aspy/recall?q=after'])
    await desktop.electron.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows()
      if (window !== undefined) Reflect.deleteProperty(window, 'loadURL')
    })
  },

  'a killed recorder restarts, is reported, and loses nothing': async (desktop) => {
    const before = await desktop.health()
    await desktop.electron.evaluate(async () => {
      const { keptWorkers } = globalThis as unknown as {
        keptWorkers: { name: string; worker: { terminate(): Promise<number> } }[]
      }
      await keptWorkers.findLast(({ name }) => name === 'recorder')?.worker.terminate()
    })
    await (await ask(before.proxy_url ?? '', { prompt: 'Asked of a recorder that was killed' })).text()
    await until('the recorder is back', async () => {
      const { recorder, recorder_restarts } = await desktop.health()
      return recorder === 'running' && recorder_restarts === before.recorder_restarts + 1
    })
    await until('it is recorded', async () => {
      const { items } = await desktop.call<{ items: { text: string }[] }>('events.recent', { kinds: ['user_prompt'] })
      return items.some(({ text }) => text === 'Asked of a recorder that was killed')
    })
  },

  'a frame that is not the window itself gets no answer': async (desktop) => {
    const page = await desktop.page()
    const verdict = await page.evaluate(async () => {
      const frame = document.createElement('iframe')
      document.body.append(frame)
      const inner = frame.contentWindow as unknown as Partial<OwnWindow> | null
      try {
        if (inner?.aspy === undefined) return 'no bridge'
        const answer = await inner.aspy.call('health.get', undefined)
        return answer.ok ? 'answered' : answer.error.code
      } finally {
        frame.remove()
      }
    })
    // Electron gives a frame no bridge. On the double a frame has one, and what it sends is refused.
    expect(onRealElectron ? ['no bridge', 'forbidden'] : ['forbidden']).toContain(verdict)
  },

  'navigates to no other page': async (desktop) => {
    const page = await desktop.page()
    const before = page.url()
    // Listening, after the app's own listener, before the page tries.
    await desktop.electron.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      Reflect.set(
        globalThis,
        'wasRefused',
        new Promise<boolean>((resolve) => contents?.once('will-navigate', (event) => resolve(event.defaultPrevented))),
      )
    })
    await page.evaluate(
      (elsewhere) => {
        const link = document.createElement('a')
        link.href = elsewhere
        document.body.append(link)
        link.click()
        link.remove()
      },
      `${(await desktop.health()).upstream}/elsewhere`,
    )
    expect(await desktop.electron.evaluate(() => Reflect.get(globalThis, 'wasRefused') as Promise<boolean>)).toBe(true)
    expect((await desktop.health()).status).toBe('ok')
    expect(page.url()).toBe(before)
  },

  'opens no window': async (desktop) => {
    const page = await desktop.page()
    await page.evaluate(() => {
      window.open('app://aspy/settings')
      window.open('about:blank')
      window.open('smb://evil.example/share')
    })
    expect((await desktop.health()).status).toBe('ok')
    await until('no other window is open', async () => desktop.electron.windows().length === 1)
    expect(await desktop.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
    const opened = await desktop.electron.evaluate(({ webContents }) =>
      webContents
        .getAllWebContents()
        .flatMap((contents) => (contents as unknown as { opened?: string[] }).opened ?? []),
    )
    expect(opened).toEqual([])
  },

  'passes only web addresses to the browser': async (desktop) => {
    const page = await desktop.page()
    await page.evaluate(() => {
      window.open('app://aspy/settings')
      window.open('smb://evil.example/share')
      window.open('https://docs.example/')
    })
    const opened = () => main(desktop, ({ watchedElectron }) => watchedElectron.shown.opened)
    await until('the last one was passed on', async () => (await opened()).includes('https://docs.example/'))
    expect(await opened()).toEqual(['https://docs.example/'])
  },

  'opens a terminal only in the folder of a known session': async (desktop) => {
    const page = await desktop.page()
    const open = (input: object) =>
      page.evaluate(([name, given]) => (window as unknown as OwnWindow).aspy.call(name, given), [
        OPEN_TERMINAL,
        input,
      ] as const)
    const wrong = { session_id: `${TERMINAL_SESSION}; touch owned` }
    expect(await open(wrong)).toMatchObject({ ok: false, error: { code: 'bad_input' } })
    const unknown = { session_id: TERMINAL_SESSION.replace('0', '1'), project: desktop.dataDir }
    expect(await open(unknown)).toMatchObject({ ok: false, error: { code: 'not_found' } })

    const folder = join(realpathSync(desktop.dataDir), "it's $(touch owned); -x")
    const terminal = join(desktop.dataDir, 'terminal')
    const said = join(desktop.dataDir, 'terminal-said')
    mkdirSync(folder)
    const script = `#!/bin/sh\nprintf '%s|' "$PWD" "$@" >'${said}.part'\nmv '${said}.part' '${said}'\n`
    writeFileSync(terminal, script, { mode: 0o700 })
    // As on Linux wherever this runs: a person's own terminal is left alone.
    const asOn = (platform: string) =>
      desktop.electron.evaluate(
        (_electron, [file, value]) => {
          process.env['TERMINAL'] = file
          Object.defineProperty(process, 'platform', { value })
        },
        [terminal, platform] as const,
      )
    await asOn('linux')
    const started = { hook_event_name: 'SessionStart', source: 'startup', session_id: TERMINAL_SESSION, cwd: folder }
    await desktop.call('hooks.post', started)
    await until('the session is stored', async () =>
      desktop.call('sessions.get', { session_id: TERMINAL_SESSION }).then(
        () => true,
        () => false,
      ),
    )
    await desktop.electron.evaluate(
      ({ app }, link) => void app.emit('open-url', { preventDefault: () => undefined }, link),
      `aspy://session/${TERMINAL_SESSION}`,
    )
    await page.getByRole('button', { name: 'Resume in terminal' }).click()
    await until('the terminal was started', async () => existsSync(said))
    const words = readFileSync(said, 'utf8').split('|')
    expect(words.slice(0, 2)).toEqual([folder, '-e'])
    expect(words.slice(-4)).toEqual(['claude', '--resume', TERMINAL_SESSION, ''])
    await asOn(process.platform)
  },

  'its page runs only its own code, and connects to nothing else': async (desktop) => {
    const page = await desktop.page()
    const blocked = await page.evaluate(async () => {
      const violated = new Set<string>()
      const both = new Promise<void>((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => {
          if (violated.add(event.effectiveDirective).size === 2) resolve()
        })
      })
      const script = document.createElement('script')
      script.textContent = 'window.injected = true'
      document.body.append(script)
      await fetch('http://127.0.0.1:2999/').catch(() => undefined)
      if (!('injected' in window)) await both
      return { violated: [...violated].sort(), injected: 'injected' in window }
    })
    expect(blocked).toEqual({ violated: ['connect-src', 'script-src-elem'], injected: false })
  },

  'its page may write to the clipboard, and has no other permission': async (desktop) => {
    const page = await desktop.page()
    const states = await page.evaluate(async () => {
      const state = async (name: string) => (await navigator.permissions.query({ name: name as PermissionName })).state
      return Promise.all(['clipboard-write', 'clipboard-read', 'geolocation', 'notifications', 'midi'].map(state))
    })
    expect(states).toEqual(['granted', 'denied', 'denied', 'denied', 'denied'])
  },

  'serves only its own files': async (desktop) => {
    const page = await desktop.page()
    const statuses = await page.evaluate(() =>
      Promise.all(
        ['/index.html', '/%2e%2e/main/index.js', '/..%2f..%2fpackage.json', '/assets/none.js', '/%00.js'].map(
          async (path) => (await fetch(path)).status,
        ),
      ),
    )
    expect(statuses).toEqual([200, 404, 404, 404, 404])
  },

  'loads nothing from a network': async (desktop) => {
    const loaded = await desktop.electron.evaluate(async ({ session }) => {
      const { fetch } = session.defaultSession
      const status = (url: string) =>
        fetch(url).then(
          (response) => response.status,
          () => 'refused',
        )
      return Promise.all(['http://127.0.0.1:9/', 'file:///etc/hostname'].map(status))
    })
    expect(loaded).toEqual(['refused', 'refused'])
  },

  'its tray shows the status, and opens Recall': async (desktop) => {
    await until('the tray tells that it captures', async () => (await trayLabels(desktop)).includes('Capturing'))
    const labels = await trayLabels(desktop)
    expect(labels.filter((label) => /^\d+ sessions? active$/.test(label))).toHaveLength(1)
    expect(labels.filter((label) => label.startsWith('Cost today: $'))).toHaveLength(1)
    expect(labels.slice(-4)).toEqual(['Recall…', 'Open Aspy', 'Settings', 'Quit Aspy'])
    await main(desktop, ({ watchedElectron }) =>
      watchedElectron.shown.tray?.menu?.items.find(({ label }) => label === 'Settings')?.click?.(),
    )
    await (await desktop.page()).waitForURL(/\/settings$/)
    expect(await main(desktop, ({ watchedElectron }) => watchedElectron.press('CommandOrControl+Alt+R'))).toBe(true)
    await (await desktop.page()).waitForURL(/\/recall$/)
  },

  'reports a restarted recorder': async (desktop) => {
    await until('the restart was reported', async () =>
      (await main(desktop, ({ watchedElectron }) => watchedElectron.shown.notices.map(({ title }) => title))).includes(
        'The recorder was restarted',
      ),
    )
  },

  'the tray reports a Recall shortcut that cannot be registered': async (desktop) => {
    await desktop.call('config.set', { key: 'app.recall_shortcut', value: 'no such keys' })
    await desktop.electron.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume'))
    await until('the tray tells of it', async () =>
      (await trayLabels(desktop)).some((label) => label.startsWith('"no such keys" is not a valid shortcut')),
    )
    await desktop.call('config.set', { key: 'app.recall_shortcut', value: null })
  },

  'sleep and wake change nothing': async (desktop) => {
    const before = await desktop.health()
    await desktop.electron.evaluate(({ powerMonitor }) => {
      powerMonitor.emit('suspend')
      powerMonitor.emit('resume')
    })
    await (await ask(before.proxy_url ?? '', { prompt: 'Asked after the computer woke' })).text()
    await until('it is recorded', async () => {
      const { items } = await desktop.call<{ items: { text: string }[] }>('events.recent', { kinds: ['user_prompt'] })
      return items.some(({ text }) => text === 'Asked after the computer woke')
    })
    const { id, recorder_restarts } = await desktop.health()
    expect({ id, recorder_restarts }).toEqual({ id: before.id, recorder_restarts: before.recorder_restarts })
  },

  'quitting asks first, names the number of sessions that use the proxy, and can be cancelled': async (desktop) => {
    await main(desktop, ({ watchedElectron: { shown } }) => {
      // Cancel.
      shown.answers.push(2)
      shown.tray?.menu?.items.find(({ label }) => label === 'Quit Aspy')?.click?.()
    })
    await until('it was asked', async () =>
      main(desktop, ({ watchedElectron }) => watchedElectron.shown.questions.length > 0),
    )
    const [question] = await main(desktop, ({ watchedElectron }) =>
      watchedElectron.shown.questions.map(({ message }) => message),
    )
    expect(question).toMatch(/^\d+ running sessions? uses? the proxy\.$/)
    expect((await desktop.health()).status).toBe('ok')
  },

  'quits in order: no process is left, and the database is intact': async (desktop) => {
    const pid = desktop.electron.process().pid ?? 0
    const main = await desktop.electron.evaluate(() => process.pid)
    await desktop.close()
    await gone(pid, main)
    const file = join(desktop.dataDir, 'lifestats.db')
    expect(existsSync(join(desktop.dataDir, 'app.json'))).toBe(false)
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    const database = new Database(file, { readonly: true })
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    database.close()
    const kept = JSON.parse(readFileSync(join(desktop.dataDir, 'desktop/window.json'), 'utf8')) as object
    expect(kept).toMatchObject({ address: expect.stringMatching(/^\//), bounds: { width: expect.any(Number) } })
  },
} satisfies Record<string, (desktop: Desktop) => Promise<void>>

export type SpecName = keyof typeof specs

/** Their shape on Windows is in terminal-command.test.ts and open-terminal.test.ts. */
const ON_UNIX: ReadonlySet<string> = new Set<SpecName>(['opens a terminal only in the folder of a known session'])

interface DesktopSpec {
  readonly name: SpecName
  /** It writes a script that only a shell of Unix runs. */
  readonly needsUnix: boolean
}

/** All specs, in an order in which one desktop app can run them; the last one ends it. */
export const desktopSpecs: readonly DesktopSpec[] = (Object.keys(specs) as SpecName[]).map((name) => ({
  name,
  needsUnix: ON_UNIX.has(name),
}))

/** Throws where the app does not do what the spec says. */
export function runSpec(name: SpecName, desktop: Desktop): Promise<void> {
  return specs[name](desktop)
}
