import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { heavily } from '../support/runner/heavy.ts'
import { describe, given } from '../support/window/window-test.ts'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import { DEMO_HISTORY } from '../support/demo/demo-history.ts'
import { generateHistory } from '../support/demo/generate-history.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { configSchema } from '../../src/shared/config.ts'
import { farFromMidnight } from '../support/runner/far-from-midnight.ts'
import { usageOf } from '../support/store/history.ts'
import { draftOf } from '../support/store/seeded-store.ts'
import { noticed } from '../support/window/notices.ts'
import { sessionRows } from '../support/window/session-rows.ts'

const DECISION = 'I decide for marigold: it keeps 4.5:1 on both grounds, and gamboge does not.'
const COSTLY = 'Rewrite the almanac in one go'
const AGENT_FAILS = 'Have an agent review the rounding'

/** Sessions about what the tasks look for: a decision three days ago, an expensive one yesterday, a failing test today. */
function plantedSessions(now: number): AnyDraft[] {
  const start = new Date(now).setHours(0, 0, 0, 0)
  const draft = (kind: AnyDraft['kind'], session: string, at: number, payload: object, more: object = {}) =>
    draftOf(kind as 'user_prompt', payload as { text: string }, {
      session_id: session,
      project: `/home/ada/${session}`,
      at: new Date(at).toISOString(),
      ...more,
    })
  const [past, yesterday] = [start - 3 * 86_400_000, start - 6 * 3_600_000]
  const block = { message_id: null, index: 0 }
  const result = {
    call_id: 't1',
    tool_name: 'Bash',
    output: '2 failed: rounds half up',
    is_error: true,
    rejected: false,
  }
  const usage = usageOf({ input_tokens: 9_000_000 })
  return [
    draft('user_prompt', 'garden', past, { text: 'Which accent do we take?' }),
    draft('assistant_text', 'garden', past + 1000, { text: DECISION, message_id: 'd1', index: 0 }),
    draft('user_prompt', 'costly', yesterday, { text: COSTLY }),
    draft('api_usage', 'costly', yesterday + 1000, {
      message_id: 'c1',
      model: 'claude-opus-4-8',
      usage,
      request_kind: 'loop',
      basis: 'measured',
      ttft_ms: null,
    }),
    draft('user_prompt', 'rounding', now - 60_000, { text: AGENT_FAILS }),
    draft('tool_call', 'rounding', now - 59_000, {
      call_id: 'a1',
      tool_name: 'Agent',
      input: { description: 'Review the rounding', prompt: 'Do it' },
      ...block,
    }),
    draft(
      'tool_call',
      'rounding',
      now - 50_000,
      {
        call_id: 't1',
        tool_name: 'Bash',
        input: { command: 'npm test -- rounding' },
        ...block,
      },
      { agent_id: 'reviewer' },
    ),
    draft('tool_result', 'rounding', now - 40_000, result, { agent_id: 'reviewer', success: false }),
  ]
}

const test = given({
  screen: {
    viewport: { width: 1280, height: 800 },
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  },
})

describe('six tasks of a new user', () => {
  let clicks = 0

  test.beforeAll(async ({ folder }) => {
    await farFromMidnight()
    const now = Date.now()
    const store = openStore({
      dataDir: folder,
      hashKey: loadHashKey(folder),
      limits: configSchema.parse({}).lifestats,
    })
    for (const drafts of generateHistory({ ...DEMO_HISTORY, until: now - 120_000 })) store.ingest.append(drafts)
    store.ingest.append(plantedSessions(now))
    store.maintenance.checkpoint()
    store.close()
  })
  test.beforeEach(async ({ page, app }) => {
    await page.goto(app.link)
    // The pack of the task before.
    await page.evaluate(() => sessionStorage.clear())
    await page.reload()
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    clicks = 0
  })

  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  /** With a mouse, a choice in a menu is two clicks. */
  const choose = async (menu: Locator, option: string) => {
    clicks += 2
    await menu.selectOption(option)
  }
  const goTo = (page: Page, view: string) => click(page.getByRole('navigation').getByRole('link', { name: view }))
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first()
  const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
  const openSession = async (page: Page, words: string) => {
    await goTo(page, 'Sessions')
    await page.getByRole('searchbox').fill(words)
    await expect.poll(() => sessionRows(page).count()).toBe(1)
    await click(sessionRows(page).first().getByRole('link').first())
    await page.getByRole('region', { name: 'Transcript text' }).waitFor()
  }

  test('find a decision of last week and copy it for Claude', async ({ page }) => {
    await goTo(page, 'Recall')
    await page.getByRole('searchbox').fill('decide marigold or gamboge')
    await choose(page.getByLabel('Time range'), '7d')
    const hit = page.getByRole('list', { name: 'Hits' }).getByRole('listitem').filter({ hasText: 'marigold' })
    await click(hit.first().getByRole('checkbox', { name: 'Add to pack' }))
    await click(button(page, 'Copy pack'))
    await noticed(page, /^Copied the pack/)
    expect(await clipboard(page)).toContain(DECISION)
    expect(clicks).toBeLessThanOrEqual(5)
  })

  heavily(test)('find why yesterday cost twice as much', async ({ page }) => {
    await goTo(page, 'Costs')
    await click(button(page, 'Compare'))
    const chart = page.locator('.recharts-surface').first()
    await chart.waitFor()
    const bars = page.locator('.recharts-bar-rectangle path')
    await bars.first().waitFor()
    // The tallest column is yesterday's.
    const boxes = await bars.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    await click(bars.nth(boxes.indexOf(Math.max(...boxes))))
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await expect.poll(() => sessionRows(page).first().textContent()).toContain(COSTLY)
    await click(sessionRows(page).first().getByRole('link').first())
    await click(button(page, 'Usage'))
    await click(
      page
        .getByRole('table')
        .getByRole('button', { name: /^Turn \d/ })
        .first(),
    )
    await page.getByRole('region', { name: 'Timeline' }).waitFor()
    expect(clicks).toBeLessThanOrEqual(6)
  })

  test('find the failing test of an agent', async ({ page }) => {
    await openSession(page, AGENT_FAILS)
    await click(page.getByRole('button', { name: /1 failed tool.*go to the next error/ }))
    await page.locator('.ring-accent').getByText('2 failed: rounds half up').waitFor()
    await page.locator('.ring-accent').getByText('npm test -- rounding').first().waitFor()
    await page
      .locator('.ring-accent')
      .getByText(/^Agent: /)
      .waitFor()
    expect(clicks).toBeLessThanOrEqual(3)
  })

  test('see what a compaction dropped and bring two things back', async ({ page, app }) => {
    const { items } = await app.call<{ items: { session_id: string }[] }>('events.list', {
      kind: 'compaction',
      limit: 1,
    })
    await openSession(page, items[0]?.session_id ?? '')
    await click(page.getByRole('button', { name: /compactions?: see what was dropped$/ }))
    const boxes = page.getByRole('region', { name: 'What was dropped' }).getByRole('checkbox')
    await click(boxes.nth(0))
    await click(boxes.nth(1))
    await click(button(page, 'Copy pack'))
    await noticed(page, /^Copied the pack: 2 hits/)
    expect(clicks).toBeLessThanOrEqual(6)
  })

  heavily(test)('share one session', async ({ page }) => {
    await openSession(page, 'almanac in one go')
    await click(button(page, 'Export session'))
    await click(page.getByRole('menuitem', { name: /HTML page/ }))
    const saving = page.waitForEvent('download')
    await click(button(page, 'Save page'))
    expect(await readFile(await (await saving).path(), 'utf8')).toContain(COSTLY)
    expect(clicks).toBeLessThanOrEqual(5)
  })

  heavily(test)('clean up a project’s sessions', async ({ page, app }) => {
    const [project, before] = [
      '/home/dev/ferry',
      (await app.call<{ items: unknown[] }>('sessions.list', { project: '/home/dev/ferry', limit: 100 })).items.length,
    ]
    expect(before).toBeGreaterThan(0)
    await goTo(page, 'Sessions')
    await choose(page.getByLabel('Project', { exact: true }), project)
    await expect.poll(() => page.url()).toContain('ferry')
    const rows = sessionRows(page).filter({ hasNotText: 'ferry' })
    await expect.poll(() => rows.count()).toBe(0)
    await click(page.getByRole('checkbox', { name: 'Select all loaded sessions' }))
    await click(button(page, 'Delete'))
    await click(page.getByRole('dialog').getByRole('button', { name: /^Delete \d+ sessions/ }))
    await page.getByText('No matching sessions').waitFor()
    expect(clicks).toBeLessThanOrEqual(6)
  })
})
