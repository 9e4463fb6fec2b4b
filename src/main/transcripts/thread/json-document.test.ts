import { array, assert, asyncProperty, constantFrom, integer, jsonValue, record } from 'fast-check'
import { expect, test } from 'vitest'
import { JsonDocument } from './json-document.ts'

async function split(text: string, { chunkBytes = 7, maxBytes = 1000 } = {}) {
  const bytes = Buffer.from(text)
  async function* chunks() {
    // One buffer for all, as when a file is read.
    const buffer = Buffer.alloc(chunkBytes)
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      yield buffer.subarray(0, bytes.copy(buffer, 0, at, at + chunkBytes))
    }
  }
  const document = new JsonDocument({ head: 'session', list: 'items' }, maxBytes)
  const parts: (string | null)[] = []
  for await (const { lines } of document.batches(chunks())) parts.push(...lines.map((line) => line.text))
  return { parts, isDamaged: document.isDamaged }
}

test('its parts are the head and the elements, however it is indented and wherever chunks end', async () => {
  const json = jsonValue({ maxDepth: 4 })
  await assert(
    asyncProperty(
      record({ before: json, session: json, between: json, items: array(json), after: json }),
      integer({ min: 1, max: 40 }),
      constantFrom(0, 2, '\t'),
      async (value, chunkBytes, indent) => {
        const { parts, isDamaged } = await split(`\uFEFF${JSON.stringify(value, null, indent)}\n`, {
          chunkBytes,
          maxBytes: 1e6,
        })
        const told = parts.map((part): unknown => JSON.parse(part ?? ''))
        expect(told).toEqual(JSON.parse(JSON.stringify([value.session, ...value.items])))
        expect(isDamaged).toBe(false)
      },
    ),
    { numRuns: 300 },
  )
})

test('names inside of values and texts do not count', async () => {
  const value = { a: { session: 1, items: [2] }, b: '"items": [3]', session: { items: [4] }, items: [{ items: [5] }] }
  expect((await split(JSON.stringify(value))).parts).toEqual(['{"items":[4]}', '{"items":[5]}'])
})

test.each([
  ['cut in an element', '{"session":{"id":1},"items":[{"a":1},{"b":', ['{"id":1}', '{"a":1}'], true],
  ['cut before the list', '{"session":{"id":1}', [], true],
  ['a list', '[{"type":"message"}]', [], true],
  ['no list', '{"session":{"id":1}}', ['{"id":1}'], true],
  ['an object in place of the list', '{"session":{"id":1},"items":{"a":1}}', ['{"id":1}'], true],
  ['nothing', '', [], true],
  ['no JSON', '\0\u0001]]]}}}{{{"', [], true],
  ['an empty list', '{"items":[],"session":{}}', ['{}'], false],
  ['an element that is too long', `{"items":["${'x'.repeat(2000)}",{"b":2}]}`, [null, '{"b":2}'], false],
  ['brackets without end', `{"items":[${'['.repeat(900)}`, [], true],
] as const)('%s', async (_, text, parts, isDamaged) => {
  expect(await split(text)).toEqual({ parts, isDamaged })
})
