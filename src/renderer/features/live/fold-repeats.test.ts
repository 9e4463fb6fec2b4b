import { expect, test } from 'vitest'
import type { EventSummary } from '../../../shared/live-feed.ts'
import { foldRepeats } from './fold-repeats.ts'

const row = (id: number, kind: EventSummary['kind'], text: string, session_id = 'a') =>
  ({ id, kind, text, session_id, agent_id: null }) as EventSummary

test('the same error in a row is one row with its count; anything between, or of another session, begins a new one', () => {
  const folded = foldRepeats([
    row(1, 'error', 'overloaded'),
    row(2, 'error', 'overloaded'),
    row(3, 'error', 'overloaded'),
    row(4, 'error', 'other'),
    row(5, 'user_prompt', 'again'),
    row(6, 'user_prompt', 'again'),
    row(7, 'error', 'other'),
    row(8, 'error', 'other', 'b'),
  ])
  expect(folded.events.map(({ id }) => id)).toEqual([1, 4, 5, 6, 7, 8])
  expect([...folded.times]).toEqual([[1, 3]])
})

test('a result joins the row of its call, once; one whose call is not in the list keeps its own', () => {
  const call = { ...row(1, 'tool_call', 'npm test'), call_id: 'call' }
  const result = { ...row(3, 'tool_result', '2 failed'), call_id: 'call' }
  const again = { ...row(4, 'tool_result', 'later'), call_id: 'call' }
  const alone = { ...row(5, 'tool_result', 'unseen'), call_id: 'elsewhere' }
  const { events, results } = foldRepeats([call, row(2, 'thinking', 'hm'), result, again, alone])
  expect(events.map(({ id }) => id)).toEqual([1, 2, 4, 5])
  expect([...results]).toEqual([[1, result]])
  const early = foldRepeats([result, call])
  expect([early.events, [...early.results]]).toEqual([[call], [[1, result]]])
  expect(foldRepeats([call]).results.size).toBe(0)
})
