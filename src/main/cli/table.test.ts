import { expect, test } from 'vitest'
import { tableOf, type TableSpec } from '../../shared/columns/column.ts'
import { errorsTable } from '../../shared/columns/errors.ts'
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

test('a column of money has one precision, as in the window', () => {
  const costs = [1.5, 0.0042, 0, null, 12_345.6].map((cost, at) => ({ day: String(at), calls: 1, cost }))
  const column = (rows: typeof costs) =>
    table(rows, DAYS)
      .split('\n')
      .slice(1)
      .map((line) => line.slice(12).trim())
  expect(column(costs)).toEqual(['$1.50', '< $0.01', '$0.00', '-', '$12,345.60'])
  expect(column(costs.slice(1, 3))).toEqual(['$0.0042', '$0.0000'])
})

test('a narrow terminal leaves out columns, the last first but money after other numbers, and names them', () => {
  expect(table(ROWS, DAYS, { width: 24 }).split('\n')).toEqual([
    'Day          Cost',
    '2026-11-21  $1.50',
    '2026-11-22      -',
    '(no room for: Calls)',
  ])
  expect(table(ROWS, DAYS, { width: 5 }).split('\n')).toEqual([
    'Day',
    '2026-11-21',
    '2026-11-22',
    '(no room for: Calls, Cost)',
  ])
})

const CALLS = tableOf<{ id: string; at: string; what: string; tool: string }>()({
  columns: {
    at: { name: 'Time', format: 'moment' },
    tool: { name: 'Tool' },
    id: { name: 'Event' },
    what: { name: 'What' },
  },
})
const CALL = { at: '2026-11-21T10:15:00.000Z', tool: 'Bash', what: 'npm run test -- --project integration' }

test('a terminal cuts texts to its width, then leaves out what cannot be cut; each line fits', () => {
  const rows = [{ ...CALL, id: '01a2210b-b38b-767f-b6d3-e883a4199927' }]
  for (const width of [20, 40, 60, 80, 200])
    expect(
      Math.max(
        ...table(rows, CALLS, { width })
          .split('\n')
          .slice(0, 2)
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(width)
  expect(table(rows, CALLS, { width: 70 }).split('\n')[1]).toMatch(
    /^\S+ \S+  Bash  01a2210b-b38b-767f  npm run test -- --project…$/,
  )
  expect(
    table(
      rows.map((row) => ({ ...row, tool: 'model_request' })),
      CALLS,
      { width: 40 },
    ),
  ).toMatch(/\nmodel\S+ +01a2210b-b38b-767f {2}npm/)
  expect(table(rows, CALLS, { width: 40 }).split('\n')).toEqual([
    'Tool  Event               What',
    'Bash  01a2210b-b38b-767f  npm run test …',
    '(no room for: Time)',
  ])
})

test('a terminal shows the part of an id that tells rows apart, a pipe all of it', () => {
  const ids = ['5f0c2f1e-1111-4111-8111-111111111111', '6f0c2f1e-1111-4111-8111-111111111111']
  const shown = (all: readonly string[], width: number) =>
    table(
      all.map((id) => ({ ...CALL, id })),
      { columns: { id: { name: 'Event' } } },
      { width },
    )
      .split('\n')
      .slice(1)
  expect(shown(ids, 80)).toEqual(['5f0c2f1e', '6f0c2f1e'])
  expect(shown(ids, Infinity)).toEqual(ids)
  expect(shown(['codex-06086992-283b-773b-a90f-fec1bbecbe4d', ids[1] ?? ''], 80)).toEqual([
    'codex-06086992-283b',
    '6f0c2f1e',
  ])
  const alike = [ids[0] ?? '', '5f0c2f1e-2222-4111-8111-111111111111']
  expect(shown(alike, 80)).toEqual(alike)
})

test('a path that is cut keeps its end', () => {
  const rows = ['/home/ada/shop/src/checkout/cart.ts', 'C:\\shop\\src\\checkout\\cart.ts', 'words of a person']
  const spec = { columns: { file: { name: 'File', of: (row: string) => row } } }
  expect(table(rows, spec, { width: 16 }).split('\n')).toEqual([
    'File',
    '…heckout/cart.ts',
    '…heckout\\cart.ts',
    'words of a pers…',
  ])
})

test('a narrow terminal cuts texts before it leaves out a time that names the row', () => {
  const rows = [{ at: '2026-11-21T10:15:00.000Z', tool: 'Bash', ms: 1200, result: 'failed', text: 'npm run test:all' }]
  const spec = tableOf<(typeof rows)[number]>()({
    columns: {
      at: { name: 'Time', format: 'moment' },
      tool: { name: 'Tool' },
      ms: { name: 'Took', format: 'duration' },
      result: { name: 'Result' },
      text: { name: 'Input' },
    },
  })
  expect(table(rows, spec, { width: 44 })).toMatch(
    /^Time +Tool +Result +Input\n2026-\S+ \S+ +Bash +failed +npm run tes…/,
  )
})

test('a narrow terminal leaves out the status of errors first, then ids, and neither their time nor what went wrong', () => {
  const row = {
    timestamp: '2026-11-21T10:15:00.000Z',
    origin: 'capture' as const,
    status: 529,
    uuid: '01a2210b-b38b-767f-8d4f-000000000001',
    session_id: '5f0c2f1e-0000-4000-8000-000000000001',
    content: 'Refused: would exceed the cap per day ($1.00), and so on',
  }
  const heads = [80, 50].map((width) =>
    table([row], errorsTable as TableSpec<object>, { width })
      .split('\n')[0]
      ?.split(/ {2,}/),
  )
  expect(heads).toEqual([
    ['Time', 'From', 'Event', 'Session', 'Error'],
    ['Time', 'From', 'Error'],
  ])
})

test('a narrow terminal keeps what names a row and what is said of it, and no column without values', () => {
  const spec = tableOf<{ key: string; value: string; source: string | null; text: string }>()({
    columns: {
      key: { name: 'Setting', isWhole: true },
      value: { name: 'Value' },
      source: { name: 'Source' },
      text: { name: 'Description', from: 1200 },
    },
  })
  const row = { key: 'lifestats.store_tool_io_of_all', value: 'true', text: 'Store inputs and outputs of tools' }
  expect(table([{ ...row, source: null }], spec, { width: 40 }).split('\n')).toEqual([
    'Setting                         Value',
    `${row.key}  true`,
    '(no room for: Description)',
  ])
  expect(table([{ ...row, source: null }], spec)).toContain('  -  ')
})

test('a pipe gets names and ids whole, whatever room a terminal would have', () => {
  const name = `mcp__${'server'.repeat(12)}__search`
  expect(table([{ name }], { columns: { name: { name: 'Tool', max: 30 } } })).toContain(name)
})

test('times get seconds if neighbours share their minute', () => {
  const spec = tableOf<{ at: string | null }>()({ columns: { at: { name: 'Time', format: 'moment' } } })
  const times = (...all: readonly (string | null)[]) =>
    table(
      all.map((at) => ({ at })),
      spec,
    )
      .split('\n')
      .slice(1)
  expect(times('2026-11-21T10:15:08.000Z', '2026-11-21T10:15:09.000Z', null)).toEqual([
    expect.stringMatching(/:15:08$/),
    expect.stringMatching(/:15:09$/),
    '-',
  ])
  expect(times('2026-11-21T10:15:08.000Z', '2026-11-21T10:16:08.000Z', null, null)[0]).toMatch(/ \d\d:15$/)
})

test('a pipe gets every text whole, where a terminal has at most its characters', () => {
  const text = `${'a word '.repeat(30)}$0.80`
  const spec = { columns: { text: { name: 'Error', of: () => text, max: 100 } } }
  expect(table([{}], spec, { width: Infinity })).toContain(text)
  expect(table([{}], spec, { width: 200 })).not.toContain('$0.80')
})

test('wide characters and emoji take two columns: no line is wider than the terminal, and columns stay below each other', () => {
  const spec = { columns: { title: { name: 'Title' }, count: { name: 'N', format: 'count' } } } as const
  const rows = [
    { title: '日本語の長い題名 and more words 🎉🎉', count: 1 },
    { title: 'short', count: 2 },
  ]
  expect(table(rows, spec, { width: 20 }).split('\n')).toEqual([
    'Title              N',
    '日本語の長い題名…  1',
    'short              2',
  ])
})

test('the name of a model is not cut to that of another: other columns go first', () => {
  const spec = tableOf<{ asked: string; served: string; effort: string }>()({
    columns: {
      asked: { name: 'Asked', format: 'model' },
      served: { name: 'Served', format: 'model' },
      effort: { name: 'Effort', from: 560 },
    },
  })
  const rows = [{ asked: 'claude-sonnet-4-6', served: 'claude-sonnet-4-5', effort: 'medium' }]
  expect(table(rows, spec, { width: 40 }).split('\n')).toEqual([
    'Asked              Served',
    'claude-sonnet-4-6  claude-sonnet-4-5',
    '(no room for: Effort)',
  ])
})
