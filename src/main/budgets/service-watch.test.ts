import { expect, test, vi } from 'vitest'
import type { ServiceNews } from '../../shared/contract/live.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { ServiceWatch } from './service-watch.ts'

type LimitWindow = OperationOutput<'limits.now'>['windows'][number]

function limit(used: number, resetsAt: string, exhaustedAt: string | null = null): LimitWindow {
  return {
    window: '5h',
    used,
    read_at: null,
    resets_at: resetsAt,
    burn_per_hour: null,
    forecast: {
      at_reset: used,
      low: used,
      high: used,
      confidence: 0.9,
      exhausted_at: exhaustedAt,
      exhausted_earliest: null,
    },
    forecast_checks: { checks: 0, hits: 0 },
    curve: [],
    since: '',
    attributed: 0,
    elsewhere: 0,
    covered_share: null,
    by_session: [],
    by_agent: [],
    by_prompt: [],
    gaps: [],
  }
}

const change = (served: string): OperationOutput<'served.list'>['changes'][number] => ({
  uuid: 'u',
  session_id: 's',
  agent_id: null,
  timestamp: '2026-11-20T10:00:00.000Z',
  dimension: 'model',
  kind: 'differs',
  asked: 'claude-opus-5-5',
  before: null,
  served,
  answers: 1,
})

/** A watch over an account that tests change. The store outlives a watch, as the database outlives the app. */
function watching(stored = new Set<string>()) {
  const account = { windows: [] as LimitWindow[], changes: [] as ReturnType<typeof change>[] }
  const told: ServiceNews[] = []
  const watch = new ServiceWatch({
    limits: async () => ({ at: null, windows: account.windows }),
    served: async () => ({ changes: account.changes, combinations: [], answers: 9, unknown: 0, partial: false }),
    store: async ({ budget, since, mark }) => {
      const key = `${budget} ${since} ${mark}`
      const isNew = !stored.has(key)
      stored.add(key)
      return isNew
    },
    report: (news) => told.push(...news),
    logger: { warn: vi.fn() },
    delayMs: 1,
    pauseMs: 1,
  })
  const check = async () => {
    watch.check()
    await vi.advanceTimersByTimeAsync(10)
  }
  return { account, told, watch, check, stored }
}

test('marks, forecast exhaustion, the reset and silent changes are reported once, even across restarts', async () => {
  vi.useFakeTimers({
    now: Date.parse('2026-11-20T10:00:00.000Z'),
    toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
  })
  try {
    const { account, told, watch, check, stored } = watching()
    account.windows = [limit(0.5, '2026-11-20T14:59:58.000Z')]
    await check()
    expect(told).toEqual([])
    account.windows = [limit(0.76, '2026-11-20T14:59:58.000Z', '2026-11-20T12:30:00.000Z')]
    await check()
    // The next answer rounds the end of the window differently.
    account.windows = [limit(0.78, '2026-11-20T15:00:03.000Z', '2026-11-20T12:20:00.000Z')]
    await check()
    expect(told.map(({ title }) => title)).toEqual([
      '75% of the 5-hour limit is used',
      'The 5-hour limit will probably be exhausted before its reset',
    ])
    account.windows = [limit(0.96, '2026-11-20T15:00:03.000Z')]
    account.changes = [change('claude-sonnet-5-5')]
    await check()
    await check()
    expect(told.slice(2)).toEqual([
      { kind: 'limit_mark', title: '95% of the 5-hour limit is used', text: 'It resets at 2026-11-20 15:00 UTC.' },
      {
        kind: 'served',
        title: 'Answers are served with another model',
        text: 'claude-sonnet-5-5 instead of claude-opus-5-5, since 2026-11-20 10:00 UTC.',
      },
    ])
    await vi.advanceTimersByTimeAsync(5 * 3_600_000 + 10_000)
    expect(told.slice(4).map(({ kind }) => kind)).toEqual(['limit_reset'])
    watch.close()
    const restarted = watching(stored)
    restarted.account.windows = [limit(0.96, '2026-11-20T15:00:03.000Z')]
    restarted.account.changes = account.changes
    await restarted.check()
    expect(restarted.told).toEqual([])
    restarted.watch.close()
  } finally {
    vi.useRealTimers()
  }
})

test('two accounts have their own marks, forecasts and resets', async () => {
  vi.useFakeTimers({
    now: Date.parse('2026-11-20T10:00:00.000Z'),
    toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
  })
  try {
    const { account, told, watch, check } = watching()
    const alone = { ...limit(0.76, '2026-11-20T11:00:00.000Z'), account_id: 'w' }
    const work = { ...alone, account: 'Work' }
    const other = { ...limit(0.91, '2026-11-20T12:00:00.000Z', '2026-11-20T11:30:00.000Z'), account_id: 'h' }
    const home = { ...other, account: 'Home' }
    // Accounts are called by name if there are several.
    account.windows = [alone]
    await check()
    account.windows = [work, home]
    await check()
    // One has used the mark that the other has.
    account.windows = [{ ...work, used: 0.92 }, home]
    await check()
    expect(told.map(({ title }) => title)).toEqual([
      '75% of the 5-hour limit is used',
      '90% of the 5-hour limit of Home is used',
      'The 5-hour limit of Home will probably be exhausted before its reset',
      '90% of the 5-hour limit of Work is used',
    ])
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(told.slice(4).map(({ title }) => title)).toEqual(['The 5-hour limit of Work was reset'])
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(told.slice(5).map(({ title }) => title)).toEqual(['The 5-hour limit of Home was reset'])
    watch.close()
  } finally {
    vi.useRealTimers()
  }
})

test('a window at exactly its first mark is reported, and so is its reset', async () => {
  vi.useFakeTimers({
    now: Date.parse('2026-11-20T10:00:00.000Z'),
    toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
  })
  try {
    const { account, told, watch, check } = watching()
    account.windows = [limit(0.75, '2026-11-20T11:00:00.000Z')]
    await check()
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(told.map(({ kind }) => kind)).toEqual(['limit_mark', 'limit_reset'])
    watch.close()
  } finally {
    vi.useRealTimers()
  }
})

test('many answers cause one check a pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  try {
    let checks = 0
    const watch = new ServiceWatch({
      limits: async () => {
        checks += 1
        return { at: null, windows: [] }
      },
      served: async () => ({ changes: [], combinations: [], answers: 0, unknown: 0, partial: false }),
      store: async () => true,
      report: () => undefined,
      logger: { warn: vi.fn() },
      delayMs: 100,
      pauseMs: 30_000,
    })
    const answer = () => watch.committed([{ kind: 'model_response' }])
    watch.committed([{ kind: 'user_prompt' }])
    await vi.advanceTimersByTimeAsync(1000)
    expect(checks).toBe(0)
    answer()
    answer()
    await vi.advanceTimersByTimeAsync(99)
    expect(checks).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(checks).toBe(1)
    answer()
    await vi.advanceTimersByTimeAsync(29_900)
    expect(checks).toBe(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(checks).toBe(2)
    answer()
    watch.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(checks).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

test('steady traffic gives no notice', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  try {
    const { account, told, watch, check } = watching()
    for (let used = 0; used < 0.74; used += 0.01) {
      account.windows = [limit(used, '2026-11-20T15:00:00.000Z')]
      await check()
    }
    expect(told).toEqual([])
    watch.close()
  } finally {
    vi.useRealTimers()
  }
})
