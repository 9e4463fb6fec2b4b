import { expect, test } from 'vitest'
import { exportTable } from './export-table.ts'

/** The cells of a table with one column, as written to the file. */
const cells = (...values: readonly (string | number | boolean | null)[]) =>
  exportTable({ columns: ['cell'], rows: values.map((value) => [value]) }, 'csv')
    .split('\r\n')
    .slice(1)

test('a text that a spreadsheet would take for a formula gets a leading quote, whatever sign begins it', () => {
  expect(cells('=1+1', '+1+1', '-1+1', '@SUM(A1)', '\tx', '-rf', '=')).toEqual([
    "'=1+1",
    "'+1+1",
    "'-1+1",
    "'@SUM(A1)",
    "'\tx",
    "'-rf",
    "'=",
  ])
  expect(cells('\r=1')).toEqual([`"'\r=1"`])
  expect(cells('\n=1', '＝1+1', '＋1', '－1', '＠A1')).toEqual([`"'\n=1"`, "'＝1+1", "'＋1", "'－1", "'＠A1"])
})

test('such a text is quoted besides where it holds a comma, a quote or a line end', () => {
  expect(cells('=cmd|"/c calc"!A1', '-a,b', '@a\nb')).toEqual([`"'=cmd|""/c calc""!A1"`, `"'-a,b"`, `"'@a\nb"`])
})

test('numbers stay numbers, also below zero, and signs within a text change nothing', () => {
  expect(cells(-1.5, 0, 'a-b', 'a=b', '1+1', ' =1', true, null)).toEqual([
    '-1.5',
    '0',
    'a-b',
    'a=b',
    '1+1',
    ' =1',
    'true',
    '',
  ])
})

test('the names of columns are no formulas either', () => {
  expect(exportTable({ columns: ['=A1', '-', 'plain'], rows: [] }, 'csv')).toBe("'=A1,'-,plain")
})
