import { readFile } from 'node:fs/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import { generateHistory } from '../support/demo/generate-history.ts'
import { DEMO_HISTORY } from '../support/demo/demo-history.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { configSchema } from '../../src/shared/config.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { farFromMidnight } from '../support/runner/far-from-midnight.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { usageOf } from '../support/store/history.ts'
import { draftOf } from '../support/store/seeded-store.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { keepNotices, noticed } from '../support/window/notices.ts'
import { sessionRows } from '../support/window/session-rows.ts'
import { lacks } from '../support/runner/lacks.ts'

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

describe.skipIf(lacks(findChromium() !== null))('six tasks of a new user', () => {
  let browser: Browser
  let page: Page
  let folder: TempFolder
  let app: TestApp
  let clicks = 0

  beforeAll(async () => {
    await farFromMidnight()
    folder = makeTempFolder('aspy-six-')
    const now = Date.now()
    const store = openStore({
      dataDir: folder.path,
      hashKey: loadHashKey(folder.path),
      limits: configSchema.parse({}).lifestats,
    })
    for (const drafts of generateHistory({ ...DEMO_HISTORY, until: now - 120_000 })) store.ingest.append(drafts)
    store.ingest.append(plantedSessions(now))
    store.maintenance.checkpoint()
    store.close()
    app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
    browser = await launchBrowser()
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      acceptDownloads: true,
    })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await keepNotices(context)
    page = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    folder?.remove()
  })
  beforeEach(async () => {
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
  const goTo = (view: string) => click(page.getByRole('navigation').getByRole('link', { name: view }))
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first()
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  const openSession = async (words: string) => {
    await goTo('Sessions')
    await page.getByRole('searchbox').fill(words)
    await expect.poll(() => sessionRows(page).count()).toBe(1)
    await click(sessionRows(page).first().getByRole('link').first())
    await page.getByRole('region', { name: 'Transcript text' }).waitFor()
  }

  test('find a decision of last week and copy it for Claude', async () => {
    await goTo('Recall')
    await page.getByRole('searchbox').fill('decide marigold or gamboge')
    await choose(page.getByLabel('Time range'), '7d')
    const hit = page.getByRole('list', { name: 'Hits' }).getByRole('listitem').filter({ hasText: 'marigold' })
    await click(hit.first().getByRole('checkbox', { name: 'Add to pack' }))
    await click(button('Copy pack'))
    await noticed(page, /^Copied the pack/)
    expect(await clipboard()).toContain(DECISION)
    expect(clicks).toBeLessThanOrEqual(5)
  })

  test('find why yesterday cost twice as much', async () => {
    await goTo('Costs')
    await click(button('Compare'))
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
    await click(button('Usage'))
    await click(
      page
        .getByRole('table')
        .getByRole('button', { name: /^Turn \d/ })
        .first(),
    )
    await page.getByRole('region', { name: 'Timeline' }).waitFor()
    expect(clicks).toBeLessThanOrEqual(6)
  })

  test('find the failing test of an agent', async () => {
    await openSession(AGENT_FAILS)
    await click(page.getByRole('button', { name: /1 tool.*go to the next error/ }))
    await page.locator('.ring-accent').getByText('2 failed: rounds half up').waitFor()
    await page.locator('.ring-accent').getByText('npm test -- rounding').first().waitFor()
    expect(clicks).toBeLessThanOrEqual(3)
  })

  test('see what a compaction dropped and bring two things back', async () => {
    const { items } = await app.call<{ items: { session_id: string }[] }>('events.list', {
      kind: 'compaction',
      limit: 1,
    })
    await openSession(items[0]?.session_id ?? '')
    await click(page.getByRole('button', { name: /compactions?: see what was dropped$/ }))
    const boxes = page.getByRole('region', { name: 'What was dropped' }).getByRole('checkbox')
    await click(boxes.nth(0))
    await click(boxes.nth(1))
    await click(button('Copy pack'))
    await noticed(page, /^Copied the pack: 2 hits/)
    expect(clicks).toBeLessThanOrEqual(6)
  })

  test('share one session', async () => {
    await openSession('almanac in one go')
    await click(button('Export session'))
    await click(page.getByRole('menuitem', { name: /HTML page/ }))
    const saving = page.waitForEvent('download')
    await click(button('Save page'))
    expect(await readFile(await (await saving).path(), 'utf8')).toContain(COSTLY)
    expect(clicks).toBeLessThanOrEqual(5)
  })

  test('clean up a project’s sessions', async () => {
    const [project, before] = [
      '/home/dev/ferry',
      (await app.call<{ items: unknown[] }>('sessions.list', { project: '/home/dev/ferry', limit: 100 })).items.length,
    ]
    expect(before).toBeGreaterThan(0)
    await goTo('Sessions')
    await choose(page.getByLabel('Project', { exact: true }), project)
    await expect.poll(() => page.url()).toContain('ferry')
    const rows = sessionRows(page).filter({ hasNotText: 'ferry' })
    await expect.poll(() => rows.count()).toBe(0)
    await click(page.getByRole('checkbox', { name: 'Select all loaded sessions' }))
    await click(button('Delete'))
    await click(page.getByRole('dialog').getByRole('button', { name: /^Delete \d+ sessions/ }))
    await page.getByText('No matching sessions').waitFor()
    expect(clicks).toBeLessThanOrEqual(6)
  })
})
