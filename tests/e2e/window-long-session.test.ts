import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { heavily } from '../support/runner/heavy.ts'
import { describe, test } from '../support/window/window-test.ts'
import { type TestApp } from '../support/app/start-app.ts'
import { ToldSession } from '../support/transcripts/told-session.ts'
import { accessFaults } from '../support/window/accessibility.ts'

const TURNS = 120

/** 120 turns with three tool calls each, so a page of events is far from all of it; an agent in turn 2; a failure in turn 100. */
function longSession(): ToldSession {
  const session = new ToldSession('long')
  for (let turn = 1; turn <= TURNS; turn += 1) {
    session.prompt(`Prompt ${turn}: go on`)
    if (turn === 2) {
      const first = session.agent('a1', 'Review the rounding', (agent) =>
        agent.tool('Read', { file_path: '/a' }, { output: 'x' }),
      )
      const second = session.agent('a2', 'Review the totals', (agent) => {
        for (let step = 0; step < 250; step += 1) agent.tool('Read', { file_path: `/b${step}` }, { output: 'x' })
      })
      session.result(second, { output: 'Totals are right' }).result(first, {
        output: 'Rounding is right',
        detail: { status: 'completed', agentId: 'a1', totalDurationMs: 3500 },
      })
    }
    for (let step = 1; step <= 3; step += 1) {
      const file = { file_path: `/home/user/shop/file-${step}.ts` }
      session.tool(
        'Edit',
        { ...file, old_string: `old ${turn}`, new_string: `new ${turn}\nmore` },
        {
          output: turn === 100 && step === 1 ? 'String not found' : 'ok',
          isError: turn === 100 && step === 1,
        },
      )
    }
    session.answer(turn === 90 ? 'A walrus is in here, and one more walrus.' : `Answer ${turn}`)
  }
  return session
}

describe('a long session', () => {
  let transcript: Locator
  let outline: Locator

  test.beforeAll(async ({ page, app, outside }) => {
    await longSession().importInto(app, outside)
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    transcript = page.getByRole('region', { name: 'Transcript text' })
    outline = page.getByRole('navigation', { name: 'Prompts of this session' })
  })

  const open = async (page: Page, app: TestApp, query = '') => {
    await page.goto(`${app.app}/sessions/long${query}`)
    await transcript
      .getByText(/^Prompt \d+/)
      .first()
      .waitFor()
  }
  const current = () => outline.locator('[aria-current="true"]').innerText()

  test('Page Down works at once, End and G go to the newest message, Home and g g to the first', async ({
    page,
    app,
  }) => {
    await open(page, app)
    await transcript.getByText('Prompt 3: go on').waitFor()
    // The focus that makes it scroll has no ring until the keyboard moves it.
    const ring = () => transcript.evaluate((node) => getComputedStyle(node).outlineStyle)
    expect(await ring()).toBe('none')
    await page.keyboard.press('PageDown')
    await expect.poll(() => transcript.evaluate((node) => node.scrollTop)).toBeGreaterThan(200)
    expect(await ring()).toBe('none')
    await page.keyboard.press('Shift+Tab')
    await transcript.focus()
    expect(await ring()).toBe('solid')
    await page.keyboard.press('End')
    await transcript.getByText('Answer 120').waitFor()
    await expect.poll(current).toContain('Prompt 120')
    await page.keyboard.press('Home')
    await transcript.getByText('Prompt 1: go on').waitFor()
    await expect.poll(() => transcript.evaluate((node) => node.scrollTop)).toBe(0)
    await page.keyboard.press('Shift+G')
    await transcript.getByText('Answer 120').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('g')
    await transcript.getByText('Prompt 1: go on').waitFor()
    // The end has its own address.
    await open(page, app, '?at=end')
    await transcript.getByText('Answer 120').waitFor()
  })

  test('the outline follows the transcript and has the cost and failures of each turn', async ({ page, app }) => {
    await open(page, app)
    await expect.poll(current).toContain('Prompt 1:')
    await transcript.hover()
    const seen: string[] = []
    for (let step = 0; step < 60 && !seen.at(-1)?.includes('Prompt 12:'); step += 1) {
      await page.mouse.wheel(0, 500)
      seen.push(await current())
    }
    await expect.poll(current).toMatch(/Prompt (?!1:)\d+:/)
    await outline.getByText('$0').first().waitFor()
    await page.goto(`${app.app}/sessions/long?at=end`)
    await outline.getByRole('img', { name: /^Failed in this turn: 1 failed tool/ }).waitFor()
    await page.locator('[data-session-map]').waitFor()
  })

  test('calls and agents have their ends though the pages with them are not loaded', async ({ page, app }) => {
    await open(page, app)
    const agent = (name: string) => transcript.getByRole('button', { name: new RegExp(`^${name}`) })
    await agent('Review the rounding').waitFor()
    await agent('Review the rounding').getByText('Explore').waitFor()
    await agent('Review the rounding').getByText('1 tool call').waitFor()
    await agent('Review the totals').getByText('250 tool calls').waitFor()
    for (const name of ['Review the rounding', 'Review the totals']) {
      await agent(name).getByRole('img', { name: 'Ended' }).waitFor()
    }
    expect(await transcript.getByText('no end recorded').count()).toBe(0)
    // One row each: the call, with the agent's own events below it.
    expect(await transcript.getByRole('button', { name: /^Agent/ }).count()).toBe(0)
    await agent('Review the rounding').click()
    await transcript.getByText('Do it: Review the rounding').waitFor()
    await transcript
      .getByRole('button', { name: /^Read \/a/ })
      .getByRole('img', { name: 'Succeeded' })
      .waitFor()
  })

  test('a search in the session marks its words, counts all hits, and stays in the address', async ({ page, app }) => {
    await open(page, app)
    await page.keyboard.press('/')
    await page.keyboard.type('walrus')
    await page.getByRole('status').filter({ hasText: /^1$/ }).waitFor()
    await page.keyboard.press('Enter')
    await transcript.getByText('A walrus is in here').waitFor()
    const marks = () => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map((range) => String(range)))
    await expect.poll(marks).toEqual(['walrus', 'walrus'])
    await expect.poll(() => page.url()).toContain('find=walrus')
    await page.reload()
    await expect.poll(marks).toEqual(['walrus', 'walrus'])
    await expect.poll(() => page.getByRole('searchbox', { name: 'Find in this session' }).inputValue()).toBe('walrus')
    await page.getByRole('searchbox', { name: 'Find in this session' }).fill('answer')
    await page.getByRole('status').filter({ hasText: /^119$/ }).waitFor()
  })

  test('a hit of Recall opens with its words marked', async ({ page, app }) => {
    await page.goto(`${app.app}/recall?q=walrus`)
    await page.getByRole('listitem').filter({ hasText: 'walrus' }).getByRole('link').first().click()
    await transcript.getByText('A walrus is in here').waitFor()
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('found')?.size ?? 0)).toBe(2)
  })

  heavily(test)('the changed files have every edit that succeeded, with a way to its call', async ({ page, app }) => {
    await open(page, app)
    await page.getByRole('button', { name: 'Files changed' }).click()
    const files = page.getByRole('region', { name: 'Files changed' })
    await files.getByText('3 files changed').waitFor()
    await files.getByRole('button', { name: /^file-1\.ts 119 edits 238 lines added, 119 removed/ }).waitFor()
    await files.getByText('As recorded').waitFor()
    const net = files.getByRole('region', { name: 'Net change of /home/user/shop/file-1.ts' })
    await net.getByText('Only lines that an edit names are known.').waitFor()
    await files.getByRole('group', { name: 'View of /home/user/shop/file-1.ts' }).getByText('Edits').click()
    const edits = files.getByRole('list', { name: 'Edits of /home/user/shop/file-1.ts' }).getByRole('listitem')
    await expect.poll(() => edits.count()).toBe(20)
    await files.getByRole('button', { name: 'Show all 119 edits' }).click()
    await expect.poll(() => edits.count()).toBe(119)
    await files.getByRole('button', { name: 'Show in transcript' }).first().click()
    await transcript.getByText('Prompt 1: go on').waitFor()
  })

  test('an unknown session says so, with a way back', async ({ page, app }) => {
    await page.goto(`${app.app}/sessions/nowhere`)
    await page.getByRole('heading', { name: 'No such session' }).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await page.getByRole('link', { name: 'all sessions', exact: true }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  })

  heavily(test)(
    'in a narrow window the header makes room for what is read, and comes back at the top',
    async ({ page, app }) => {
      await page.setViewportSize({ width: 420, height: 900 })
      await open(page, app)
      const heightOf = () => transcript.evaluate((node) => node.clientHeight)
      const star = page.getByRole('button', { name: 'Star', exact: true })
      await star.waitFor()
      // The last line of the header is loaded after the others.
      await page.getByRole('link', { name: 'This session' }).waitFor()
      const before = await heightOf()
      await transcript.hover()
      await page.mouse.wheel(0, 900)
      await star.waitFor({ state: 'hidden' })
      expect(await heightOf()).toBeGreaterThan(before + 50)
      const figures = await page
        .locator('dl', { has: page.getByRole('button', { name: /go to the next error/ }) })
        .boundingBox()
      // What is hidden takes no room beside them.
      expect(figures?.x).toBe((await page.getByRole('heading', { level: 1 }).boundingBox())?.x)
      // Wide code scrolls sideways, which ends no reading.
      await transcript.evaluate(async (node) => {
        const code = document.createElement('pre')
        code.style.cssText = 'position: absolute; width: 100px; height: 400px; overflow: auto hidden'
        code.textContent = 'wide '.repeat(99)
        node.append(code)
        const isScrolled = new Promise((resolve) => code.addEventListener('scroll', resolve))
        code.scrollLeft = 50
        await isScrolled
        await new Promise((resolve) => requestAnimationFrame(resolve))
        code.remove()
      })
      expect(await star.isVisible()).toBe(false)
      await page.mouse.wheel(0, -2000)
      await star.waitFor()
      await page.setViewportSize({ width: 1440, height: 900 })
    },
  )

  heavily(test)(
    'reads that are folded stay in place when earlier ones are loaded above them',
    async ({ page, app, outside }) => {
      const session = new ToldSession('reads')
      for (let turn = 1; turn <= 40; turn += 1) session.prompt(`Question ${turn}`).answer(`Answer ${turn}`)
      for (let file = 1; file <= 150; file += 1)
        session.tool('Read', { file_path: `/home/user/shop/${file}.ts` }, { output: 'x' })
      for (let turn = 1; turn <= 20; turn += 1) session.prompt(`Last ${turn}`).answer(`End ${turn}`)
      await session.importInto(app, outside)
      await page.goto(`${app.app}/sessions/reads?at=end`)
      await transcript.getByText('End 20', { exact: true }).waitFor()
      await transcript.evaluate((node) => node.scrollTo(0, 0))
      const run = transcript.getByRole('button', { name: /^Read \d+ times in a row/ })
      await run.waitFor()
      const before = await run.innerText()
      await page.getByRole('button', { name: 'Load earlier' }).click()
      await expect.poll(() => run.innerText()).not.toBe(before)
      expect(await run.isVisible()).toBe(true)
      await transcript.getByText('Last 1', { exact: true }).waitFor()
    },
  )

  test('nothing of it is a fault for a screen reader', async ({ page, app }) => {
    await open(page, app, '?find=walrus')
    expect(await accessFaults(page)).toEqual([])
    await page.goto(`${app.app}/sessions/long?tab=files`)
    await page.getByText('3 files changed').waitFor()
    expect(await accessFaults(page)).toEqual([])
  })
})
