import { expect, test } from 'vitest'
import { tableOf } from '../../shared/columns/column.ts'
import { counted, table } from './table.ts'

test('what reverses or hides text is shown by its name; control characters never reach the terminal', () => {
  const rows = ['a\u202eb\u2066c', 'x\u200by', 'red \u001b[31m\n two', 'שלום']
  expect(table(rows, { columns: { title: { name: 'Title', of: (row) => row } } }).split('\n')).toEqual([
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

const DAYS = tableOf<{ day: string; calls: number; cost: number | null }>()({
  columns: {
    day: { name: 'Day' },
    calls: { name: 'Calls', format: 'count', from: 560 },
    cost: { name: 'Cost', format: 'money', from: 560 },
  },
})
const ROWS = [
  { day: '2026-11-21', calls: 12_345, cost: 1.5 },
  { day: '2026-11-22', calls: 7, cost: null },
]

test('a table is written from its columns: names, formats and alignment', () => {
  expect(table(ROWS, DAYS).split('\n')).toEqual([
    'Day          Calls   Cost',
    '2026-11-21  12,345  $1.50',
    '2026-11-22       7      -',
  ])
})

test('a narrow terminal leaves out columns, the last first, and names them', () => {
  expect(table(ROWS, DAYS, { width: 24 }).split('\n')).toEqual([
    'Day          Calls',
    '2026-11-21  12,345',
    '2026-11-22       7',
    '(no room for: Cost)',
  ])
  expect(table(ROWS, DAYS, { width: 5 }).split('\n')).toEqual([
    'Day',
    '2026-11-21',
    '2026-11-22',
    '(no room for: Calls, Cost)',
  ])
})
