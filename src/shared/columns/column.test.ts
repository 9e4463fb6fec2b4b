import { expect, test } from 'vitest'
import { cellWriter, type Writer } from './cell-writer.ts'
import { shownColumns, tableOf, valueTable } from './column.ts'

interface Row {
  readonly name: string
  readonly user_id: string
  readonly usd: number | null
  readonly tags: readonly string[]
}

const ROWS: readonly Row[] = [
  { name: 'a', user_id: 'ann', usd: 1, tags: [] },
  { name: 'b', user_id: 'bob', usd: null, tags: [] },
  { name: 'c', user_id: 'ann', usd: 0.25, tags: [] },
]
const TABLE = tableOf<Row>()({
  columns: {
    name: { name: 'Name' },
    user_id: { name: 'Member', only: 'team' },
    usd: { name: 'Cost', format: 'money' },
    half: { name: 'Half', of: (row) => row.usd && row.usd / 2 },
    tags: { name: 'Tags', only: 'filled' },
  },
  file: ['usd', 'half', 'tags', 'name'],
})
const namesOf = (rows: readonly Row[], isTeam = false) =>
  shownColumns(TABLE, 'window', rows, isTeam).map(({ name }) => name)

test("whose row it is shows in a team's history only; a column without values is not shown", () => {
  expect(namesOf(ROWS)).toEqual(['Name', 'Cost', 'Half'])
  expect(namesOf([...ROWS, { name: 'd', user_id: 'eve', usd: 0, tags: ['x', 'y'] }], true)).toEqual([
    'Name',
    'Member',
    'Cost',
    'Half',
    'Tags',
  ])
})

test('all amounts of a column have one format; an unknown one is written as such', () => {
  const asIs = (value: string | number) => String(value)
  const writer: Writer = {
    unknown: '?',
    texts: { text: asIs, moment: asIs, clock: asIs, model: asIs, project: asIs },
    numbers: { count: asIs, exact: asIs, duration: asIs, share: asIs },
    money: (amounts) => (usd) => `${usd} of ${amounts.join(' and ')}`,
  }
  expect(ROWS.map(cellWriter({ key: 'usd', name: 'Cost', format: 'money' }, ROWS, writer))).toEqual([
    '1 of 1 and 0.25',
    '?',
    '0.25 of 1 and 0.25',
  ])
})

test('a file has the fields as they are, named like in the answer, in its own order', () => {
  expect(valueTable(TABLE, [{ name: 'd', user_id: 'eve', usd: 3, tags: ['x', 'y'] }])).toEqual({
    columns: ['usd', 'half', 'tags', 'name'],
    rows: [[3, 1.5, 'x, y', 'd']],
  })
})
