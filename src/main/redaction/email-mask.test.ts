import { expect, test } from 'vitest'
import { maskEmails, undecidedEmail } from './email-mask.ts'

const mask = (text: string) => maskEmails(text, (address) => `<${address}>`)

test('every address of a text is replaced, and only what is one', () => {
  expect(mask('ask ada@engine.org, bob.b+x@mail.example.co.uk.')).toBe(
    'ask <ada@engine.org>, <bob.b+x@mail.example.co.uk>.',
  )
  for (const text of ['@ada', 'a@b', 'x@1.2', 'user@host.c', 'a@host.com2', 'a@host.name-1', '@media (x)'])
    expect(mask(text)).toBe(text)
})

test('an escape before an address is not part of it', () => {
  expect(mask(String.raw`\nada@engine.org`)).toBe(String.raw`\n<ada@engine.org>`)
  expect(mask(String.raw`\u003cada@engine.org`)).toBe(String.raw`\u003c<ada@engine.org>`)
})

test('what may become an address is held back', () => {
  expect(undecidedEmail('see ada.l')).toBe(4)
  expect(undecidedEmail('see ada@engine.o')).toBe(4)
  expect(undecidedEmail('done. ')).toBe(6)
})
