import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { heavily } from '../support/runner/heavy.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { launchBrowser, openWindow } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { keepNotices, noticed } from '../support/window/notices.ts'

const HOUR_MS = 3_600_000
const SESSIONS = 105
/** More than a page of the list. */
const SHOWN_AT_FIRST = 100
/** A folder for pictures to be looked at. */
const SHOT = process.env['ASPY_SCREENSHOTS']

// Deletions begin as soon as the window says that their undo is on screen, and no sooner. Tests hold that back.
describe.skipIf(lacks(findChromium() !== null))('deleting many sessions in the window', () => {
  let browser: Browser
  let page: Page
  let problems: string[] = []
  let app: TestApp

  beforeAll(async () => {
    app = await startApp({ upstream: 'http://127.0.0.1:9', undo: { seenMs: 0, unseenMs: HOUR_MS } })
    await app.recorderRuns()
    browser = await launchBrowser()
    const context = await browser.newContext()
    await keepNotices(context)
    page = await openWindow(context, new Set([app.app]), (problem) => problems.push(problem))
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })
  beforeEach(async () => {
    problems = []
    await page.unrouteAll()
    for (let at = 0; at < SESSIONS; at++)
      await app.call('events.post', {
        session_id: `${performance.now()}-${at}`,
        kind: 'user_prompt',
        payload: { text: `Prompt ${at}` },
      })
  })

  const stored = () => app.count({ kind: 'user_prompt' })
  const undo = () => page.getByRole('button', { name: /^Undo/ })

  /** Keeps the window's word that an undo is on screen from the app, until `release` is called. */
  async function holdSeen(): Promise<{ release(): Promise<void> }> {
    const held: Route[] = []
    await page.route('**/api/sessions.undo_shown', (route) => void held.push(route))
    return {
      async release() {
        await until('the undo is on screen', () => Promise.resolve(held.length > 0))
        for (const route of held) await route.continue()
      },
    }
  }

  /** Selects every session, beyond the ones loaded at first, and deletes them. */
  async function deleteAll(sessions: number): Promise<void> {
    await page.goto(`${app.app}/sessions`)
    await page.getByLabel('Select all loaded sessions').check()
    await page.getByText(`${SHOWN_AT_FIRST} sessions selected`).waitFor()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByText(`${sessions} sessions selected`).waitFor()
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Delete ${sessions} sessions` })
      .click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('No sessions yet').waitFor()
    await page.getByText(`${sessions} sessions deleted`).waitFor()
  }

  async function picture(name: string): Promise<void> {
    if (SHOT === undefined) return
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${SHOT}/${name}-${colorScheme}.png` })
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }

  test('one undo brings all of them back, also after the page was closed', async () => {
    await holdSeen()
    await deleteAll(SESSIONS)
    expect(await stored()).toBe(SESSIONS)
    expect(await undo().count()).toBe(1)
    expect(await accessFaults(page)).toEqual([])
    await picture('deleted')
    await page.goto('about:blank')
    await page.goto(`${app.app}/sessions`)
    await undo().click()
    await noticed(page, `Restored ${SESSIONS} sessions`)
    await undo().waitFor({ state: 'detached' })
    await page.getByLabel('Select all loaded sessions').check()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByText(`${SESSIONS} sessions selected`).waitFor()
    expect(await stored()).toBe(SESSIONS)
    expect(problems).toEqual([])
  })

  heavily(test)('without an undo all are deleted once its time is over, and none before', async () => {
    const seen = await holdSeen()
    await deleteAll(2 * SESSIONS)
    expect(await stored()).toBe(2 * SESSIONS)
    await seen.release()
    await page.getByText(`Deleting ${2 * SESSIONS} sessions`).waitFor()
    await picture('deleting')
    expect(await undo().count()).toBe(0)
    await page.getByRole('progressbar', { name: 'Sessions deleted' }).waitFor({ state: 'detached' })
    expect(await stored()).toBe(0)
    await page.getByText('No sessions yet').waitFor()
    expect(problems).toEqual([])
  })

  test('a deletion that the app refuses leaves the list as it was', async () => {
    await page.route('**/api/sessions.delete_soon', (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'store_unavailable', message: 'The disk is full' } } }),
    )
    await page.goto(`${app.app}/sessions`)
    const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ })
    await boxes.nth(0).check()
    const row = await boxes.nth(0).getAttribute('aria-label')
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 session' }).click()
    await noticed(page, 'The disk is full')
    await expect.poll(() => boxes.nth(0).getAttribute('aria-label')).toBe(row)
    expect(await undo().count()).toBe(0)
  })
})
