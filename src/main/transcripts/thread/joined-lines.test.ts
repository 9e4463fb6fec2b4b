import { expect, test } from 'vitest'
import { joinedLines } from './joined-lines.ts'

const ONE = { type: 'user', uuid: '1', message: { content: [{ type: 'text', text: 'one' }] } }
const TWO = { type: 'user', uuid: '2', message: { content: 'two' } }
const [one, two] = [JSON.stringify(ONE), JSON.stringify(TWO)]

test.each([
  ['indented', `${JSON.stringify(ONE, null, 2)}\n${two}`, [JSON.stringify(ONE, null, 2), two]],
  ['with a line end in a text', `${one.replace('one', 'o\nne')}\n${two}`, [one.replace('one', 'o\nne'), two]],
  [
    'wrapped between its members',
    `${one.replace(',"message', '\n,"message')}\n${two}`,
    [one.replace(',"message', '\n,"message'), two],
  ],
  ['cut, before one that is whole', `${one.slice(0, 30)}\n${two}`, [one.slice(0, 30), two]],
  ['cut, at the end', `${two}\n${one.slice(0, 30)}`, [two, one.slice(0, 30)]],
  ['cut behind a bracket, before one that is whole', `${one.slice(0, -1)}\n${two}`, [one.slice(0, -1), two]],
  ['with text behind it', `${one} killed\n${two}`, [`${one} killed`, two]],
  ['that does not begin with a brace', `x${one}\n${two}`, [`x${one}`, two]],
])('a record %s gives the decoder', (_, text, expected) => {
  const given: string[] = []
  const decoder = joinedLines({ line: (line) => (given.push(line), []), end: () => [] })
  for (const line of text.split('\n')) decoder.line(line)
  decoder.end()
  expect(given).toEqual(expected)
})
