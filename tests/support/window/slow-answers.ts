import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContext } from 'playwright-core'

/**
 * Delays every script and answer of the pages of a context at random: `ASPY_TEST_SLOW_ANSWERS=1 npx vitest run
 * --project browser`. A spec that fails then either reads a page before it is ready, or has found that the window shows
 * something wrong while it loads. Nothing in a page may depend on which answer comes first.
 */
export async function delayAnswers(context: BrowserContext): Promise<void> {
  const [scriptMs, answerMs] = [800, 400]
  await context.route(/\/(?:assets\/.*\.js$|api\/)/, async (route) => {
    const most = route.request().url().includes('/assets/') ? scriptMs : answerMs
    await pause(Math.random() * most)
    // The page may have left meanwhile.
    await route.continue().catch(() => undefined)
  })
}
