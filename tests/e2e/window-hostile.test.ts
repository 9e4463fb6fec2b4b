import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/window/browser.ts'
import { sessionRows } from '../support/window/session-rows.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startWindowHarness } from '../support/window/harness.ts'
import { lacks } from '../support/runner/lacks.ts'

const FOLDER = fileURLToPath(new URL('../../out/renderer', import.meta.url))
const FAILED = 'This message cannot be shown. Its details and the export have it in full.'

interface Answered {
  readonly items: { readonly kind: string; readonly payload: { text?: unknown } }[]
}

describe.skipIf(lacks(findChromium() !== null))('a session with a hostile message', () => {
  let browser: Browser
  let harness: Awaited<ReturnType<typeof startWindowHarness>>

  beforeAll(async () => {
    harness = await startWindowHarness(FOLDER)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.stop()
  })

  /** Opens a session whose first answer has `text` in place of its own. */
  async function openWith(text: unknown): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.route('**/api/sessions.events', async (route) => {
      const response = await route.fetch()
      const answered = (await response.json()) as Answered
      const first = answered.items.find(({ kind }) => kind === 'assistant_text')
      if (first) first.payload.text = text
      await route.fulfill({ response, json: answered })
    })
    await page.goto(`${harness.url}/sessions`)
    await sessionRows(page).first().click()
    await page.getByText('Overloaded', { exact: true }).first().waitFor()
    return page
  }

  /** The other messages are there, and the page still does what it is asked. */
  async function expectUsable(page: Page): Promise<void> {
    await page.getByText('Both themes now pass.').first().waitFor()
    await page.getByRole('navigation', { name: 'Prompts of this session' }).getByRole('button').nth(1).click()
    await page.getByRole('button', { name: 'Usage' }).click()
    await page.getByRole('region', { name: 'Tasks' }).waitFor()
    await page.getByRole('link', { name: 'All sessions' }).click()
    await sessionRows(page).first().waitFor()
    await page.close()
  }

  test.each([
    ['4,000 quotes', '>'.repeat(4000)],
    ['4,000 quotes around a text', `${'> '.repeat(4000)}the end`],
    ['4,000 open links', `${'['.repeat(4000)}x`],
  ])('%s leave the page usable', async (_name, text) => {
    const page = await openWith(text)
    expect(await page.getByText(FAILED).count()).toBe(0)
    await expectUsable(page)
  })

  test('a message whose rendering throws is a note in its place', async () => {
    const page = await openWith({ not: 'a text' })
    await page.getByText(FAILED).first().waitFor()
    await expectUsable(page)
  })
})
