import { expect, test } from 'vitest'
import { GUARD_CAPS, UNPRICED_REASONS } from './contract/guard.ts'
import { guardNotes, reasonOf } from './guard-reason.ts'

const NONE = { in_flight: 0, lower_bound: { requests: 0, usd: 0, tokens: 0 }, passed: [] }

test('a reason names the cap in words, and no key of the config', () => {
  const said = GUARD_CAPS.map((cap) => reasonOf({ cap, scope: 's', limit: 20, used: 19, guess: 2 }))
  expect(said).toContain('this request would bring the session to about $21.00; your cap per session is $20.00')
  expect(said).toContain('this request would use about 2 tokens; your token cap per request is 20 tokens')
  expect(said).toContain('the same tool call was made 20 times in this turn; your cap on repeated calls is 20')
  expect(said.filter((words) => words.includes('_'))).toEqual([])
})

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
