import { expect, test } from 'vitest'
import { counted, table } from './table.ts'

test('what reverses or hides text is shown by its name; control characters never reach the terminal', () => {
  const rows = ['a\u202eb\u2066c', 'x\u200by', 'red \u001b[31m\n two', 'שלום']
  expect(table(rows, [{ title: 'Title', of: (row) => row }]).split('\n')).toEqual([
    'Title',
    'a[U+202E]b[U+2066]c',
    'x[U+200B]y',
    'red [31m two',
    'שלום',
  ])
})

test('a number agrees with its noun', () => {
  expect([0, 1, 1234].map((n) => counted(n, 'request'))).toEqual(['0 requests', '1 request', '1,234 requests'])
})
