import { expect, test } from 'vitest'
import { createRandom } from '../base/fixtures/random.ts'
import { wholeRecords } from './whole-records.ts'

const isRecord = (object: object): boolean => 'uuid' in object
const PIECES = ['}{', '"', '\\', '{"uuid":"x"}', '\0', '\uFEFF', '\n', ',', '[{', ':', '{ "', 'word', '🙂', '}}']

test('whatever is in their strings and between them, all whole records are found, and nothing else', () => {
  const random = createRandom('whole records')
  const words = () => Array.from({ length: random.int(0, 5) }, () => PIECES[random.int(0, PIECES.length - 1)]).join('')
  const record = (uuid: number) =>
    JSON.stringify({
      type: words(),
      message: { content: [{ type: 'text', text: words() }, { [words()]: words() }], usage: { input_tokens: 1 } },
      uuid: String(uuid),
    })
  for (let round = 0; round < 2000; round += 1) {
    const records = Array.from({ length: random.int(1, 4) }, (_, at) => record(at))
    const between = ['', '\0\0', '\uFEFF', ' \r'][random.int(0, 3)] ?? ''
    const truncated = record(9)
    const line = `${truncated.slice(0, random.int(0, truncated.length - 1))}${between}${records.join(between)}`
    expect(wholeRecords(line, isRecord).records, line).toEqual(records)
  }
})

test('a line in which no object ends takes no longer than its length allows', () => {
  const line = '{"a":'.repeat(200_000)
  expect(wholeRecords(line, isRecord)).toEqual({ records: [], rest: line })
})

const [ONE, TWO] = ['{"type":"user","uuid":"1","parts":[{"uuid":"x"},{"uuid":"y"}]}', '{"uuid":"2"}']
test.each([
  ['a comma behind it', `${ONE},`, [ONE]],
  ['a list', `[${ONE}, ${TWO}]`, [ONE, TWO]],
  ['the beginning of a list', `[${ONE},`, [ONE]],
  ['the end of a list', `${TWO}]`, [TWO]],
  ['the rest of a truncated record before it', `"text":"x"},{"uuid":"x"}],"uuid":"0"}${TWO}`, [TWO]],
  ['control characters in its strings', '{"uuid":"a\tb\\n\u0001",\t"x":1}', ['{"uuid":"a\\tb\\n\\u0001",\t"x":1}']],
])('a record is whole with %s', (_, line, records) => {
  expect(wholeRecords(line, isRecord).records).toEqual(records)
})
