import { expect, test } from 'vitest'
import type { AnyDraft } from '../decode/draft.ts'
import { make } from './fixtures/redactor-under-test.ts'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

function result(call: string, fields: object): AnyDraft & { readonly sighting: { readonly [name: string]: unknown } } {
  const payload = { call_id: call, tool_name: 'Bash', ...fields }
  return { kind: 'tool_result', payload, sighting: { ...fields, duration_ms: 3 } } as never
}

test('what a sighting shares with its payload is redacted and stays shared; the order of fields stays, too', () => {
  const { draft } = make()
  const clean = draft(result('c', { output: `key ${SECRET}`, detail: { stdout: `key ${SECRET}`, lines: ['a'] } }))
  const { payload, sighting } = clean as { payload: { detail: object; output: string }; sighting: object }
  expect(JSON.stringify(clean)).not.toContain(SECRET)
  expect(sighting).toEqual({ output: payload.output, detail: payload.detail, duration_ms: 3 })
  expect((sighting as { detail: object }).detail).toBe(payload.detail)
  expect(Object.keys(sighting)).toEqual(['output', 'detail', 'duration_ms'])
})

test('an equal object that is not the same one is redacted by itself', () => {
  const { draft } = make()
  const given = result('c', { output: 'x', detail: { note: 'y' } })
  const other = { ...given, sighting: { detail: { note: `key ${SECRET}` } } } as AnyDraft
  expect(JSON.stringify(draft(other).sighting)).toMatch(/key \[redacted:/)
})

test('the details of a result that shows a .env file are redacted as that file, in both places', () => {
  const { draft, json } = make()
  json({ id: 'env', input: { file_path: '.env' } })
  const clean = draft(result('env', { output: 'COLOUR=green', detail: { stdout: 'COLOUR=green' } }))
  expect(JSON.stringify(clean)).not.toContain('green')
  expect(clean.sighting).toMatchObject({ output: expect.stringMatching(/^COLOUR=\[redacted:env-value/) as string })
})
