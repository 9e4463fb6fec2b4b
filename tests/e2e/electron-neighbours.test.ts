import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findRunningApp } from '../../src/main/base/running-app.ts'
import { ask } from '../support/app/ask.ts'
import { findChromium } from '../support/window/chromium.ts'
import { gone, launchDesktop, onRealElectron, type Desktop } from '../support/desktop/launch-desktop.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startApp } from '../support/app/start-app.ts'
import { freePort } from '../support/runner/free-port.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'

describe.skipIf(lacks(findChromium() !== null || onRealElectron))(
  `the desktop app next to another app (on ${onRealElectron ? 'Electron' : 'the test double'})`,
  () => {
    let upstream: MessagesUpstream
    let data: TempFolder
    beforeAll(async () => {
      upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
    })
    afterAll(() => upstream.close())
    beforeEach(() => {
      data = makeTempFolder('aspy-desktop-')
    })
    afterEach(() => data.remove())

    const launch = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
      launchDesktop({ dataDir: data.path, upstream: upstream.url, args, env })
    const pidOf = (desktop: Desktop) => desktop.electron.evaluate(() => process.pid)

    test('attaches to the app that already serves the data, and takes over when it exits', async () => {
      const other = await startApp({ upstream: upstream.url, dataDir: data.path })
      const desktop = await launch()
      try {
        expect((await desktop.health()).id).toBe(other.id)
        const prompt = 'Asked of the app that was there first'
        await (await ask(other.proxy, { prompt, session: 'a-session' })).text()
        await until('the window can ask for it', async () => {
          const { items } = await desktop.call<{ items: { text: string }[] }>('events.recent', {
            kinds: ['user_prompt'],
          })
          return items.some(({ text }) => text === prompt)
        })
        await desktop.electron.evaluate(({ app }) => {
          app.emit('open-url', { preventDefault: () => undefined }, 'aspy://session/a-session')
        })
        await (await desktop.page()).getByText(prompt).first().waitFor()
        await other.close()
        // It would check within seconds anyway; this makes it check now.
        await desktop.electron.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume'))
        const pid = await pidOf(desktop)
        await until('the desktop app serves itself', async () => (await findRunningApp(data.path))?.pid === pid)
        const { proxy_url } = await desktop.health()
        expect((await ask(proxy_url ?? '', { prompt: 'Asked of the one that took over' })).status).toBe(200)
      } finally {
        await desktop.close()
      }
      expect(await findRunningApp(data.path)).toBeNull()
    })

    test('started hidden next to another app, it opens a window on request, and quitting leaves the other app running', async () => {
      await using other = await startApp({ upstream: upstream.url, dataDir: data.path })
      const desktop = await launch(['--hidden'])
      try {
        await until('the shell is up', () => desktop.electron.evaluate(({ app }) => app.listenerCount('activate') > 0))
        expect(desktop.electron.windows()).toEqual([])
        await desktop.electron.evaluate(({ app }) => void app.emit('activate'))
        expect((await desktop.health()).id).toBe(other.id)
      } finally {
        await desktop.close()
      }
      await expect.poll(async () => (await findRunningApp(data.path))?.id).toBe(other.id)
    })

    test('quitting can keep the proxy running at the same address in its own process', async () => {
      // Ports that the system gives to nobody else while one process hands them over to the other.
      const ports = { ASPY_PROXY_PORT: String(await freePort()), ASPY_APP_PORT: String(await freePort()) }
      const desktop = await launch([], ports)
      const pid = await pidOf(desktop)
      const before = await desktop.health()
      await (await ask(before.proxy_url ?? '', { prompt: 'A session that goes on' })).text()
      await until('the session is recorded', async () => (await desktop.health()).exchanges_recorded > 0)
      const ended = gone(pid, desktop.electron.process().pid ?? pid)
      // Quit through the app's menu, as a user would. The first button keeps the proxy.
      await desktop.electron.evaluate(() => {
        const { shown } = (globalThis as unknown as { watchedElectron: { shown: Shown } }).watchedElectron
        shown.answers.push(0)
        shown.tray?.menu?.items.find(({ label }) => label === 'Quit Aspy')?.click?.()
      })
      await ended
      await expect.poll(async () => (await findRunningApp(data.path))?.proxyUrl).toBe(before.proxy_url)
      const kept = await findRunningApp(data.path)
      expect(kept?.pid).not.toBe(pid)
      expect((await ask(before.proxy_url ?? '', { prompt: 'The next question of that session' })).status).toBe(200)
      process.kill(kept?.pid ?? 0, 'SIGTERM')
      await gone(kept?.pid ?? 0)
      expect(await findRunningApp(data.path)).toBeNull()
    })
  },
)

interface Shown {
  readonly answers: number[]
  readonly tray: { readonly menu: { readonly items: readonly { label?: string; click?: () => void }[] } | null } | null
}
