import type { Locator, Page } from 'playwright-core'

/** Returns the rows of the list of sessions, without its head and the headings of days. */
export const sessionRows = (page: Page): Locator => page.getByRole('row').filter({ has: page.getByRole('link') })
