import { expect, test } from 'vitest'
import { readForms } from './fixtures/forms.ts'
import { make } from './fixtures/redactor-under-test.ts'

const redactor = make()
const forms = [...readForms('./forms.json'), ...readForms('./fresh.json')]
const harmless = readForms('./harmless.json')
const plain = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

test.each(forms)('$kind: removes the secrets of $text and nothing else', ({ text, kept }) => {
  const expected = new RegExp(`^${kept.map(plain).join(String.raw`(?:\[redacted:[a-z0-9-]+:[0-9a-f]{4}\])+`)}$`)
  expect(redactor.text(text)).toMatch(expected)
})

test.each(harmless)('$kind: leaves $text', ({ text }) => {
  expect(redactor.text(text)).toBe(text)
})

test('a line of JSON that holds one of them is JSON after it, also within a string', () => {
  const broken = forms.flatMap(({ text }) => {
    const line = JSON.stringify({ a: [text], b: 1 })
    return [line, JSON.stringify({ c: line })].map((one) => redactor.text(one)).filter((one) => !isJson(one))
  })
  expect(broken).toEqual([])
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
