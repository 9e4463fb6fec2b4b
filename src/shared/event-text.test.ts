import { expect, test } from 'vitest'
import { formatEvent } from './event-text.ts'

test('an agent’s report comes without the note for the model, and a session’s end says why it ended', () => {
  const output = 'Yes.\nagentId: a37 (for resuming)\nduration_ms: 3255'
  expect(formatEvent('tool_result', { tool_name: 'Agent', output })).toBe('Agent Yes.')
  expect(formatEvent('session_ended', { reason: 'prompt_input_exit' })).toBe('at the prompt')
  expect(formatEvent('session_ended', { reason: 'other' })).toBe('')
  expect(formatEvent('session_ended', { reason: 'new_reason' })).toBe('new_reason')
})

test('an edit that its client reports as JSON is counted in lines; other JSON stays as it is', () => {
  const detail = { filePath: '/a.ts', structuredPatch: [{ oldStart: 7, newStart: 7, lines: [' a', '-b', '+c', '+d'] }] }
  const said = (fields: object) => formatEvent('tool_result', { tool_name: 'Edit', ...fields })
  expect(said({ output: JSON.stringify(detail), detail })).toBe('Edit +2 −1')
  expect(said({ output: 'The file was updated.', detail })).toBe('Edit The file was updated.')
  expect(said({ output: '{"found":3}', detail: { found: 3 } })).toBe('Edit {"found":3}')
  expect(said({ output: '{"cut', detail: null })).toBe('Edit {"cut')
})
