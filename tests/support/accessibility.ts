import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const THEMES = ['light', 'dark', 'solarized-light', 'solarized-dark'] as const

/** What hinders people who use assistive tools on this page, in every theme; none is what one wants. */
export async function accessFaults(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const theme of THEMES) {
    faults.push(...(await changeTheme(page, theme)))
    // One frame, so nothing has to be put together in a second page.
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
    // A theme changes nothing but colors.
    const { violations } = await (theme === 'light' ? axe : axe.withRules(['color-contrast'])).analyze()
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    faults.push(...serious.map(({ id, nodes }) => `${theme} ${id} ${String(nodes[0]?.target)}`))
  }
  return faults
}

/**
 * Changes the theme; what it answers are the texts that kept their color: a color that arrives a frame later, level by
 * level, is read half way.
 */
function changeTheme(page: Page, theme: (typeof THEMES)[number]): Promise<string[]> {
  return page.evaluate((name) => {
    if (document.documentElement.dataset['theme'] === name) return []
    const all = [...document.querySelectorAll<HTMLElement>('main *')]
    const before = all.map((element) => getComputedStyle(element).color)
    document.documentElement.dataset['theme'] = name
    return all
      .filter((element, index) => getComputedStyle(element).color === before[index])
      .map((element) => `${name} has the color of another theme: ${element.outerHTML.slice(0, 120)}`)
  }, theme)
}
