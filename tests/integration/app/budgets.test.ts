import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BudgetStatus } from '../../../src/shared/contract/budgets.ts'
import type { LiveBatch } from '../../../src/shared/contract/live.ts'
import { statusLine } from '../../../src/main/clients/claude-code/status-line.ts'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { farFromMidnight } from '../../support/runner/far-from-midnight.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** Budgets: the amount spent, and one report per period when a mark is reached. */
let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'Done.' }],
    // claude-sonnet-5-5: 2 USD a million in, 10 out: 0.30 a call.
    usage: { input_tokens: 100_000, output_tokens: 10_000 },
  }))
})
afterAll(() => upstream?.close())

/** The budget reports that live readers receive, as `period mark`. */
function follow(app: TestApp): { readonly reports: string[]; readonly end: () => Promise<void> } {
  const abort = new AbortController()
  const reports: string[] = []
  const done = (async () => {
    const decoder = new TextDecoder()
    for await (const { json } of app.running.dispatch.stream('live.subscribe', {}, { access: 'read' }, abort.signal)) {
      const { budgets = [] } = JSON.parse(decoder.decode(json)) as LiveBatch
      reports.push(...budgets.map(({ project, period, mark }) => [project, period, mark].filter(Boolean).join(' ')))
    }
  })()
  return {
    reports,
    end: async () => {
      abort.abort()
      await done
    },
  }
}

const status = async (app: TestApp) => (await app.call<{ items: BudgetStatus[] }>('budgets.status')).items

test('a budget reports what was spent; each mark is reported once per period, even across restarts', async () => {
  await farFromMidnight()
  using folder = makeTempFolder()
  const settings = {
    'budgets.daily_usd': 0.36,
    'budgets.projects': [{ project: '/home/user/project', weekly_usd: 0.55 }],
  }
  const start = () => startApp({ upstream: upstream.url, dataDir: folder.path, settings })
  const spend = async (app: TestApp, calls: number) => {
    await (await ask(app.proxy, { prompt: `question ${calls}` })).text()
    await expect.poll(() => app.call('events.count', { kind: 'api_usage' })).toEqual({ count: calls })
  }
  {
    await using app = await start()
    const live = follow(app)
    await expect.poll(() => status(app)).toMatchObject([{ spent_usd: 0 }, { spent_usd: 0 }])
    await spend(app, 1)
    await expect
      .poll(() => status(app))
      .toMatchObject([
        {
          project: null,
          period: 'day',
          limit_usd: 0.36,
          spent_usd: expect.closeTo(0.3, 6),
          unpriced_calls: 0,
          mark: 80,
        },
        {
          project: '/home/user/project',
          period: 'week',
          limit_usd: 0.55,
          spent_usd: expect.closeTo(0.3, 6),
          mark: null,
        },
      ])
    await expect.poll(() => live.reports).toEqual(['day 80'])
    await live.end()
  }
  {
    await using app = await start()
    const live = follow(app)
    await spend(app, 2)
    await expect.poll(() => live.reports.toSorted()).toEqual(['/home/user/project week 100', 'day 100'])
    await spend(app, 3)
    // A change of settings has it look as well.
    await app.call('config.set', { key: 'budgets.monthly_usd', value: 0.8 })
    await expect.poll(() => live.reports.length).toBe(3)
    expect(live.reports.at(-1)).toBe('month 100')
    const line = { dataDir: folder.path, baseUrl: undefined, signal: AbortSignal.timeout(10_000) }
    expect(await statusLine({ ...line, body: JSON.stringify({ session_id: 'other' }) })).toMatch(
      / · budget of this day 250% · budget of this month 113% · budget of this week 164%$/,
    )
    const said = (await aspyHere(['status', '--data', folder.path])).stdout
    expect(said).toMatch(/\nBudgets .*this day: \$0\.36, \$0\.90 \(250%\) spent, over budget; /)
    await live.end()
  }
})
