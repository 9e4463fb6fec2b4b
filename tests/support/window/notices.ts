import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

interface Told {
  aspyNotices: string[]
}

/**
 * Has the pages that open from now on keep what their notices say: each stands for seconds only, and is gone before a
 * slow machine looks.
 */
export async function keepNotices(pages: BrowserContext | Page): Promise<void> {
  await pages.addInitScript(() => {
    const told: string[] = []
    ;(window as unknown as Told).aspyNotices = told
    let last = ''
    new MutationObserver(() => {
      const now = document.querySelector('[aria-live=polite] > p')?.textContent ?? ''
      if (now !== last && now !== '') told.push(now)
      last = now
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/** Waits for a notice that nobody has waited for yet; those that were told before it are passed over. */
export async function noticed(page: Page, text: string | RegExp): Promise<void> {
  await expect
    .poll(async () => {
      const told = await page.evaluate(() => (window as unknown as Told).aspyNotices)
      const at = told.findIndex((one) => (typeof text === 'string' ? one.includes(text) : text.test(one)))
      if (at >= 0) await page.evaluate((count) => (window as unknown as Told).aspyNotices.splice(0, count), at + 1)
      return at >= 0 ? text : told
    })
    .toBe(text)
}
