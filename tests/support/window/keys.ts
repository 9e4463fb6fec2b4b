import type { Page } from 'playwright-core'

/** Presses the keys of a sequence without waiting in between, so that a slow page still sees them in time. */
export async function pressInARow(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)))
}
