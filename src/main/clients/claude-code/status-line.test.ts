import { describe, expect, test } from 'vitest'
import { formatFigures } from './status-line.ts'

describe('the status line', () => {
  test.each([
    [
      { captured: true, cost_usd: 0.4249, tokens: 12_345, context_percent: 34.6 },
      'aspy ● recorded · $0.42 · 12k tokens · context 35%',
    ],
    [
      { captured: true, cost_usd: 12, tokens: 3_400_000, context_percent: 0 },
      'aspy ● recorded · $12.00 · 3.4M tokens · context 0%',
    ],
    [{ captured: true, cost_usd: 0, tokens: 999, context_percent: null }, 'aspy ● recorded · $0.00 · 999 tokens'],
    [{ captured: true, cost_usd: 1, tokens: 999_600, context_percent: null }, 'aspy ● recorded · $1.00 · 1.0M tokens'],
    [
      {
        captured: true,
        cost_usd: 1,
        tokens: null,
        context_percent: null,
        limits: [
          { name: '5h', used: 0.58 },
          { name: '7d', used: 0.1 },
        ],
      },
      'aspy ● recorded · $1.00 · 5h 58% · 7d 10%',
    ],
    [
      { captured: true, isTroubled: true, cost_usd: 1, tokens: null, context_percent: null },
      'aspy ◐ captured; see aspy status · $1.00',
    ],
    [{ captured: false, isTroubled: true, cost_usd: null, tokens: null, context_percent: null }, 'aspy ○ not captured'],
    [{ captured: false, cost_usd: null, tokens: null, context_percent: null }, 'aspy ○ not captured'],
  ])('is one short line: %o', (figures, line) => {
    expect(formatFigures(figures)).toBe(line)
  })
})
