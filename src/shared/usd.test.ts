import { expect, test } from 'vitest'
import { formatUsd } from './usd.ts'

test('an amount has cents, and two digits below 10 cents', () => {
  expect([0, 1e-7, 0.00015, 0.0042, 0.0388, 0.0996, 0.3446, 1.314, 995.2, 12_345.6, -0.034].map(formatUsd)).toEqual([
    '$0',
    '< $0.000001',
    '$0.00015',
    '$0.0042',
    '$0.039',
    '$0.10',
    '$0.34',
    '$1.31',
    '$995.20',
    '$12,346',
    '−$0.034',
  ])
})
