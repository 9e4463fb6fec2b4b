import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeMisspelt } from './misspelt-fields.ts'

const input = z.object({
  session_id: z.string().optional(),
  kinds: z.string().optional(),
  limit: z.number().default(3),
})
const known = 'it takes session_id, kinds, limit'

test('a field whose name resembles a known one is named with a suggestion', () => {
  expect(describeMisspelt(input, { sesion_id: 's' })).toBe(
    `there is no field "sesion_id" (did you mean "session_id"?); ${known}`,
  )
  expect(describeMisspelt(input, { sessionId: 's', kind: 'error', limit: 1 })).toBe(
    `there is no field "sessionId" (did you mean "session_id"?), "kind" (did you mean "kinds"?); ${known}`,
  )
  expect(describeMisspelt(input, { 'Session-ID': 's' })).toContain('"session_id"')
})

test('known fields, fields that resemble nothing and inputs that are not objects are left to the schema', () => {
  expect(describeMisspelt(input, { end: 1, _: 1, offset: 0, before: 'x', mood: 1 })).toBeNull()
  expect(describeMisspelt(input, { session_id: 's', limit: 'many' })).toBeNull()
  expect(describeMisspelt(input, 'text')).toBeNull()
  expect(describeMisspelt(input, null)).toBeNull()
})

test('an input that accepts any field accepts misspelt ones too', () => {
  expect(describeMisspelt(z.looseObject({ session_id: z.string() }), { sesion_id: 's' })).toBeNull()
})

test('many or long misspelt fields are named only in part', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`limit${n % 10}${' '.repeat(n)}`, n]))
  expect(describeMisspelt(input, many)?.length ?? 0).toBeLessThan(400)
})
