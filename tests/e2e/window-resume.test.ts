import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/app/ask.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { until } from '../support/runner/until.ts'
import { type MessagesUpstream, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { launchBrowser, openWindow } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { keepNotices, noticed } from '../support/window/notices.ts'
import { lacks } from '../support/runner/lacks.ts'

const SESSION = 'lossy'

describe.skipIf(lacks(findChromium() !== null))('a resume that carries less, in the window', () => {
  let upstream: MessagesUpstream
  let app: TestApp
  let browser: Browser
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'As you say.' }] }))
    app = await startApp({ upstream: upstream.url })
    await app.recorderRuns()
    browser = await launchBrowser()
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await keepNotices(context)
    page = await openWindow(
      context,
      (address) => address.startsWith(app.app),
      (problem) => problems.push(problem),
    )
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await upstream?.close()
  })

  async function say(prompt: string, history: readonly object[]): Promise<void> {
    const known = await app.count({ session_id: SESSION, kind: 'model_response' })
    await (await ask(app.proxy, { session: SESSION, prompt, history })).text()
    await until(
      'it is recorded',
      async () => (await app.count({ session_id: SESSION, kind: 'model_response' })) > known,
    )
  }

  test('a notice and a banner say so, and what is missing is listed and copied', async () => {
    const hook = { session_id: SESSION, hook_event_name: 'SessionStart', cwd: '/home/user/project' }
    await app.call('hooks.post', { ...hook, source: 'startup' })
    await say('Oil the hinges', [])
    await page.goto(`${app.app}/sessions/${SESSION}`)
    await page.getByRole('region', { name: 'Transcript text' }).getByText('Oil the hinges').waitFor()
    const banner = page.getByRole('region', { name: 'Messages missing after the resume' })
    expect(await banner.count()).toBe(0)
    await app.call('hooks.post', { ...hook, source: 'resume' })
    await until('it is recorded', async () => (await app.count({ session_id: SESSION, kind: 'session_started' })) === 2)
    await say('And now?', [])
    await noticed(page, /A resumed session lacks 2 messages/)
    await page.reload()
    await banner.getByText(/with 0 of 2 messages\. The model does not see the other 2 messages\./).waitFor()
    expect(await accessFaults(page)).toEqual([])
    await banner.getByRole('button', { name: 'Show' }).click()
    const [first] = await banner.getByRole('listitem').all()
    await expect.poll(() => first?.textContent()).toBe('prompt · turn 1 · Oil the hinges')
    await banner.getByRole('button', { name: 'Copy what is missing' }).click()
    await noticed(page, /^Copied 2 texts, about \d+ tokens/)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\[lost prompt\]\n> Oil the hinges\n/)
    await first?.getByRole('button').click()
    await page.locator('.ring-accent').getByText('Oil the hinges').waitFor()
    await banner.getByRole('button', { name: 'Hide' }).click()
    await banner.waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })
})
