import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject, StoredRequest } from '../../shared/event.ts'
import { joinRequest, messageParts, splitRequest } from './request-codec.ts'

const MARK = { cache_control: { type: 'ephemeral' } }
const TEXT = { type: 'text', text: 'one' }
const MARKED = { ...TEXT, ...MARK }

/** Splits a body, and joins its stored parts. */
function store(body: JsonObject, list?: 'input') {
  const contents = new Map<string, string>()
  const read = (hash: string) => JSON.parse(contents.get(hash) ?? 'null') as Json
  const parts = splitRequest(
    body,
    (all) =>
      all.map((part) => {
        const text = JSON.stringify(part)
        const hash = createHash('sha256').update(text).digest('hex')
        contents.set(hash, text)
        return hash
      }),
    undefined,
    list,
  )
  const { messages, cacheControl, markOrder, ...rest } = parts
  const request = { ...rest, cache_control: cacheControl, mark_order: markOrder, ...(list ? { list } : {}) }
  return { parts, read, joined: joinRequest(request, messages, read) }
}

interface Case {
  readonly message: Json
  /** Its blocks, without marks. */
  readonly blocks: readonly Json[]
  /** Below `/messages/0`. */
  readonly marks?: readonly string[]
}
const CASES: Readonly<Record<string, Case>> = {
  blocks: { message: { role: 'user', content: [TEXT, MARKED] }, blocks: [TEXT, TEXT], marks: ['content/1'] },
  'a string': { message: { role: 'user', content: 'one' }, blocks: ['one'] },
  'the system message of Claude Code': {
    message: { role: 'system', content: [MARKED], output_config: { effort: 'high' } },
    blocks: [TEXT],
    marks: ['content/0'],
  },
  'the same, repeated as a string': {
    message: { role: 'system', content: 'one', output_config: { effort: 'high' } },
    blocks: ['one'],
  },
  'only an output_config': { message: { role: 'system', content: [], output_config: { effort: 'low' } }, blocks: [] },
  'a role that nobody knows': { message: { role: 'critic', content: [MARKED] }, blocks: [TEXT], marks: ['content/0'] },
  'no role': { message: { content: [MARKED] }, blocks: [TEXT], marks: ['content/0'] },
  'an empty role': { message: { role: '', content: [TEXT] }, blocks: [TEXT] },
  'a role that is a number': { message: { role: 7, content: [MARKED] }, blocks: [TEXT], marks: ['content/0'] },
  'content first': { message: { content: [MARKED], role: 'user' }, blocks: [TEXT], marks: ['content/0'] },
  'unknown keys': {
    message: { id: 'm', role: 'user', content: [MARKED], clear_at: 'next', name: null },
    blocks: [TEXT],
    marks: ['content/0'],
  },
  'a mark on the message': { message: { role: 'user', content: [TEXT], ...MARK }, blocks: [TEXT], marks: [''] },
  'a mark that is not the last field': {
    message: { role: 'user', content: [{ type: 'text', ...MARK, text: 'one' }] },
    blocks: [TEXT],
    marks: ['content/0'],
  },
  'a mark in a result': {
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [TEXT, MARKED] }] },
    blocks: [{ type: 'tool_result', tool_use_id: 't', content: [TEXT, TEXT] }],
    marks: ['content/0/content/1'],
  },
  'marks in the document of a result': {
    message: {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          content: [{ type: 'document', source: { type: 'content', content: [MARKED] }, ...MARK }],
        },
      ],
    },
    blocks: [{ type: 'tool_result', content: [{ type: 'document', source: { type: 'content', content: [TEXT] } }] }],
    marks: ['content/0/content/0', 'content/0/content/0/source/content/0'],
  },
  'what only looks like a mark, in the input of a call': {
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'T', input: { content: [MARKED] } }] },
    blocks: [{ type: 'tool_use', id: 't', name: 'T', input: { content: [MARKED] } }],
  },
  'one block that is not in a list': { message: { role: 'user', content: MARKED }, blocks: [TEXT], marks: ['content'] },
  'numbers, null, strings and lists as blocks': {
    message: { role: 'user', content: [7, null, 'one', [MARKED], MARKED, true] },
    blocks: [7, null, 'one', [TEXT], TEXT, true],
    marks: ['content/3/0', 'content/4'],
  },
  'a number as content': { message: { role: 'user', content: 7 }, blocks: [7] },
  'null as content': { message: { role: 'user', content: null }, blocks: [null] },
  'no content': { message: { role: 'user', parts: [TEXT] }, blocks: [] },
  'no fields': { message: {}, blocks: [] },
  'a number': { message: 7, blocks: [7] },
  null: { message: null, blocks: [null] },
  'a list': { message: [MARKED], blocks: [[MARKED]] },
  'names of prototypes': {
    message: JSON.parse('{"role":"user","__proto__":{"a":1},"content":[{"__proto__":1,"constructor":2}]}') as Json,
    blocks: [JSON.parse('{"__proto__":1,"constructor":2}') as Json],
  },
}

describe('a message is split into its blocks and marks, and joined to the same JSON', () => {
  test.each(Object.entries(CASES))('%s', (_, { message, blocks, marks = [] }) => {
    const body = { messages: [message, { role: 'user', content: 'last' }], model: 'm' }
    const { parts, read, joined } = store(body)
    const [first] = parts.messages
    expect(JSON.stringify(messageParts(first ?? { role: '', blocks: [] }).content.map(read))).toBe(
      JSON.stringify(blocks),
    )
    const pointers = marks.map((mark) => `/messages/0${mark === '' ? '' : `/${mark}`}/cache_control`)
    expect(Object.keys(parts.cacheControl).toSorted()).toEqual(pointers.toSorted())
    expect(JSON.stringify(joined)).toBe(JSON.stringify(body))
  })

  test('any JSON, with marks anywhere', () => {
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(null, 7, '', 'one', MARK),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('role', 'content', 'source', 'cache_control', 'type', '__proto__'), tie('tree'), {
          noNullPrototype: true,
        }),
      ),
    }))
    const lists = fc.record({ system: tree, messages: fc.array(tree), tools: tree, input: fc.array(tree) })
    fc.assert(
      fc.property(lists, fc.constantFrom(undefined, 'input' as const), (value, list) => {
        const body = JSON.parse(JSON.stringify(value)) as JsonObject
        expect(JSON.stringify(store(body, list).joined)).toBe(JSON.stringify(body))
      }),
      { numRuns: 200 },
    )
  })
})

test('the fields of a body keep their order', () => {
  const body = {
    tools: [{ name: 'T' }],
    model: 'm',
    messages: [{ role: 'user', content: 'one' }],
    system: [TEXT],
    n: 1,
  }
  expect(JSON.stringify(store(body).joined)).toBe(JSON.stringify(body))
})

test('a message with other fields than role and content shares its blocks with one that has none', () => {
  const [plain, framed] = [{}, { output_config: { effort: 'high' } }].map((more) => {
    const { parts } = store({ messages: [{ role: 'system', content: [TEXT], ...more }] })
    return messageParts(parts.messages[0] ?? { role: '', blocks: [] })
  })
  expect(framed?.content).toEqual(plain?.content)
  expect([plain?.frame, framed?.frame]).toEqual([null, expect.any(String)])
})

test('requests of earlier versions are still read', () => {
  const whole = { role: 'system', content: [MARKED], output_config: { effort: 'high' } }
  const contents: Record<string, Json> = { a: whole, b: 'one', c: TEXT, d: { name: 'T' } }
  const request: Omit<StoredRequest, 'base' | 'keep' | 'add'> = {
    system: ['c'],
    tools: ['d'],
    parameters: { model: 'm' },
    cache_control: { '/messages/2/content/0/cache_control': { type: 'ephemeral' } },
  }
  const messages = [
    { role: '', blocks: ['a'] },
    { role: 'user', blocks: ['b'], plain: true as const },
    { role: 'user', blocks: ['c'] },
  ]
  expect(joinRequest(request, messages, (hash) => contents[hash] ?? null)).toEqual({
    model: 'm',
    system: [TEXT],
    messages: [whole, { role: 'user', content: 'one' }, { role: 'user', content: [MARKED] }],
    tools: [{ name: 'T' }],
  })
})

test('a typed item of the Responses API is one block', () => {
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] }
  const { parts, joined } = store({ model: 'm', input: [item] }, 'input')
  expect(parts.messages).toEqual([{ role: '', blocks: [expect.any(String)] }])
  expect(joined).toEqual({ model: 'm', input: [item] })
})
