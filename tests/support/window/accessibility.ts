import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isHeavy } from '../runner/heavy.ts'

const THEMES = ['light', 'dark', 'solarized-light', 'solarized-dark'] as const

/** The axe engine alone, so that it is injected once per page and not once per theme. */
const ENGINE = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
)

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly target: unknown }[]
}
interface Axe {
  run(context: Document, options: object): Promise<{ readonly violations: readonly Violation[] }>
}

/** The two that a system chooses. */
const USUAL = THEMES.slice(0, 2)

/**
 * All themes in heavy runs, otherwise light or dark by the name of the test, so that a test has the same one whichever
 * run before it: `window-widths.test.ts` looks at every view in both.
 */
function ofTest(): readonly (typeof THEMES)[number][] {
  if (isHeavy) return THEMES
  const { currentTestName, testPath } = expect.getState()
  const [byte = 0] = createHash('sha256')
    .update(currentTestName ?? testPath ?? '')
    .digest()
  return [byte % 2 === 0 ? 'light' : 'dark']
}

/** Returns serious accessibility violations of the page in each of these themes. */
export async function accessFaults(
  page: Page,
  themes: readonly (typeof THEMES)[number][] = ofTest(),
): Promise<string[]> {
  const faults: string[] = []
  for (const [at, theme] of themes.entries()) {
    faults.push(...(await changeTheme(page, theme)))
    // Themes differ only in colors.
    const only = at === 0 ? {} : { runOnly: { type: 'rule', values: ['color-contrast'] } }
    for (const fault of await violated(page, only)) faults.push(`${theme} ${fault}`)
  }
  return faults
}

/** Returns faults in light and dark at the main width of a test, in all themes in heavy runs; otherwise what depends on the width. */
export const faultsAtWidth = (page: Page, isMain: boolean): Promise<string[]> =>
  isMain || isHeavy ? accessFaults(page, isHeavy ? THEMES : USUAL) : unreachable(page)

/** Returns what scrolls and cannot be reached by keys, and what has lost its name with a text that is left out: both depend on the width. */
async function unreachable(page: Page): Promise<string[]> {
  return violated(page, { runOnly: { type: 'tag', values: ['cat.keyboard', 'cat.name-role-value'] } })
}

async function violated(page: Page, only: object): Promise<string[]> {
  // A page keeps its engine until it is loaded again.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(ENGINE)
  const violations = await page.evaluate(
    async (options) => {
      const { axe } = window as unknown as { readonly axe: Axe }
      const found = await axe.run(document, options)
      return found.violations.map(({ id, impact, nodes }) => ({ id, impact, target: String(nodes[0]?.target) }))
    },
    { resultTypes: ['violations'], ...only },
  )
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, target }) => `${id} ${target}`)
}

/**
 * Changes the theme and returns elements that kept their color. A color that changes a frame later would be measured in
 * transition.
 */
function changeTheme(page: Page, theme: (typeof THEMES)[number]): Promise<string[]> {
  return page.evaluate((name) => {
    const { dataset } = document.documentElement
    // The two light themes share some colors, which would look as if they had not changed.
    if (name.endsWith('light')) dataset['theme'] = 'dark'
    if (dataset['theme'] === name) return []
    const all = [...document.querySelectorAll<HTMLElement>('main *')]
    const before = all.map((element) => getComputedStyle(element).color)
    dataset['theme'] = name
    return all
      .filter((element, index) => getComputedStyle(element).color === before[index])
      .map((element) => `${name} has the color of another theme: ${element.outerHTML.slice(0, 120)}`)
  }, theme)
}
