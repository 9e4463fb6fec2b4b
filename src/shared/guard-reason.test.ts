import { expect, test } from 'vitest'
import { UNPRICED_REASONS } from './contract/guard.ts'
import { guardNotes } from './guard-reason.ts'

const NONE = { in_flight: 0, lower_bound: { requests: 0, usd: 0, tokens: 0 }, passed: [] }

test('the guard says by what its caps may be exceeded, and each reason for which fail_open let requests pass', () => {
  expect(guardNotes(NONE, String)).toEqual([])
  const passed = UNPRICED_REASONS.map((reason, at) => ({
    reason,
    requests: at + 1,
    last_at: 'noon',
    last_session_id: null,
  }))
  const notes = guardNotes({ in_flight: 2, lower_bound: { requests: 1, usd: 0.5, tokens: 9 }, passed }, String)
  expect(notes.slice(0, 2)).toEqual([
    'In flight: 2. A cap may be exceeded by their answers.',
    'Ended early: 1. $0.50 counts for them beyond their usage: a lower bound.',
  ])
  expect(notes).toContain('Passed unpriced: 1, it was not priced within decide_ms (last noon).')
  expect(notes.slice(2).every((note) => /^Passed unpriced: \d, [^,]{15,}.* \(last noon\)\.$/.test(note))).toBe(true)
  expect(new Set(notes).size).toBe(2 + UNPRICED_REASONS.length)
})
