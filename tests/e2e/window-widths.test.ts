import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startWindowHarness } from '../support/window/harness.ts'
import { lacks } from '../support/runner/lacks.ts'

const FOLDER = fileURLToPath(new URL('../../out/renderer', import.meta.url))
const VIEWS = ['/live', '/sessions/0193a1c4-7c1e-7a10-9d54-000000000001', '/recall?q=solarized', '/settings'] as const
const WIDTHS = [420, 800, 1024, 2560] as const

describe.skipIf(lacks(findChromium() !== null))('from a third of a screen to a wide one', () => {
  let browser: Browser
  let page: Page
  let harness: Awaited<ReturnType<typeof startWindowHarness>>

  beforeAll(async () => {
    harness = await startWindowHarness(FOLDER)
    browser = await launchBrowser()
    page = await browser.newPage({ reducedMotion: 'reduce' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.stop()
  })

  test.each(VIEWS)('nothing of %s leaves the screen', async (view) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 860 })
      await page.goto(harness.url + view)
      await page.locator('main :is(h1, h2)').first().waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      expect([width, await outside(page)]).toEqual([width, []])
    }
  })

  test('the frame and the header of a session can be hit: nothing is smaller than 24 px, in every density', async () => {
    await page.setViewportSize({ width: 420, height: 860 })
    for (const density of ['Compact', 'Large', 'Normal']) {
      await page.goto(`${harness.url}/settings`)
      await page.getByRole('group', { name: 'Density' }).getByRole('button', { name: density }).click()
      await page.goto(harness.url + VIEWS[1])
      await page.getByRole('button', { name: 'Copy resume command' }).waitFor()
      await expect.poll(() => page.locator('html').getAttribute('data-density')).toBe(density.toLowerCase())
      expect([density, await small(page)]).toEqual([density, []])
    }
  })

  test('tabs that do not fit scroll, and fade where there is more', async () => {
    await page.setViewportSize({ width: 320, height: 860 })
    await page.goto(harness.url + VIEWS[1])
    const tabs = page.getByRole('group', { name: 'Session view' })
    const fades = () =>
      tabs.evaluate((element) => {
        const style = getComputedStyle(element)
        return ['--fade-start', '--fade-end'].map((name) => Number.parseFloat(style.getPropertyValue(name)) > 0)
      })
    await expect.poll(fades).toEqual([false, true])
    await tabs.getByRole('button', { name: 'Files changed' }).scrollIntoViewIfNeeded()
    await expect.poll(fades).toEqual([true, false])
    await page.setViewportSize({ width: 1024, height: 860 })
    await expect.poll(fades).toEqual([false, false])
  })
})

/** Returns elements that end beyond the right edge of the window and that nothing scrolls into it. */
function outside(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isScrolled = (element: Element | null): boolean =>
      element !== null &&
      ((/auto|scroll/.test(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth) ||
        isScrolled(element.parentElement))
    return [...document.querySelectorAll('body *')]
      .filter((element) => {
        const { width, height, right } = element.getBoundingClientRect()
        return width > 1 && height > 1 && right > innerWidth + 1 && !isScrolled(element.parentElement)
      })
      .map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`)
  })
}

/** Returns controls of the frame and of the session's header that are smaller than 24 px either way. */
function small(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('nav :is(a, button), footer :is(a, button), main > div > div:first-child button')]
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ element, box }) => `${element.ariaLabel ?? element.textContent} ${box.width}×${box.height}`),
  )
}
