import { expect, test } from 'vitest'
import { z } from 'zod'
import { onlyKnownFields } from './known-fields.ts'

const input = onlyKnownFields(z.object({ session_id: z.string().optional(), limit: z.number().default(3) }))
const said = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map(({ message }) => message)

test('a field that is not known is named, with the nearest that is and all that are', () => {
  expect(said(input, { sesion_id: 's' })).toEqual([
    'there is no field "sesion_id" (did you mean "session_id"?); it takes session_id, limit',
  ])
  expect(said(input, { 'Session-ID': 's', mood: 1 })).toEqual([
    'there is no field "Session-ID" (did you mean "session_id"?), "mood"; it takes session_id, limit',
  ])
  expect(said(onlyKnownFields(z.object({})), { limit: 1 })).toEqual(['there is no field "limit"; it takes none'])
})

test('what is known is parsed as before, and its own faults are said as before', () => {
  expect(input.parse({ session_id: 's' })).toEqual({ session_id: 's', limit: 3 })
  expect(said(input, { limit: 'many' })).toEqual(said(z.object({ limit: z.number() }), { limit: 'many' }))
  expect(said(input, 'text')).toEqual(said(z.object({}), 'text'))
})

test('what is refused is said in the JSON schema', () => {
  expect(z.toJSONSchema(input, { io: 'input' })).toMatchObject({ additionalProperties: false })
})

test('an input that takes any field goes on doing so', () => {
  const hook = onlyKnownFields(z.looseObject({ session_id: z.string() }))
  expect(hook.parse({ session_id: 's', tool_name: 'Bash' })).toEqual({ session_id: 's', tool_name: 'Bash' })
  expect(z.toJSONSchema(hook, { io: 'input' })).not.toMatchObject({ additionalProperties: false })
})

test('of many unknown fields, and of long ones, only the beginning is said', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field ${n} ${'x'.repeat(100)}`, n]))
  const [message] = said(input, many) ?? []
  expect(message?.length).toBeLessThan(400)
})
