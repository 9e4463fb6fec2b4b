import { expect, test } from 'vitest'
import { z } from 'zod'
import { refusalOf } from './issue-words.ts'

const asKey = z.string().regex(/^\d+$/, 'a number of an account')
const REFUSED: readonly (readonly [schema: z.ZodType, value: unknown, said: string])[] = [
  [z.number(), 'abc', 'x cannot be "abc": give a number'],
  [z.number().max(65_535), 70_000, 'x cannot be 70000: give a number up to 65535'],
  [z.number().min(0), -1, 'x cannot be -1: give a number from 0'],
  [z.number().positive(), 0, 'x cannot be 0: give a number above 0'],
  [z.int(), 1.5, 'x cannot be 1.5: give a whole number'],
  [z.boolean(), 'maybe', 'x cannot be "maybe": give true or false'],
  [z.string(), 3, 'x cannot be 3: give a text'],
  [z.string().min(1), '', 'x cannot be "": give at least 1 character'],
  [z.string().max(2), 'abc', 'x cannot be "abc": give at most 2 characters'],
  [z.enum(['light', 'dark']), 'green', 'x cannot be "green": choose one of light, dark'],
  [z.array(z.string()), '[a', 'x cannot be "[a": give a list, such as ["a", "b"]'],
  [z.array(z.string()), ['a', 2], 'x.1 cannot be 2: give a text'],
  [z.array(z.object({ name: z.string() })), [{}], 'x.0.name is missing: give a text'],
  [z.array(z.strictObject({})), [{ nam: 1 }], 'x.0 has no nam'],
  [z.record(asKey, z.string()), { a: 'b' }, 'x cannot have "a": give a number of an account'],
  [z.record(asKey, z.string()), 'a', 'x cannot be "a": give a table, such as { name = "value" }'],
  [z.string().refine(() => false, 'use another'), 'a', 'x cannot be "a": use another'],
]
test.each(REFUSED)('%#: a refused value is named with what to give', (schema, value, said) => {
  expect(refusalOf('x', value, schema.safeParse(value).error?.issues[0])).toBe(said)
})
