import type { BrowserContext, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { sessionRows } from '../support/window/session-rows.ts'
import { pressInARow } from '../support/window/keys.ts'
import { noticed } from '../support/window/notices.ts'

/** The main task of each view, once with the mouse only and once with the keyboard only. */
const test = given({ screen: { permissions: ['clipboard-read', 'clipboard-write'] } })

describe('one input device', () => {
  test.afterEach(async ({ context }) => {
    for (const page of context.pages()) await page.close()
  })

  async function open(context: BrowserContext, harness: { readonly url: string }): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${harness.url}/live`)
    await page.getByRole('region', { name: 'Active sessions' }).getByRole('article').first().waitFor()
    return page
  }
  const firstCard = (page: Page) =>
    page.getByRole('region', { name: 'Active sessions' }).getByRole('button', { pressed: false }).first()
  const address = (page: Page, field: string) => new URL(page.url()).searchParams.get(field)

  test('the mouse only', async ({ context, harness }) => {
    const page = await open(context, harness)
    const goTo = (view: string) => page.getByRole('navigation').first().getByRole('link', { name: view }).click()

    await page.getByRole('button', { name: 'Thinking', exact: true }).click()
    await expect.poll(() => address(page, 'show')).not.toContain('thinking')
    await firstCard(page).click()
    await page.getByRole('heading', { name: 'One session' }).waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('heading', { name: 'All sessions' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Follow' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()

    await goTo('Sessions')
    await sessionRows(page).first().click()
    await page.getByRole('navigation', { name: 'Prompts of this session' }).getByRole('button').nth(1).click()
    await page.locator('.ring-accent').first().waitFor()
    await page.getByRole('button', { name: 'Usage' }).click()
    await page.getByRole('region', { name: 'Tasks' }).getByText('1 of 5 done').waitFor()
    await page.getByRole('link', { name: 'All sessions' }).click()
    await sessionRows(page).first().waitFor()

    await goTo('Recall')
    await page.getByRole('searchbox').fill('solarized theme')
    const choices = page.getByRole('checkbox', { name: 'Add to pack' })
    await choices.nth(0).check()
    await choices.nth(1).check()
    await page.getByRole('button', { name: 'Copy pack' }).click()
    await noticed(page, 'Copied the pack: 2 hits')
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByRole('complementary', { name: 'Pack' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'All prompts' }).click()
    await page.getByRole('region', { name: 'Prompts' }).getByRole('link').first().waitFor()

    await goTo('Costs')
    await page.getByRole('button', { name: '7 d' }).click()
    await page.getByText('Cost, the last 7 days').waitFor()
    await goTo('Tools')
    await page.getByRole('button', { name: 'Grep', exact: true }).click()
    await page.getByRole('region', { name: 'Latest calls of Grep' }).getByRole('link').first().waitFor()
    await goTo('Health')
    await page.getByRole('region', { name: 'Where it runs' }).waitFor()
    await goTo('Settings')
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Solarized dark').click()
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('solarized-dark')
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Light', { exact: true }).click()
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  /** Presses Tab until the target has the focus. */
  async function tabTo(page: Page, target: Locator): Promise<void> {
    await target.waitFor()
    for (let step = 0; step < 80; step += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not reach ${String(target)}`)
  }

  test('the keyboard only', async ({ context, harness }) => {
    const page = await open(context, harness)
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }

    await tabTo(page, page.getByRole('button', { name: 'Thinking', exact: true }))
    await press('Space')
    await expect.poll(() => address(page, 'show')).not.toContain('thinking')
    await tabTo(page, firstCard(page))
    await press('Enter')
    await page.getByRole('heading', { name: 'One session' }).waitFor()
    await press('Escape')
    await page.getByRole('heading', { name: 'All sessions' }).waitFor()
    await press('p')
    await page.getByRole('button', { name: 'Follow' }).waitFor()
    // A control that the keyboard reaches shows its title, as the pointer would.
    const hint = page.locator('[data-focus-hint]')
    await tabTo(page, page.getByRole('button', { name: 'Follow' }))
    await hint.getByText('Pause or follow (p)').waitFor()
    const [box, control] = [await hint.boundingBox(), await page.getByRole('button', { name: 'Follow' }).boundingBox()]
    expect([(box?.x ?? 0) + (box?.width ?? 9999) <= 1440, (box?.y ?? 0) > (control?.y ?? 0)]).toEqual([true, true])
    await press('Shift')
    await hint.waitFor({ state: 'hidden' })
    // A dialog gives the focus back to the button that opened it.
    const help = page.getByRole('button', { name: 'Keyboard shortcuts' })
    await tabTo(page, help)
    await press('Enter')
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Close' }))
    await press('Enter')
    await help.and(page.locator(':focus')).waitFor()

    await pressInARow(page, 'g', 's')
    await sessionRows(page).first().waitFor()
    await press('j', 'Enter')
    await page.getByRole('navigation', { name: 'Prompts of this session' }).getByRole('button').first().waitFor()
    await press('j')
    await page.locator('.ring-accent').first().waitFor()
    await press('5')
    await page.getByRole('region', { name: 'Tasks' }).getByText('1 of 5 done').waitFor()

    await pressInARow(page, 'g', 'r')
    await page.getByRole('searchbox').waitFor()
    await page.keyboard.type('solarized theme')
    // A check box with the focus takes Space; letters still work on the hits.
    await tabTo(page, page.getByRole('checkbox', { name: 'Add to pack' }).first())
    await press('Space')
    await page.getByRole('complementary', { name: 'Pack' }).waitFor()
    await press('c')
    await noticed(page, 'Copied the pack: 1 hit')
    await press('Escape')
    await page.getByRole('complementary', { name: 'Pack' }).waitFor({ state: 'detached' })
    await tabTo(page, page.getByRole('button', { name: 'All prompts' }))
    await press('Enter')
    await page.getByRole('region', { name: 'Prompts' }).getByRole('link').first().waitFor()
    await press('j', 'c')
    await noticed(page, 'Copied the prompt')

    await pressInARow(page, 'g', 'c')
    await tabTo(page, page.getByRole('button', { name: '7 d' }))
    await press('Enter')
    await page.getByText('Cost, the last 7 days').waitFor()
    await pressInARow(page, 'g', 't')
    await tabTo(page, page.getByRole('button', { name: 'Grep', exact: true }))
    await press('Enter')
    await page.getByRole('region', { name: 'Latest calls of Grep' }).getByRole('link').first().waitFor()
    await pressInARow(page, 'g', 'h')
    await tabTo(page, page.getByRole('region', { name: 'Content' }))
    await pressInARow(page, 'g', ',')
    await tabTo(page, page.getByRole('radio', { checked: true }))
    await press('ArrowRight')
    await expect.poll(() => page.evaluate(() => localStorage.getItem('aspy.theme'))).not.toBe('light')
  })
})
