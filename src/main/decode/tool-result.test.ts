import { expect, test } from 'vitest'
import type { Json } from '../../shared/event.ts'
import { detailDuration, toolResultDraft, type ToolResultFacts } from './tool-result.ts'

const BASE = {
  source: 'wire',
  session_id: 's',
  agent_id: null,
  ts_wall: '2026-11-21T10:00:00.000Z',
  ts_monotonic: 0,
} as unknown as Parameters<typeof toolResultDraft>[0]
const draft = (facts: Partial<ToolResultFacts>) =>
  toolResultDraft(BASE, { callId: 'c', toolName: 'Bash', content: 'out', isError: false, ...facts }, () => 'hash')
const outputOf = (content: Json) => draft({ content }).payload.output
const REMINDER = '\n<system-reminder>\nbe brief\n</system-reminder>\n'

test('reminders after a result are not part of it, in a text or in the last of several blocks', () => {
  expect(outputOf(`out${REMINDER}${REMINDER}`)).toBe('out')
  expect(outputOf(`${REMINDER}out`)).toContain('be brief')
  expect(outputOf(`one \n${REMINDER}two${REMINDER}`)).toBe(`one \n${REMINDER}two`)
  expect(outputOf(`1 "<system-reminder>x</system-reminder>"\n2 end${REMINDER}`)).toContain('2 end')
  expect(outputOf(`from <system-reminder>\nto </system-reminder>`)).toBe('from')
  expect(outputOf('a <system-reminder> is open')).toBe('a <system-reminder> is open')
  expect(outputOf('closed only</system-reminder>')).toBe('closed only</system-reminder>')
  const blocks = [
    { type: 'text', text: 'one' },
    { type: 'text', text: `two${REMINDER}` },
  ]
  expect(outputOf(blocks)).toBe('one\ntwo')
})

test('blocks other than text lose only their cache mark', () => {
  const reference = { type: 'tool_reference', tool_name: 'Read' }
  expect(outputOf([{ ...reference, cache_control: { type: 'ephemeral' } }])).toEqual([reference])
})

test('a call was refused only if it failed: by its text, or by what the transcript says', () => {
  const refused = "The user doesn't want to proceed with this tool use."
  expect(draft({ content: refused, isError: true }).payload.rejected).toBe(true)
  expect(draft({ content: 'x', isError: true, denialKind: 'user' }).payload.rejected).toBe(true)
  // A command may print these words, too.
  expect(draft({ content: refused }).payload.rejected).toBe(false)
  expect(draft({ denialKind: 'user' }).payload.rejected).toBe(false)
  expect(draft({ content: 'exit 1', isError: true }).payload.rejected).toBe(false)
})

test('an error message is the bare text, cut to 500 characters', () => {
  const message = (content: string) => draft({ content, isError: true }).error_message
  expect(message('<tool_use_error>Error: no such file</tool_use_error>')).toBe('no such file')
  expect(message('Error: exit 1 ')).toBe('exit 1')
  expect(message('')).toBe('error')
  expect(message('x'.repeat(500))).toBe('x'.repeat(500))
  expect(message('x'.repeat(501))).toBe(`${'x'.repeat(500)}…`)
})

test('an edit without the result of the client shows what its input changes, each edit of it', () => {
  const edit = (old: string, next: string) => ({ old_string: old, new_string: next })
  const of = (toolName: string, input: Json, isError = false) => draft({ toolName, input, isError }).payload.detail
  expect(of('Edit', { file_path: '/a', ...edit('one\ntwo', '') })).toEqual({
    filePath: '/a',
    structuredPatch: [{ oldStart: null, newStart: null, lines: ['-one', '-two'] }],
  })
  const many = of('MultiEdit', { file_path: '/a', edits: [edit('a', 'b'), edit('c', 'd')] })
  expect(many).toMatchObject({ structuredPatch: [{ lines: ['-a', '+b'] }, { lines: ['-c', '+d'] }] })
  expect(of('Edit', { file_path: '/a', ...edit('a', 'b') }, true)).toBeUndefined()
  expect(of('Write', { file_path: '/a', content: 'b' })).toBeUndefined()
})

test("the client's own result is kept without what is recorded elsewhere", () => {
  const detail = { originalFile: 'before', oldTodos: [], file: { content: 'text', numLines: 1 }, userModified: false }
  expect(draft({ detail }).payload.detail).toEqual({ file: { numLines: 1 }, userModified: false })
})

test('the time of a whole agent counts before that of a part', () => {
  expect(detailDuration({ durationMs: 5, totalDurationMs: 50 })).toBe(50)
  expect(detailDuration({ durationMs: 5 })).toBe(5)
  expect(detailDuration({})).toBeNull()
})
