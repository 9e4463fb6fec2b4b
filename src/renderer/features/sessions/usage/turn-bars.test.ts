import { expect, test } from 'vitest'
import { turnsTable } from '../../../../shared/columns/usage.ts'
import { barsTitle, callAfter, turnBars, turnsWithout } from './turn-bars.ts'

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
  expect([3, 120, 121, 1001].map((count) => barsTitle(turns(count)))).toEqual([
    'Cost by turn',
    'Cost by turn',
    'Cost by turn, 2 turns per bar',
    'Cost by turn, 10 turns per bar',
  ])
})

test.each([
  ['the call that compacts is before the line', [100, 120, 130, 20], 3, 4],
  ['the next call is already small', [100, 120, 20, 30], 3, 3],
  ['nothing followed', [100, 120], 3, 2],
  ['the call that compacts is the last', [100, 120, 130], 3, 3],
])('a compaction is marked where the context is smaller: %s', (_name, sizes, at, call) => {
  const calls = sizes.map((context_tokens, index) => ({ context_tokens, timestamp: `2026-05-01T10:00:0${index + 1}Z` }))
  expect(callAfter(calls as never, `2026-05-01T10:00:0${at}Z`)).toBe(call)
})

test('turns without a request are known, those that are part of others apart', () => {
  const turns = [1, 2, 5, 7].map((turn_id) => ({ turn_id }))
  expect(turnsWithout(turns as never, [3])).toEqual([4, 6])
  expect(turnsWithout([], [])).toEqual([])
})

test('a turn starts with its prompt, as everywhere else, and not with its first answer', () => {
  const [turn] = turns(1)
  const started = { ...turn, began_at: '2026-11-26T10:57:59.981Z', started_at: '2026-11-26T10:58:01.845Z' }
  expect(turnsTable.columns.started_at.of?.(started as never)).toBe(started.began_at)
})
