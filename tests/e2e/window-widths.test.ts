import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, test } from '../support/window/window-test.ts'
import { faultsAtWidth } from '../support/window/accessibility.ts'
import { follow } from '../support/window/follow.ts'
import { few, isHeavy } from '../support/runner/heavy.ts'

const SESSION = '/sessions/0193a1c4-7c1e-7a10-9d54-000000000001'
const VIEWS = [
  '/live',
  '/sessions',
  SESSION,
  `${SESSION}?event=u-414&details=yes`,
  `${SESSION}?tab=timeline`,
  `${SESSION}?tab=lineage`,
  `${SESSION}?tab=requests`,
  `${SESSION}?tab=numbers`,
  `${SESSION}?tab=files`,
  '/exchanges/u-402',
  '/exchanges/u-402?part=headers',
  '/recall',
  '/recall?q=solarized',
  '/recall?tab=prompts',
  '/costs',
  '/costs?compare=yes',
  '/costs?table=yes',
  '/costs?tab=why',
  '/costs?tab=context',
  '/costs?tab=limits',
  '/costs?tab=served',
  '/costs/receipt',
  '/costs/advice',
  '/guard',
  '/tools',
  '/health',
  '/settings',
] as const
const NARROWEST = 420
const USUAL = 1440
const WIDEST = 2560
/** What is right in the narrowest window and in the usual one is nearly always right in these. */
const OTHERS = [800, 1024, WIDEST] as const

describe('from a third of a screen to a wide one', () => {
  test.for(VIEWS)(
    'nothing of %s leaves the screen or its box, and all of it is accessible',
    async (view, { page, harness, problems }) => {
      problems.length = 0
      await follow(page, harness.url + view)
      await page.locator('main :is(h1, h2)').first().waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      // Letters of charts are largest in the widest.
      const others = OTHERS.filter((width) => isHeavy || (width === WIDEST && view.startsWith('/costs?tab')))
      for (const width of [NARROWEST, ...others, USUAL]) {
        await page.setViewportSize({ width, height: 860 })
        // Charts are drawn again a moment later.
        await expect
          .poll(async () => [width, await outside(page), await cutInCharts(page), await spilled(page)])
          .toEqual([width, [], [], []])
        const faults = width === USUAL || isHeavy ? faultsAtWidth(page, width === USUAL) : []
        expect([width, await faults]).toEqual([width, []])
      }
      // The generated data answers no question about a session's files, causes or numbers.
      expect(problems.filter((problem) => !problem.includes('404 (Not Found)'))).toEqual([])
    },
  )

  test('the frame and the header of a session can be hit: nothing is smaller than 24 px', async ({ page, harness }) => {
    await page.setViewportSize({ width: 420, height: 860 })
    for (const density of few(['Compact', 'Large', 'Normal'], 1)) {
      await page.goto(`${harness.url}/settings`)
      await page.getByRole('group', { name: 'Density' }).getByRole('button', { name: density }).click()
      await page.goto(harness.url + SESSION)
      await page.getByRole('button', { name: 'Copy resume command' }).waitFor()
      await expect.poll(() => page.locator('html').getAttribute('data-density')).toBe(density.toLowerCase())
      expect([density, await small(page)]).toEqual([density, []])
    }
  })

  test('in a narrow window, filters take one line and a pack leaves the hits their room', async ({ page, harness }) => {
    await page.setViewportSize({ width: 420, height: 860 })
    await page.goto(`${harness.url}/recall?q=solarized`)
    const boxes = page.getByRole('checkbox', { name: /pack/i })
    await boxes.first().check()
    const hits = page.getByRole('region', { name: 'Hits' })
    const heightOf = async (name: Locator) => Math.round((await name.boundingBox())?.height ?? 0)
    const pack = page.getByRole('complementary', { name: 'Pack' })
    await pack.getByRole('button', { name: 'Copy pack' }).waitFor()
    // A line of filters is 28 px high, the header, the field, and a folded pack are 210 px together.
    await expect.poll(() => heightOf(hits)).toBeGreaterThan(480)
    expect(await pack.getByRole('textbox').count()).toBe(0)
    await pack.getByRole('button', { name: 'Show the whole pack' }).click()
    await pack.getByRole('textbox', { name: 'Title of the pack' }).waitFor()
    await pack.getByRole('button', { name: 'Show less of the pack' }).click()
    await expect.poll(() => pack.getByRole('textbox').count()).toBe(0)
    // A filter outside of the line scrolls into view for the keyboard as for the pointer.
    await page.getByRole('combobox', { name: 'Time range' }).focus()
    await expect
      .poll(async () => (await page.getByRole('combobox', { name: 'Time range' }).boundingBox())?.x)
      .toBeLessThan(420)
    await pack.getByRole('button', { name: 'Clear' }).click()
  })

  test('a narrow list of requests names a cache miss whole', async ({ page, harness }) => {
    await page.setViewportSize({ width: 420, height: 860 })
    await page.goto(`${harness.url}${SESSION}?tab=requests`)
    const badges = page.getByRole('row').getByText('Miss', { exact: true })
    await badges.first().waitFor()
    const cut = await badges.evaluateAll((all) =>
      all.filter((badge) => {
        const cell = badge.closest('[role=gridcell], [role=cell]')
        return cell === null || badge.getBoundingClientRect().right > cell.getBoundingClientRect().right
      }),
    )
    expect(cut).toEqual([])
  })

  test('in a narrow window the actions of a session share the line of the way back', async ({ page, harness }) => {
    await page.setViewportSize({ width: NARROWEST, height: 860 })
    await page.goto(harness.url + SESSION)
    const middleOf = async (what: Locator) => {
      const { y, height } = (await what.boundingBox()) ?? { y: Infinity, height: 0 }
      return y + height / 2
    }
    const back = await middleOf(page.getByRole('main').getByRole('link', { name: 'All sessions' }))
    for (const name of ['Star', 'Delete', 'Copy resume command'])
      expect(Math.abs((await middleOf(page.getByRole('button', { name, exact: true }))) - back)).toBeLessThan(12)
  })

  test('Health opens its details where there is room for them', async ({ page, harness }) => {
    const facts = page.getByRole('region', { name: 'Where it runs' }).getByText('Data folder')
    for (const [width, isOpen] of [
      [NARROWEST, false],
      [USUAL, true],
    ] as const) {
      await page.setViewportSize({ width, height: 860 })
      await page.goto(`${harness.url}/health`)
      await facts.waitFor({ state: 'attached' })
      expect([width, await facts.isVisible()]).toEqual([width, isOpen])
    }
    // What is open stays so when the window gets narrow and its figures are read again.
    await page.setViewportSize({ width: NARROWEST, height: 860 })
    await page.waitForResponse(/health\.get/)
    await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))))
    expect(await facts.isVisible()).toBe(true)
  })

  test('the facts of a session fade only if they do not fit', async ({ page, harness }) => {
    await page.setViewportSize({ width: NARROWEST, height: 860 })
    await page.goto(`${harness.url}/sessions`)
    const facts = page.locator('.fade-end')
    await facts.first().waitFor()
    const faded = await facts.evaluateAll((all) =>
      all
        .filter((line) => line.scrollWidth <= line.clientWidth)
        .map((line) => line.getBoundingClientRect().right - (line.lastElementChild?.getBoundingClientRect().right ?? 0))
        .filter((room) => room < 20),
    )
    expect(faded).toEqual([])
  })

  test('the details of an event leave no strip of the transcript in a narrow window', async ({ page, harness }) => {
    await page.goto(`${harness.url}${SESSION}?event=u-1&details=yes`)
    const details = page.getByRole('complementary', { name: 'Event details' })
    const widthOf = async (width: number) => {
      await page.setViewportSize({ width, height: 860 })
      const { width: all = 0 } = (await page.getByRole('main').boundingBox()) ?? {}
      return all - ((await details.boundingBox())?.width ?? 0)
    }
    await details.waitFor()
    await expect.poll(() => widthOf(420)).toBe(0)
    await expect.poll(() => widthOf(800)).toBeGreaterThan(360)
  })

  test('text of the stream is set no wider than it can be read', async ({ page, harness }) => {
    await page.setViewportSize({ width: 2560, height: 1440 })
    await page.goto(`${harness.url}/live`)
    const stream = page.getByRole('region', { name: 'Event stream' })
    const answer = stream.getByLabel('Open this answer in its session').first()
    await answer.waitFor()
    // 54 rem, of 18 px each.
    const width = await answer.evaluate((link) => link.nextElementSibling?.clientWidth ?? Infinity)
    expect(width).toBeLessThanOrEqual(54 * 18)
    // Thinking is Markdown, too.
    await stream.locator('strong', { hasText: 'contrast' }).first().waitFor()
  })

  test('tabs that do not fit scroll, and fade where there is more', async ({ page, harness }) => {
    await page.setViewportSize({ width: 320, height: 860 })
    await page.goto(harness.url + SESSION)
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
    return [...document.querySelectorAll('body *:not(svg *)')]
      .filter((element) => {
        const { width, height, right } = element.getBoundingClientRect()
        return width > 1 && height > 1 && right > innerWidth + 1 && !isScrolled(element.parentElement)
      })
      .map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`)
  })
}

/** Returns the words of charts that their edges cut. */
function cutInCharts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main svg text')]
      .filter((text) => {
        const [own, chart] = [text, text.closest('svg')].map((element) => element?.getBoundingClientRect())
        return own !== undefined && chart !== undefined && (own.right > chart.right + 1 || own.left < chart.left - 1)
      })
      .map(({ textContent }) => textContent),
  )
}

/** How far the room for a focus ring may reach beyond a box, in px. */
const RING_PX = 5

/** Returns the innermost elements whose content is wider than they are and covers their neighbours. */
function spilled(page: Page): Promise<string[]> {
  return page.evaluate((ring) => {
    const spills = (element: Element): boolean => {
      const { display, overflowX } = getComputedStyle(element)
      return (
        !/^(?:inline|contents|none)$/.test(display) &&
        overflowX === 'visible' &&
        element.clientWidth > 0 &&
        element.scrollWidth > element.clientWidth + ring
      )
    }
    return [...document.querySelectorAll('main *:not(svg, svg *, .sr-only)')]
      .filter((element) => spills(element) && ![...element.children].some(spills))
      .map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`)
  }, RING_PX)
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
