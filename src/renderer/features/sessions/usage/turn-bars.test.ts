import { expect, test } from 'vitest'
import { turnBars } from './turn-bars.ts'

const turns = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    turn_id: index + 1,
    started_at: '2026-11-22T00:00:00.000Z',
    began_at: '2026-11-22T00:00:00.000Z',
    ended_at: '2026-11-22T00:00:00.000Z',
    calls: 2,
    tokens: 10,
    input_tokens: 0,
    cache_read_tokens: 0,
    cache_creation_tokens: 0,
    output_tokens: 1,
    cost_usd: index === 0 ? null : 0.5,
    unpriced_calls: 0,
    api_errors: 0,
    failed_tools: 0,
  }))

test('each turn has a bar, and long sessions group turns without losing any', () => {
  expect(turnBars(turns(3)).map(({ name, cost_usd: cost }) => [name, cost])).toEqual([
    ['1', 0],
    ['2', 0.5],
    ['3', 0.5],
  ])
  const many = turnBars(turns(1001))
  expect(many.length).toBeLessThanOrEqual(120)
  expect([many[0]?.name, many.at(-1)?.name]).toEqual(['1–10', '1001'])
  expect(many.reduce((sum, { calls }) => sum + calls, 0)).toBe(2002)
  expect(turnBars([])).toEqual([])
})
