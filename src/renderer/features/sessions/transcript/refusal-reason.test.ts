import { expect, test } from 'vitest'
import { refusalReason } from './refusal-reason.ts'

test('a refused call says in a line what the person or the rule said', () => {
  const begin =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)."
  expect(refusalReason(begin)).toBe('by a person, who gave no reason')
  expect(refusalReason(`${begin} To tell you how to proceed, the user said:\nUse **npm ci**\nand not npm i`)).toBe(
    'Use npm ci and not npm i',
  )
  expect(
    refusalReason([{ type: 'text', text: 'Permission for this action has been denied. Reason: writes outside' }]),
  ).toBe('writes outside')
  expect(refusalReason('<tool_use_error>Permission to use Bash with rm has been denied.</tool_use_error>')).toBe(
    'Permission to use Bash with rm has been denied.',
  )
  expect(refusalReason(null)).toBe('')
})
