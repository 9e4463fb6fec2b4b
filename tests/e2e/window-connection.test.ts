import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/app/ask.ts'
import { startAspy, type RunningCommand } from '../support/app/aspy-command.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { freePort } from '../support/runner/free-port.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { keepNotices, noticed } from '../support/window/notices.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { lacks } from '../support/runner/lacks.ts'

describe.skipIf(lacks(findChromium() !== null))('a window whose app is killed and started again', () => {
  let browser: Browser
  let upstream: MessagesUpstream
  let folder: TempFolder
  let page: Page
  let app: RunningCommand
  let args: readonly string[]

  beforeAll(async () => {
    upstream = await startMessagesUpstream(({ body }) => ({
      steps: [{ text: `Answer to ${lastUserText(body).replace('word ', '')}.` }],
    }))
    folder = makeTempFolder('aspy-connection-')
    const [port, proxyPort] = [await freePort(), await freePort()]
    args = ['serve', '--json', '--data', folder.path, '--port', `${port}`, '--proxy-port', `${proxyPort}`]
    args = [...args, '--tunnel-port', '0', '--upstream', upstream.url]
    browser = await launchBrowser()
    page = await browser.newPage()
    await keepNotices(page)
  })
  afterAll(async () => {
    await browser?.close()
    app?.child.kill('SIGTERM')
    await app?.finished
    await upstream?.close()
    folder?.remove()
  })

  async function start(): Promise<{ readonly app: string; readonly proxy: string; readonly token: string }> {
    app = startAspy(args)
    return JSON.parse(await app.firstLine) as { app: string; proxy: string; token: string }
  }
  async function kill(): Promise<void> {
    app.signal('SIGKILL')
    await app.finished
  }
  const banner = () => page.getByRole('alert').filter({ hasText: 'Connection lost' })
  const stream = () => page.getByRole('region', { name: 'Event stream' })
  const session = '5f0c6a52-3f6c-4f8e-9f3c-0a61b3f0a001'

  test('every view says so and keeps its data; when the app is back, Live has each event once', async () => {
    const { app: url, proxy, token } = await start()
    await (await ask(proxy, { prompt: 'word one', session })).text()
    await page.goto(`${url}/#key=${token}`)
    await stream().getByText('Answer to one.').waitFor()

    // The views that are not open are loaded once the page is idle, this one last.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/settings-page')),
    )
    await kill()
    await banner().waitFor()
    await expect
      .poll(() => banner().innerText())
      .toMatch(/Connection lost at \d?\d:\d\d(?:\s[AP]M)?\.\s+Last event: \d?\d:\d\d(?:\s[AP]M)?\./)
    const command = await banner().locator('code').innerText()
    expect(command).toContain(` serve --data ${folder.path} --port ${new URL(url).port}`)
    expect(command).not.toContain('--json')
    await stream().getByText('Answer to one.').waitFor()
    expect(await accessFaults(page)).toEqual([])
    for (const view of ['Sessions', 'Recall', 'Health', 'Guard', 'Settings', 'Costs']) {
      await page.getByRole('navigation').getByText(view).click()
      await page.getByRole('heading', { name: view, exact: true }).waitFor()
      await banner().waitFor()
      expect(await page.getByText('Couldn’t load this').count()).toBe(0)
    }

    const back = await start()
    expect(back.token).toBe(token)
    await noticed(page, 'Reconnected')
    await banner().waitFor({ state: 'detached' })
    expect(await page.getByText('Open Aspy with its link').count()).toBe(0)
    await page.getByRole('heading', { name: 'Costs', exact: true }).waitFor()
    await (await ask(back.proxy, { prompt: 'word two', session })).text()
    await page.getByRole('navigation').getByText('Live').click()
    await stream().getByText('Answer to two.').waitFor()
    await expect.poll(() => stream().getByText('Answer to one.').count()).toBe(1)
    await expect.poll(() => stream().getByText('Answer to two.').count()).toBe(1)
  })

  test('what happened before the page was back is caught up', async () => {
    await page.route('**/api/**', (route) => route.abort())
    await page.route('**/healthz', (route) => route.abort())
    await kill()
    await banner().waitFor()
    const { proxy } = await start()
    await (await ask(proxy, { prompt: 'word three', session })).text()
    await page.unrouteAll()
    await stream().getByText('Answer to three.').waitFor()
    await expect.poll(() => stream().getByText('Answer to three.').count()).toBe(1)
    await expect.poll(() => stream().getByText('Answer to two.').count()).toBe(1)
  })

  test('a session that is opened while the app is away is shown once it is back', async () => {
    await page.getByRole('navigation').getByText('Sessions').click()
    const row = page.getByRole('link', { name: 'word one' }).first()
    await row.waitFor()
    await kill()
    await banner().waitFor()
    await row.click()
    await banner().waitFor()
    await start()
    await banner().waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Transcript' }).getByText('Answer to one.').waitFor()
  })
})
