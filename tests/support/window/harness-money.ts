/** Generated answers about spending, limits and served values. */
import { emptyReceipt, receiptCalls, receiptOf } from './harness-receipt.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
/** The API's days end at midnight, the last tick of a chart. */
const midnightIn = (days: number) => new Date(new Date().setHours(24 * days, 0, 0, 0)).toISOString()

function window(name: string, used: number, lengthMs: number): OperationOutput<'limits.now'>['windows'][number] {
  return {
    window: name,
    used,
    read_at: ago(60_000),
    resets_at: lengthMs < DAY_MS ? ago(-lengthMs / 3) : midnightIn(2),
    burn_per_hour: 0.04,
    forecast: {
      at_reset: used * 1.5,
      low: used * 1.2,
      high: used * 1.8,
      confidence: 0.9,
      exhausted_at: used * 1.5 > 1 ? ago(-lengthMs / 6) : null,
      exhausted_earliest: null,
    },
    forecast_checks: { checks: 30, hits: 27 },
    curve: Array.from({ length: 24 }, (_, index) => ({
      timestamp: ago(((24 - index) * lengthMs * 2) / 72),
      used: (used * Math.floor(index / 3)) / 7,
    })),
    since: ago((lengthMs * 2) / 3),
    attributed: used * 0.9,
    elsewhere: used * 0.1,
    covered_share: 0.9,
    by_session: [{ session_id: SESSION, title: 'Why is the orbit wrong?', used: used * 0.9, calls: 40, cost_usd: 12 }],
    by_agent: [],
    by_prompt: [],
    gaps: [],
  }
}

const spending = (): OperationOutput<'budgets.forecast'> => ({
  period: 'month',
  project: null,
  since: ago(15 * DAY_MS),
  until: ago(-15 * DAY_MS),
  now: ago(0),
  spent_usd: 150,
  unpriced_calls: 0,
  limit_usd: 250,
  previous: { since: ago(45 * DAY_MS), until: ago(15 * DAY_MS), spent_usd: 240, same_point_usd: 120 },
  change_share: 0.25,
  forecast: { usd: 300, low: 260, high: 345, confidence: 0.9, limit_reached_at: ago(-10 * DAY_MS) },
  forecast_checks: { checks: 12, hits: 11, typical_error: 0.08 },
  days: Array.from({ length: 15 }, (_, index) => ({ day: ago((14 - index) * DAY_MS).slice(0, 10), usd: 10 })),
  gaps: [],
})

const served = (): OperationOutput<'served.list'> => ({
  changes: [
    {
      uuid: 'answer-1',
      session_id: SESSION,
      agent_id: null,
      timestamp: ago(2 * HOUR_MS),
      dimension: 'model',
      kind: 'differs',
      asked: 'claude-opus-5-5',
      before: null,
      served: 'claude-sonnet-5-5',
      answers: 7,
    },
  ],
  combinations: (
    [
      ['claude-opus-5-5', 'standard'],
      ['claude-opus-5-5', 'priority'],
      ['claude-haiku-5-5', 'standard'],
    ] as const
  ).map(([model, tier]) => ({
    asked_model: model,
    served_model: model,
    effort: null,
    betas: [],
    speed: null,
    service_tier: tier,
    inference_geo: null,
    asked_cache_ttl: null,
    cache_ttl: '1h',
    answers: 200,
    first_at: ago(DAY_MS),
    last_at: ago(HOUR_MS),
  })),
  answers: 400,
  unknown: 12,
  partial: false,
})

export const moneyAnswers: Readonly<Record<string, (input: Record<string, unknown>) => unknown>> = {
  'limits.series': () => ({ items: [] }),
  'limits.now': () => ({
    at: ago(60_000),
    windows: [window('5h', 0.42, 5 * HOUR_MS), window('7d_opus', 0.93, 7 * DAY_MS)],
  }),
  'budgets.forecast': spending,
  'served.list': served,
  receipt: ({ format }) => ({
    ...receiptOf(),
    ...(format === 'html' ? { document: '<!doctype html><title>Receipt</title>' } : {}),
    ...(format === 'csv' ? { document: 'a,b' } : {}),
  }),
  'receipt.calls': receiptCalls,
}

export const emptyMoney: typeof moneyAnswers = {
  'limits.now': () => ({ at: null, windows: [] }),
  'limits.series': () => ({ items: [] }),
  'budgets.forecast': () => ({
    ...spending(),
    spent_usd: 0,
    previous: { ...spending().previous, spent_usd: 0, same_point_usd: 0 },
    change_share: null,
    forecast: null,
    limit_usd: null,
    days: [],
    forecast_checks: { checks: 0, hits: 0, typical_error: null },
  }),
  'served.list': () => ({ ...served(), changes: [], combinations: [], answers: 0, unknown: 0 }),
  receipt: emptyReceipt,
}
