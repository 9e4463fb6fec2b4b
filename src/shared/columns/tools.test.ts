import { expect, test } from 'vitest'
import { toolsTable } from './tools.ts'

const line = (calls: number, timed: number) => {
  const pace = { tool: 'Agent', timed, upper_bounds: 0, p50_ms: 4100, p95_ms: 4100, failed: 0, rejected: 0 }
  return { tool: 'Agent', calls, success_rate: 1, pace }
}

test.each([
  [7, 1, undefined],
  [7, 4, 4100],
  [9000, 1900, 4100],
])('of %i calls, %i timed ones say how long a call takes: %s', (calls, timed, ms) => {
  expect(toolsTable.columns.p50_ms.of?.(line(calls, timed))).toBe(ms)
  expect(toolsTable.columns.p95_ms.of?.(line(calls, timed))).toBe(ms)
  const why = ms === undefined ? `Known of ${timed} of ${calls} calls only` : undefined
  expect(toolsTable.columns.p95_ms.title?.(line(calls, timed))).toBe(why)
})
