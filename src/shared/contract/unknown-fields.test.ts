import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeUnknown } from './unknown-fields.ts'

const input = z.object({
  session_id: z.string().optional(),
  kinds: z.string().optional(),
  limit: z.number().default(3),
})
const known = 'it takes session_id, kinds, limit'

test('a field whose name resembles a known one is named with a suggestion', () => {
  expect(describeUnknown(input, { sesion_id: 's' })).toBe(
    `there is no field "sesion_id" (did you mean "session_id"?); ${known}`,
  )
  expect(describeUnknown(input, { sessionId: 's', kind: 'error', limit: 1 })).toBe(
    `there is no field "sessionId" (did you mean "session_id"?), "kind" (did you mean "kinds"?); ${known}`,
  )
  expect(describeUnknown(input, { 'Session-ID': 's' })).toContain('"session_id"')
})

test('a field that resembles nothing is refused, too', () => {
  expect(describeUnknown(input, { mood: 1, limit: 1 })).toBe(`there is no field "mood"; ${known}`)
  expect(describeUnknown(input, { toString: 1 })).toContain('"toString"')
  expect(describeUnknown(z.object({}), { mood: 1 })).toContain('it takes none')
  // A short name is a part of many words, and every name begins with nothing.
  expect(describeUnknown(z.object({ to: z.string() }), { tool_stop: 1 })).toBe(
    'there is no field "tool_stop"; it takes to',
  )
  expect(describeUnknown(input, { '': 1 })).toBe(`there is no field ""; ${known}`)
})

test('known fields, and inputs that are not objects, are left to the schema', () => {
  expect(describeUnknown(input, { session_id: 's', limit: 'many' })).toBeNull()
  expect(describeUnknown(input, 'text')).toBeNull()
  expect(describeUnknown(input, null)).toBeNull()
})

test('an input that accepts any field accepts unknown ones too', () => {
  expect(describeUnknown(z.looseObject({ session_id: z.string() }), { sesion_id: 's' })).toBeNull()
})

test('many or long unknown fields are named only in part', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`limit${n % 10}${' '.repeat(n)}`, n]))
  expect(describeUnknown(input, many)?.length ?? 0).toBeLessThan(400)
})
