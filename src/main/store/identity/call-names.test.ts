import { expect, test } from 'vitest'
import type { AspyEvent } from '../../../shared/event.ts'
import type { EventDraft } from '../../decode/draft.ts'
import { isSameCall } from './call-names.ts'

test.each([
  ['c1', true],
  ['s:c1', true],
  ['s:c1#2', true],
  ['c12', false],
  ['s:c12', false],
  ['other:c1', false],
])('the call c1 of the session s may be stored as %s: %s', (call_id, expected) => {
  const draft = { session_id: 's', payload: { call_id: 'c1' } } as EventDraft<'tool_call'>
  expect(isSameCall(draft, { payload: { call_id } } as AspyEvent<'tool_call'>)).toBe(expected)
})
