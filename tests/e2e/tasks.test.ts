import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { generateHistory } from '../support/demo/generate-history.ts'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { configSchema } from '../../src/shared/config.ts'
import { sessionRows } from '../support/window/session-rows.ts'
import { farFromMidnight } from '../support/runner/far-from-midnight.ts'
import { noticed } from '../support/window/notices.ts'
import { draftOf } from '../support/store/seeded-store.ts'
import { type TestApp } from '../support/app/start-app.ts'
import { formatUsd } from '../../src/shared/usd.ts'

/**
 * Twelve tasks, each done as a first-time user would: starting from the navigation, guided by the words on screen.
 */
const REASON =
  'I decide for solarized: its text stays readable in daylight, and the marigold accent keeps 4.5:1 on both grounds. Gruvbox looked warmer, but its comments vanish on a projector.'

interface Listed {
  readonly items: readonly {
    id: string
    title: string
    total_cost_usd: number
    session_id: string
    tool_name: string
  }[]
}

/** Fills the store with a few days of generated sessions and one from yesterday about a theme. */
function fill(dataDir: string): void {
  const store = openStore({ dataDir, hashKey: loadHashKey(dataDir), limits: configSchema.parse({}).lifestats })
  const history = { seed: 'new user', sessions: 14, events: 6000, days: 6, until: Date.now() - 60_000 }
  for (const drafts of generateHistory(history)) store.ingest.append(drafts)
  const yesterday = new Date()
  yesterday.setHours(0, -90, 0, 0)
  const at = (ms: number) => new Date(yesterday.getTime() + ms).toISOString()
  const own = { session_id: 'theme-session', project: '/home/ada/garden' }
  store.ingest.append([
    draftOf('user_prompt', { text: 'Which theme do we take for the garden planner?' }, { ...own, at: at(0) }),
    draftOf('thinking', { text: REASON, message_id: 'm1', index: 0, signature_only: false }, { ...own, at: at(2000) }),
    draftOf('assistant_text', { text: 'Solarized it is.', message_id: 'm1', index: 1 }, { ...own, at: at(4000) }),
  ])
  store.maintenance.checkpoint()
  store.close()
}

const test = given({
  screen: {
    viewport: { width: 1280, height: 800 },
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  },
})

describe('a new user', () => {
  test.beforeAll(async ({ folder }) => {
    await farFromMidnight()
    fill(folder)
  })
  test.beforeAll(async ({ page, app }) => {
    await page.goto(app.link)
  })

  const goTo = (page: Page, view: string) => page.getByRole('navigation').getByRole('link', { name: view }).click()
  const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
  const midnight = (daysAgo: number) => {
    const day = new Date()
    day.setHours(0, 0, 0, 0)
    day.setDate(day.getDate() - daysAgo)
    return day.toISOString()
  }
  const yesterdaysLongest = async (app: TestApp) => {
    const span = { since: midnight(1), before: midnight(0), sort: 'active', limit: 1 }
    const { items } = await app.call<Listed>('sessions.list', span)
    if (items[0] === undefined) throw new Error('no session began yesterday')
    return items[0]
  }

  test('1. what did yesterday’s longest session cost, and why?', async ({ page, app }) => {
    const longest = await yesterdaysLongest(app)
    await goTo(page, 'Sessions')
    await page.getByLabel('When', { exact: true }).selectOption('Yesterday')
    await page.getByRole('columnheader', { name: 'Active time' }).getByRole('button').click()
    await sessionRows(page).first().getByText(longest.title).click()
    await page.getByRole('heading', { name: longest.title }).waitFor()
    await page.getByText(formatUsd(longest.total_cost_usd)).first().waitFor()
    await page.getByRole('button', { name: 'Usage' }).click()
    // The most expensive turn comes first and leads to its timeline.
    await page.getByText('most expensive first').waitFor()
    await page
      .getByRole('table')
      .getByRole('button', { name: /^Turn \d/ })
      .first()
      .click()
    await page.getByRole('region', { name: 'Timeline' }).waitFor()
  })

  test('2. copy the reason for the theme decision', async ({ page }) => {
    await goTo(page, 'Recall')
    await page.getByRole('searchbox').fill('solarized theme in daylight')
    const hit = page.getByRole('list', { name: 'Hits' }).getByRole('listitem').filter({ hasText: 'Thinking' })
    await hit.first().getByRole('button', { name: 'Copy this hit' }).click()
    await noticed(page, 'Copied the thinking of this hit')
    expect(await clipboard(page)).toBe(REASON)
  })

  test('3. find the command that failed last', async ({ page, app }) => {
    const { items } = await app.call<Listed>('tools.list', { failed: true, limit: 1 })
    await goTo(page, 'Tools')
    await page.getByRole('button', { name: 'Failed', exact: true }).last().click()
    const newest = page.getByRole('region', { name: 'Latest failed calls' }).getByRole('listitem').first()
    await newest.getByRole('img', { name: 'Failed' }).waitFor()
    await newest.getByText(items[0]?.tool_name ?? '').waitFor()
    await newest.getByRole('link').click()
    await page.getByRole('region', { name: 'Transcript text' }).waitFor()
    await expect.poll(() => page.url()).toContain(items[0]?.session_id)
  })

  test('4. which tool is slowest?', async ({ page, app }) => {
    const { items } = await app.call<{ items: { tool: string; p95_ms: number }[] }>('tools.pace', {})
    const slowest = items.toSorted((one, other) => other.p95_ms - one.p95_ms)[0]?.tool ?? ''
    await goTo(page, 'Tools')
    await page.getByRole('columnheader', { name: '95% within' }).getByRole('button').click()
    await page.getByRole('columnheader', { name: '95% within' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await page.getByRole('table').getByRole('row').nth(1).getByText(slowest).waitFor()
  })

  test('5. resume a session in a terminal', async ({ page }) => {
    await goTo(page, 'Sessions')
    await page.getByRole('searchbox').fill('garden')
    await sessionRows(page).first().getByText('garden planner').click()
    await page.getByRole('button', { name: 'Copy resume command' }).click()
    await noticed(page, 'Paste it in a terminal')
    expect(await clipboard(page)).toMatch(/^cd \/home\/ada\/garden && \S*aspy run -- claude --resume theme-session$/)
  })

  test('6. what did each project cost in the last seven days?', async ({ page }) => {
    await goTo(page, 'Costs')
    await page.getByRole('button', { name: '7 d' }).click()
    await page.getByText('Cost, the last 7 days').waitFor()
    const projects = page.getByRole('region', { name: 'By project' })
    await projects.getByText(/\$\d/).first().waitFor()
  })

  test('7. what was dropped when a session was compacted?', async ({ page, app }) => {
    await goTo(page, 'Recall')
    const { items } = await app.call<Listed>('events.list', { kind: 'compaction', limit: 1 })
    expect(items).toHaveLength(1)
    const session = items[0]?.session_id ?? ''
    await goTo(page, 'Sessions')
    await page.getByRole('searchbox').fill(session)
    await expect.poll(() => sessionRows(page).count()).toBe(1)
    await sessionRows(page).first().getByRole('link').first().click()
    await page.getByRole('button', { name: 'Usage' }).click()
    await page.getByRole('link', { name: 'what was dropped' }).last().click()
    await page.getByText(/The summary kept \S+ of/).waitFor()
  })

  test('8. which prompts did I repeat?', async ({ page }) => {
    await goTo(page, 'Recall')
    await page.getByRole('button', { name: 'All prompts' }).click()
    await page
      .getByText(/^\d+ times/)
      .first()
      .waitFor()
  })

  test('9. is anything lost?', async ({ page }) => {
    await page.getByRole('contentinfo').getByText('Recording', { exact: true }).waitFor()
    await goTo(page, 'Health')
    await page.getByText('Everything that passes through Aspy is being recorded.').waitFor()
    await page.getByText('nothing lost').waitFor()
  })

  test('10. switch to the dark theme', async ({ page }) => {
    await goTo(page, 'Settings')
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Dark', { exact: true }).click()
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Light', { exact: true }).click()
  })

  test('11. export this month’s costs as a table', async ({ page }) => {
    await goTo(page, 'Costs')
    await page.getByRole('heading', { name: 'Cost by' }).waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export costs' }).click()
    await page.getByRole('button', { name: 'Save file' }).click()
    const saved = await saving
    expect(await readFile(await saved.path(), 'utf8')).toMatch(/^bucket,model,cost_usd/)
    await noticed(page, /^Saved costs.csv: \d+ rows?/)
  })

  test('12. where was that word said in this session?', async ({ page }) => {
    await goTo(page, 'Sessions')
    await page.getByRole('searchbox').fill('garden')
    await sessionRows(page).first().getByText('garden planner').click()
    await page.getByRole('searchbox', { name: 'Find in this session' }).fill('marigold')
    await page.getByRole('search').getByRole('status').getByText('1').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Transcript text' }).getByText('marigold').first().waitFor()
  })

  test('no errors were logged to the console', ({ problems }) => {
    expect(problems).toEqual([])
  })
})
