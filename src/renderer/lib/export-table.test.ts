import { expect, test } from 'vitest'
import { exportTable, withoutColumns } from './export-table.ts'

const table = {
  columns: ['title', 'cost'],
  rows: [
    ['say "hi", then\ngo', 1.5],
    ['=HYPERLINK("x")', null],
    ['a | b *c* <script>', 0],
  ],
} as const

test('CSV quotes special characters, and no text becomes a formula', () => {
  expect(exportTable(table, 'csv').split('\r\n')).toEqual([
    'title,cost',
    '"say ""hi"", then\ngo",1.5',
    `"'=HYPERLINK(""x"")",`,
    'a | b *c* <script>,0',
  ])
})

test('JSON keeps strings and numbers unchanged', () => {
  expect(JSON.parse(exportTable(table, 'json'))).toEqual([
    { title: 'say "hi", then\ngo', cost: 1.5 },
    { title: '=HYPERLINK("x")', cost: null },
    { title: 'a | b *c* <script>', cost: 0 },
  ])
})

test('no cell breaks out of a Markdown table', () => {
  const lines = exportTable(table, 'md').split('\n')
  expect(lines).toHaveLength(5)
  expect(lines[2]).toBe('| say "hi", then go | 1.5 |')
  expect(lines[4]).toBe(String.raw`| a \| b \*c\* \<script\> | 0 |`)
})

test('columns can be left out', () => {
  const small = { columns: ['a', 'b', 'c'], rows: [['1', null, 3]] }
  expect(withoutColumns(small, new Set(['b']))).toEqual({ columns: ['a', 'c'], rows: [['1', 3]] })
  expect(withoutColumns(small, new Set())).toEqual(small)
})
