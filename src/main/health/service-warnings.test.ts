import { expect, test } from 'vitest'
import { serviceWarnings } from './service-warnings.ts'

const NOW = Date.parse('2026-11-22T10:00:00.000Z')
const limits = (utilization: number, resets: string) => ({
  at: null,
  windows: [{ name: '5h' as const, utilization, resets_at: resets }],
})
const codes = (facts: Parameters<typeof serviceWarnings>[0]) => serviceWarnings(facts, NOW).map(({ code }) => code)

test('a limit warns at its marks, until its reset', () => {
  const later = '2026-11-22T12:00:00.000Z'
  expect(codes({ limits: limits(0.7, later), served: null })).toEqual([])
  expect(codes({ limits: limits(0.76, later), served: null })).toEqual(['limit_5h_75'])
  expect(codes({ limits: limits(0.97, later), served: null })).toEqual(['limit_5h_95'])
  expect(codes({ limits: limits(0.97, '2026-11-22T09:00:00.000Z'), served: null })).toEqual([])
})

test('each account warns of its own limit', () => {
  const window = { name: '5h' as const, utilization: 0.796, resets_at: '2026-11-22T12:00:00.000Z' }
  const windows = [
    { ...window, account: 'Work' },
    { ...window, account: 'Home', utilization: 0.96 },
  ]
  const warnings = serviceWarnings({ limits: { at: null, windows }, served: null }, NOW)
  expect(warnings.map(({ code, message }) => [code, message.slice(0, 34)])).toEqual([
    ['limit_5h_75_Work', '80% of the 5-hour limit of Work is'],
    ['limit_5h_95_Home', '96% of the 5-hour limit of Home is'],
  ])
})

test('a silent change warns with what was served', () => {
  const change = {
    uuid: 'u',
    session_id: 's',
    agent_id: null,
    timestamp: '2026-11-22T09:00:00.000Z',
    dimension: 'model' as const,
    kind: 'differs' as const,
    asked: 'big',
    before: null,
    served: 'small',
    answers: 1,
  }
  const served = { changes: [change], combinations: [], answers: 1, unknown: 0, partial: false }
  expect(serviceWarnings({ limits: null, served }, NOW)).toMatchObject([
    { code: 'served_differently', message: expect.stringContaining('model: small instead of big') },
  ])
  // The same change in several sessions counts once, and of four changes only three are named.
  const several = ['small', 'small', 'small', 'tiny', 'old', 'older'].map((model, at) => ({
    ...change,
    session_id: `s-${at}`,
    served: model,
  }))
  expect(serviceWarnings({ limits: null, served: { ...served, changes: several } }, NOW)[0]?.message).toMatch(
    /\(model: small instead of big; model: tiny instead of big; model: old instead of big and 1 more\)/,
  )
})
