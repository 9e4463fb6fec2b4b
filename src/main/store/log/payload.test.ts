import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isShownIn, KeptJson, packJson, packPayload, unpackPayload } from './payload.ts'
import type { Json, JsonObject } from '../../../shared/event.ts'

/** Replaces the table `contents`: returns texts by a counter. */
function box() {
  const texts = new Map<string, string>()
  const keep = (text: string) => {
    const known = [...texts].find(([, kept]) => kept === text)?.[0]
    const hash = known ?? String(texts.size).padStart(32, '0')
    texts.set(hash, text)
    return hash
  }
  return { texts, keep, fetch: (hash: string) => texts.get(hash) ?? null }
}

const key = fc.constantFrom(
  '$content',
  '$$content',
  '$$$content',
  'json',
  'text',
  '__proto__',
  'constructor',
  'toString',
)
const value = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('short', 'x'.repeat(1025), 'ü'.repeat(600), '\ud800', '"seen"', ''),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).json

test('whatever a payload holds comes back as it was, look-alikes and all', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true }), (given) => {
      const payload = JSON.parse(JSON.stringify(given)) as JsonObject
      const { keep, fetch } = box()
      const { json, references } = packPayload(payload, keep)
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(1024)
      expect(unpackPayload(json, fetch)).toEqual(payload)
      for (const hash of references) expect(json).toContain(hash)
      const column = packJson(payload as Json, keep)
      expect(unpackPayload(column, fetch)).toEqual(payload)
    }),
  )
})

test('the field that a view shows stays in the row, unless the rest of the payload is long', () => {
  const shownIn = (payload: object, shown: string) => {
    const { texts, keep, fetch } = box()
    const { json } = packPayload(payload, keep, { shown })
    expect(unpackPayload(json, fetch)).toEqual(payload)
    return { isShown: isShownIn(json, shown), kept: [...texts.values()], json }
  }
  const long = 'x'.repeat(5000)
  const many = Array.from({ length: 300 }, (_, at) => `line ${at}`)
  expect(shownIn({ text: long, signature: 'y'.repeat(2000) }, 'text')).toMatchObject({
    isShown: true,
    kept: ['y'.repeat(2000)],
  })
  expect(shownIn({ text: long.repeat(20) }, 'text')).toMatchObject({ isShown: true, kept: [] })
  expect(shownIn({ output: [long, many], detail: 1 }, 'output')).toMatchObject({ isShown: true, kept: [] })
  expect(shownIn({ input: { long: long.repeat(4) } }, 'input')).toMatchObject({
    isShown: false,
    kept: [long.repeat(4)],
  })
  expect(shownIn({ output: long, detail: many }, 'output')).toMatchObject({
    isShown: false,
    kept: [long, expect.not.stringContaining(long)],
  })
  expect(shownIn({ input: { $content: long } }, 'input')).toMatchObject({ isShown: false, kept: [] })
  expect(shownIn({ text: `${long}\u0000` }, 'text')).toMatchObject({ isShown: false, kept: [] })
})

test('whatever a shown field holds comes back as it was', () => {
  fc.assert(
    fc.property(value, fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }), (output, rest) => {
      const payload = JSON.parse(JSON.stringify({ ...rest, output })) as JsonObject
      const { keep, fetch } = box()
      expect(unpackPayload(packPayload(payload, keep, { shown: 'output' }).json, fetch)).toEqual(payload)
    }),
  )
})

test('a text that is gone reads as null, a payload that is gone as empty', () => {
  const { keep } = box()
  const text = packPayload({ text: 'x'.repeat(2000), kept: 1 }, keep).json
  expect(unpackPayload(text, () => null)).toEqual({ text: null, kept: 1 })
  const whole = packPayload(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at])), keep).json
  expect(unpackPayload(whole, () => null)).toEqual({})
})

test('a list kept on its own comes back as a list, and names what it holds', () => {
  const { keep, fetch } = box()
  const children: (readonly string[])[] = []
  const list = new KeptJson('["a","b"]', ['a', 'b'])
  const packed = packPayload({ tools: list }, (text, named) => {
    children.push(named)
    return keep(text)
  })
  expect(children).toEqual([['a', 'b']])
  expect(unpackPayload(packed.json, fetch)).toEqual({ tools: ['a', 'b'] })
})
