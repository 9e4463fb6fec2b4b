import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { type TestApp } from '../support/app/start-app.ts'
import { ToldSession } from '../support/transcripts/told-session.ts'

const FILE = { file_path: '/home/user/shop/total.ts' }

function walkedSession(): ToldSession {
  return new ToldSession('walk')
    .prompt('Make the total right')
    .tool('Edit', { ...FILE, old_string: 'one', new_string: 'two' }, { output: 'ok' })
    .tool('Edit', { ...FILE, old_string: 'two', new_string: 'three' }, { output: 'ok' })
    .tool('Bash', { command: 'npm test' }, { output: '1 failed: a walrus', isError: true })
    .answer('The total is right now.')
    .prompt('And the sum?')
    .answer('The sum is right as well.')
}

/** The page of one session, at half of a screen, worked in two ways. */
const test = given({ screen: { viewport: { width: 420, height: 900 }, acceptDownloads: true } })

describe('a session at 420 px', () => {
  let transcript: Locator

  test.beforeAll(async ({ page, app, outside }) => {
    await walkedSession().importInto(app, outside)
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    transcript = page.getByRole('region', { name: 'Transcript text' })
  })

  const open = async (page: Page, app: TestApp) => {
    await page.goto(`${app.app}/sessions/walk`)
    await transcript.getByText('Make the total right').waitFor()
  }
  const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  const find = (page: Page) => page.getByRole('searchbox', { name: 'Find in this session' })
  /** Nothing is wider than the window, and the target is wholly on the screen. */
  const expectOnScreen = async (page: Page, target: Locator) => {
    const box = await target.boundingBox()
    expect(box).not.toBeNull()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(420)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  }

  test('with the mouse only', async ({ page, app }) => {
    await open(page, app)
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
    for (const name of ['Star', 'Rename', 'Delete', 'Export session']) await expectOnScreen(page, button(name))
    await expectOnScreen(page, find(page))

    await button('Rename').click()
    const field = page.getByRole('textbox', { name: 'Session name' })
    // A long name shows its beginning.
    expect(await field.evaluate((input: HTMLInputElement) => input.scrollLeft)).toBe(0)
    await expectOnScreen(page, button('Save'))
    await field.fill('Totals')
    await button('Save').click()
    await title(page, 'Totals').waitFor()

    await button('Export session').click()
    await expectOnScreen(page, page.getByRole('menu'))
    const saving = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Markdown' }).click()
    expect((await saving).suggestedFilename()).toBe('session-walk.md')

    await page.getByRole('button', { name: /go to the next error/ }).click()
    await page.locator('.ring-accent').getByText('1 failed: a walrus').waitFor()
    await page.locator('.ring-accent').getByRole('button', { name: /^Bash/ }).click()
    await expect.poll(() => transcript.getByText('1 failed: a walrus').count()).toBe(0)
    await page.getByLabel('Jump to a prompt').selectOption({ label: '2. And the sum?' })
    await page.locator('.ring-accent').getByText('And the sum?').waitFor()

    for (const [name, shown] of [
      ['Timeline', page.getByRole('region', { name: 'Waterfall' })],
      ['Trace', page.getByRole('region', { name: 'Trace tree' })],
      ['Requests', page.getByText('No requests recorded')],
      ['Files changed', page.getByText('1 file changed')],
    ] as const) {
      await button(name).click()
      await shown.waitFor()
      await expectOnScreen(page, shown)
    }
    const net = page.getByRole('region', { name: `Net change of ${FILE.file_path}` })
    await net.getByText('three').waitFor()
    expect(await net.getByText('two').count()).toBe(0)
    await button('Edits').click()
    await button('Show in transcript').first().click()
    await page.locator('.ring-accent').getByRole('button', { name: /^Edit/ }).waitFor()

    await button('Delete').click()
    const dialog = page.getByRole('dialog', { name: 'Delete session' })
    await expectOnScreen(page, dialog)
    await dialog.getByRole('button', { name: 'Delete session' }).click()
    await page.getByRole('button', { name: /^Undo/ }).click()
    await page.getByRole('row').filter({ hasText: 'Totals' }).getByRole('link').first().click()
    await title(page, 'Totals').waitFor()
  })

  test('a step to an error is made once the errors have loaded', async ({ page, app }) => {
    const loading = Promise.withResolvers<undefined>()
    await page.route('**/api/errors.list', async (route) => {
      await loading.promise
      await route.continue()
    })
    await open(page, app)
    await page.keyboard.press('e')
    await page.getByText('Still loading the errors of this session').waitFor()
    loading.resolve(undefined)
    await page.locator('.ring-accent').getByText('1 failed: a walrus').waitFor()
    await page.unroute('**/api/errors.list')
  })

  test('a search that fails says so', async ({ page, app }) => {
    await page.route('**/api/recall.search', (route) => route.fulfill({ status: 500, body: '{}' }))
    await open(page, app)
    await page.keyboard.press('/')
    await page.keyboard.type('well')
    await page.getByRole('search').getByText('Search failed').waitFor()
    await page.unroute('**/api/recall.search')
  })

  test('with the keyboard only', async ({ page, app }) => {
    await open(page, app)
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const tabTo = async (target: Locator) => {
      await target.waitFor()
      for (let step = 0; step < 80; step += 1) {
        if (await target.evaluate((element) => element === document.activeElement)) return
        await press('Tab')
      }
      throw new Error(`Tab does not reach ${String(target)}`)
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    await press('PageDown', 'End', 'Home')
    await tabTo(button('Rename'))
    await press('Enter')
    await page.locator('input[aria-label="Session name"]:focus').waitFor()
    await page.keyboard.type('Sums')
    await press('Enter')
    await title(page, 'Sums').waitFor()

    await tabTo(button('Export session'))
    await press('Enter')
    await page.getByRole('menuitem', { name: 'Markdown' }).and(page.locator(':focus')).waitFor()
    await press('ArrowDown', 'Escape')
    await button('Export session').and(page.locator(':focus')).waitFor()

    await press('e')
    await page.locator('.ring-accent').getByText('1 failed: a walrus').waitFor()
    await press('/')
    await page.keyboard.type('well')
    await page.getByRole('search').getByRole('status').getByText('1').waitFor()
    await press('Enter', 'Escape')
    await page.locator('.ring-accent').getByText('The sum is right as well.').waitFor()
    for (const [key, shown] of [
      ['2', page.getByRole('region', { name: 'Waterfall' })],
      ['3', page.getByRole('region', { name: 'Trace tree' })],
      ['4', page.getByText('No requests recorded')],
      ['6', page.getByText('1 file changed')],
      ['1', transcript],
    ] as const) {
      await press(key)
      await shown.waitFor()
    }

    await tabTo(button('Delete'))
    await press('Enter')
    await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Delete session' }))
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await title(page, 'Sums').waitFor()
  })
})
