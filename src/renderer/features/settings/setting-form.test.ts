import { expect, test } from 'vitest'
import { formOf, parseTyped, typedOf } from './setting-form.ts'

test('each kind of value has its control', () => {
  const of = (form: object) => formOf({ form: { ...form } })
  expect(of({ type: 'boolean' })).toEqual({ kind: 'switch' })
  expect(of({ type: 'string', enum: ['a', 'b'] })).toEqual({ kind: 'choice', options: ['a', 'b'] })
  expect(of({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toEqual({ kind: 'number' })
  expect(of({ type: 'array', items: { type: 'string' } })).toEqual({ kind: 'lines' })
  expect(of({ type: 'array', items: { type: 'string', enum: ['x'] } })).toEqual({ kind: 'choices', options: ['x'] })
  const row = {
    type: 'object',
    properties: { name: { type: 'string' }, on: { type: 'boolean' }, rate: { type: 'number' } },
    required: ['name'],
  }
  expect(of({ type: 'array', items: row })).toEqual({
    kind: 'rows',
    columns: [
      { name: 'name', kind: 'text', isRequired: true },
      { name: 'on', kind: 'switch', isRequired: false },
      { name: 'rate', kind: 'number', isRequired: false },
    ],
  })
  expect(of({ type: 'object' })).toEqual({ kind: 'json' })
})

test('typed text is parsed, or rejected with a reason', () => {
  expect(parseTyped('1_000 000', { kind: 'number' })).toBe(1_000_000)
  expect(() => parseTyped('', { kind: 'number' })).toThrow('Enter a number.')
  // A comma may separate thousands or decimals, so it is rejected.
  expect(() => parseTyped('0,5', { kind: 'number' })).toThrow('Enter a number.')
  expect(parseTyped(' a b \n\nc', { kind: 'lines' })).toEqual(['a b', 'c'])
  expect(parseTyped(typedOf({ tool_result: 0.1 }, { kind: 'json' }), { kind: 'json' })).toEqual({ tool_result: 0.1 })
  expect(() => parseTyped('{', { kind: 'json' })).toThrow(/valid JSON/)
})
