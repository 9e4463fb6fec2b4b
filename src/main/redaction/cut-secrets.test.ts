import { expect, test } from 'vitest'
import { createCutSecrets } from './cut-secrets.ts'

const never = () => false

test('each place of a known part is replaced by the mark of its secret', () => {
  const parts = createCutSecrets()
  parts.note('abcdef123456', '[mark]')
  expect(parts.redact('abcdef123456 and abcdef123456', never)).toBe('[mark] and [mark]')
})

test('a part of twelve characters counts; a shorter one, or one without digits or letters, does not', () => {
  const parts = createCutSecrets()
  for (const part of ['abcdef12345', 'abcdefghijkl', '123456789012']) parts.note(part, '[mark]')
  const text = 'abcdef12345 abcdefghijkl 123456789012'
  expect(parts.redact(text, never)).toBe(text)
})

test('the newest 1,000 parts are kept, and one that comes again is new', () => {
  const parts = createCutSecrets()
  const part = (at: number) => `part-number-${String(at).padStart(4, '0')}`
  for (let at = 0; at < 1000; at += 1) parts.note(part(at), `[${at}]`)
  parts.note(part(0), '[again]')
  parts.note(part(1000), '[1000]')
  expect(parts.redact(`${part(0)} ${part(1)} ${part(2)} ${part(1000)}`, never)).toBe(`[again] ${part(1)} [2] [1000]`)
})

test('a long text is given up when its time is over, a short one never', () => {
  const parts = createCutSecrets()
  parts.note('abcdef123456', '[mark]')
  expect(parts.redact('a'.repeat(300_000), () => true)).toBeNull()
  expect(parts.redact('abcdef123456', () => true)).toBe('[mark]')
})
