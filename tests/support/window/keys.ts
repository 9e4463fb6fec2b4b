import type { Page } from 'playwright-core'

/** Presses keys that count together only when they follow soon: sent at once, however slow the page is. */
export async function pressInARow(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)))
}
