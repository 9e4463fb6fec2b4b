import { expect, test } from 'vitest'
import { faultIn, formOf, parseTyped, rowsOf, typedOf, valueOfRows } from './setting-form.ts'

test('each kind of value has its control', () => {
  const of = (form: object) => formOf({ form: { ...form } })
  expect(of({ type: 'boolean' })).toEqual({ kind: 'switch' })
  expect(of({ type: 'string', enum: ['a', 'b'] })).toEqual({ kind: 'choice', options: ['a', 'b'] })
  expect(of({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toEqual({ kind: 'number' })
  expect(of({ type: 'array', items: { type: 'string', enum: ['x'] } })).toEqual({ kind: 'choices', options: ['x'] })
  const row = {
    type: 'object',
    properties: { name: { type: 'string' }, on: { type: 'boolean' }, rate: { type: 'number' } },
    required: ['name'],
  }
  expect(of({ type: 'array', items: row })).toEqual({
    kind: 'rows',
    shape: 'tables',
    columns: [
      { name: 'name', kind: 'text', options: [], isRequired: true },
      { name: 'on', kind: 'switch', options: [], isRequired: false },
      { name: 'rate', kind: 'number', options: [], isRequired: false },
    ],
  })
  expect(of({ type: 'object' })).toEqual({ kind: 'json' })
})

test('typed text is parsed, or rejected with a reason', () => {
  expect(parseTyped('1_000 000', { kind: 'number' })).toBe(1_000_000)
  expect(() => parseTyped('', { kind: 'number' })).toThrow('Enter a number.')
  // A comma may separate thousands or decimals, so it is rejected.
  expect(() => parseTyped('0,5', { kind: 'number' })).toThrow('Enter a number.')
  expect(parseTyped(typedOf({ tool_result: 0.1 }, { kind: 'json' }), { kind: 'json' })).toEqual({ tool_result: 0.1 })
  expect(() => parseTyped('{', { kind: 'json' })).toThrow(/valid JSON/)
})

test.each([
  ['texts', { type: 'array', items: { type: 'string' } }, ['a', 'b'], [{ value: 'a' }, { value: 'b' }]],
  [
    'tables',
    { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    [{ name: 'a' }],
    [{ name: 'a' }],
  ],
  [
    'pairs',
    { type: 'object', propertyNames: { type: 'string', enum: ['x'] }, additionalProperties: { type: 'number' } },
    { x: 0.1 },
    [{ key: 'x', value: 0.1 }],
  ],
  [
    'table',
    { type: 'object', properties: { openai: { type: 'string' } } },
    { openai: 'https://a' },
    [{ openai: 'https://a' }],
  ],
] as const)('a list of %s is edited in rows, and stored as it was', (shape, form, value, rows) => {
  expect(formOf({ form: { ...form } })).toMatchObject({ kind: 'rows', shape })
  expect(rowsOf(value, shape)).toEqual(rows)
  expect(valueOfRows(rows, shape)).toEqual(value)
})

test.each([
  [
    'redaction.patterns',
    [
      { name: 'a', pattern: 'b' },
      { name: 'My order', pattern: 'b' },
    ],
    [1, 'name'],
    /^Lower-case letters, digits/,
  ],
  ['guard.projects', [{ project: 'shop' }], [0, 'project'], /^Give the full path of the working directory/],
  ['filter.sample', { thinking: 2 }, ['thinking'], /^Give a number up to 1\.$/],
  ['limits.accounts', { work: 'Work' }, ['work'], /./],
  ['app.update_url', 'http://x', [], /https:\/\//],
  ['proxy.upstream', 'there', [], /^Give an address that begins with http/],
])('a wrong value of %s says what is right, and where', (key, value, path, words) => {
  expect(faultIn(key, value)?.path).toEqual(path)
  expect(faultIn(key, value)?.words).toMatch(words)
})

test('a right value has no fault', () => {
  expect(faultIn('guard.projects', [{ project: '/home/me/shop', day_usd: 5 }])).toBeNull()
  expect(faultIn('filter.drop_tools', ['Bash'])).toBeNull()
})
