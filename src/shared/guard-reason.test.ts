import { expect, test } from 'vitest'
import { GUARD_CAPS, UNPRICED_REASONS } from './contract/guard.ts'
import { guardNotes, reasonOf } from './guard-reason.ts'

const NONE = {
  in_flight: 0,
  most_in_flight: 0,
  strict: false,
  lower_bound: { requests: 0, usd: 0, tokens: 0 },
  passed: [],
}

test('a reason names the cap in words, and no key of the config', () => {
  const said = GUARD_CAPS.map((cap) => reasonOf({ cap, scope: 's', limit: 20, used: 19, guess: 2 }))
  expect(said).toContain(
    'with this request, the session is estimated at up to $21.00 ($19.00 without it); your cap per session is $20.00',
  )
  expect(said).toContain('this request is estimated at up to 2 tokens; your token cap per request is 20 tokens')
  expect(said).toContain('the same tool call was made 20 times in this turn; your cap on repeated calls is 20')
  expect(said.filter((words) => words.includes('_'))).toEqual([])
})

test('the guard says by what its caps may be exceeded, and each reason for which fail_open let requests pass', () => {
  expect(guardNotes(NONE, String)).toEqual([])
  const passed = UNPRICED_REASONS.map((reason, at) => ({
    reason,
    requests: at + 1,
    last_at: 'noon',
    last_session_id: at === 0 ? 's1' : null,
  }))
  const early = { requests: 1, usd: 0.5, tokens: 9 }
  const status = { in_flight: 2, most_in_flight: 7, strict: false, lower_bound: early, passed }
  const notes = guardNotes(status, String)
  expect(notes.slice(0, 2)).toEqual([
    'A cap may be exceeded by the answers in flight: 2 now, 7 at most since the start.',
    'Ended early: 1. $0.50 counts for them beyond their usage: a lower bound.',
  ])
  expect(notes).toContain(
    'Passed unpriced by fail_open: 1, it was not priced within decide_ms (last noon, session s1).',
  )
  expect(
    notes
      .slice(2)
      .every((note) => /^Passed unpriced by fail_open: \d, [^,]{15,}.* \(last noon(, session s1)?\)\.$/.test(note)),
  ).toBe(true)
  expect(guardNotes({ ...status, in_flight: 0, strict: true }, String)[0]).toBe('A cap may be exceeded by one answer.')
  expect(new Set(notes).size).toBe(2 + UNPRICED_REASONS.length)
})
