import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, test } from '../support/window/window-test.ts'
import { few } from '../support/runner/heavy.ts'
import { sessionRows } from '../support/window/session-rows.ts'

const FAILED = 'This message cannot be shown. Its details and the export have it in full.'

interface Answered {
  readonly items: { readonly kind: string; readonly payload: { text?: unknown } }[]
}

describe('a session with a hostile message', () => {
  /** Opens a session whose first answer has `text` instead of its own. */
  async function openWith(browser: Browser, harness: { readonly url: string }, text: unknown): Promise<Page> {
    const page = await browser.newPage()
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

  /** The other messages are there, and the page still works. */
  async function expectUsable(page: Page): Promise<void> {
    await page.getByText('Both themes now pass.').first().waitFor()
    await page.getByRole('navigation', { name: 'Prompts of this session' }).getByRole('button').nth(1).click()
    await page.getByRole('button', { name: 'Usage' }).click()
    await page.getByRole('region', { name: 'Tasks' }).waitFor()
    await page.getByRole('link', { name: 'All sessions' }).click()
    await sessionRows(page).first().waitFor()
    await page.close()
  }

  const HOSTILE = [
    ['4,000 quotes', '>'.repeat(4000)],
    ['4,000 quotes around a text', `${'> '.repeat(4000)}the end`],
    ['20,000 open links', `${'['.repeat(20_000)}x`],
    ['20,000 wide brackets', '\u300A'.repeat(20_000)],
    ['an address of 40,000 characters', `${'a.'.repeat(20_000)}@example.com`],
  ] as const
  test.for(few(HOSTILE, 1))('%s leave the page usable', async ([_name, text], { browser, harness }) => {
    const page = await openWith(browser, harness, text)
    expect(await page.getByText(FAILED).count()).toBe(0)
    await expectUsable(page)
  })

  test('a message whose rendering throws is a note in its place', async ({ browser, harness }) => {
    const page = await openWith(browser, harness, { not: 'a text' })
    await page.getByText(FAILED).first().waitFor()
    await expectUsable(page)
  })
})
