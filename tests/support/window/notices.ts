import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

interface NoticeWindow {
  aspyNotices: string[]
}

/**
 * Makes pages opened from now on keep the text of their notices, which disappear within seconds.
 */
export async function keepNotices(pages: BrowserContext | Page): Promise<void> {
  await pages.addInitScript(() => {
    const notices: string[] = []
    ;(window as unknown as NoticeWindow).aspyNotices = notices
    let last = ''
    new MutationObserver(() => {
      const now = document.querySelector('[aria-live=polite] > p')?.textContent ?? ''
      if (now !== last && now !== '') notices.push(now)
      last = now
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/** Waits for a notice that no earlier call has consumed. Skips notices before it. */
export async function noticed(page: Page, text: string | RegExp): Promise<void> {
  await expect
    .poll(async () => {
      const notices = await page.evaluate(() => (window as unknown as NoticeWindow).aspyNotices)
      const at = notices.findIndex((one) => (typeof text === 'string' ? one.includes(text) : text.test(one)))
      if (at >= 0)
        await page.evaluate((count) => (window as unknown as NoticeWindow).aspyNotices.splice(0, count), at + 1)
      return at >= 0 ? text : notices
    })
    .toBe(text)
}
