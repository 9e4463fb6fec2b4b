import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../shared/event.ts'
import { createGrowingBodies } from './growing-body.ts'

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'ü', '😀', '\n') })
const message = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.oneof(text, fc.array(fc.record({ text }))),
})
const body = fc.record({
  before: fc.oneof(text, fc.constant(null), fc.array(fc.integer())),
  messages: fc.array(message, { maxLength: 6 }),
  after: fc.record({ messages: fc.array(fc.integer(), { maxLength: 2 }) }),
})
const listsOf = (json: Json) => (json as { messages: readonly Json[] }).messages

describe('bodies that grow', () => {
  test('read as they would alone, however they go on from another', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(body, fc.nat(6), fc.constantFrom(0, 1)), { maxLength: 8 }), (bodies) => {
        const growing = createGrowingBodies()
        let before: readonly Json[] = []
        for (const [own, shared, indent] of bodies) {
          const whole = { ...own, messages: [...before.slice(0, shared), ...own.messages] }
          const sent = JSON.stringify(whole, null, indent)
          expect(growing.parse('one', Buffer.from(sent), 'messages')).toEqual(JSON.parse(sent))
          before = whole.messages
        }
      }),
    )
  })

  test('what is damaged or odd reads as it would alone', () => {
    const whole = '{"model":"m","messages":[{"a":1},{"b":2}],"messages2":[]}'
    for (const odd of [
      '{"model":"m","messages":[{"a":1},]}',
      '{"model":"m","messages":[{"a":1}{"b":2}]}',
      '{"model":"m","messages":[{"a":1},,{"b":2}]}',
      '{"model":"m","messages":[{"a":1},{"b":2}],"messages":[{"c":3}]}',
      '{"model":"m","messages":[{"a":1},{"b":2}],"messages":[{"c":3},{"d":4}]}',
      '{"model":"m","messages":[{"a":1},{"b":2}],"messages":[]}',
      '{"model":"m","messages":[{"a":1},7]}',
      '{"model":"m","messages":[{"a":1},{"b":2}',
      '{"model":"m","messages":[{"a":1}] }',
      '[]',
    ]) {
      const growing = createGrowingBodies()
      for (const sent of [whole, odd, whole, odd, odd])
        expect(growing.parse('one', Buffer.from(sent), 'messages'), sent).toEqual(parsed(sent))
    }
  })

  test('a message that came before is the very same object, also after a side call; those of others are not', () => {
    const growing = createGrowingBodies()
    const send = (conversation: string, ...words: readonly string[]) =>
      listsOf(
        growing.parse(
          conversation,
          Buffer.from(JSON.stringify({ messages: words.map((word) => ({ word })) })),
          'messages',
        ) ?? [],
      )
    const [first] = send('one', 'first')
    send('one', 'a title, please')
    expect(send('one', 'first', 'second')[0]).toBe(first)
    expect(send('two', 'first', 'second')[0]).not.toBe(first)
  })

  test('what follows the messages is the very same object as long as its bytes are the same', () => {
    const growing = createGrowingBodies()
    const send = (tools: string, ...words: readonly string[]) => {
      const whole = { messages: words.map((word) => ({ word })), tools: [{ name: tools }] }
      const json = growing.parse('one', Buffer.from(JSON.stringify(whole)), 'messages')
      expect(json).toEqual(whole)
      return (json as typeof whole).tools
    }
    send('Bash', 'first')
    const second = send('Bash', 'first', 'second')
    expect(send('Bash', 'first', 'second', 'third')).toBe(second)
    expect(send('Read', 'first', 'second', 'third')).not.toBe(second)
  })

  test('nothing is kept of what was let go', () => {
    const growing = createGrowingBodies()
    const send = () =>
      listsOf(growing.parse('one', Buffer.from('{"messages":[{"word":"first"}]}'), 'messages') ?? [])[0]
    const first = send()
    expect([growing.forget(), growing.forget()]).toEqual([true, false])
    const again = send()
    expect(again).toEqual(first)
    expect(again).not.toBe(first)
  })

  test('a conversation has three beginnings, and those used last stay', () => {
    const growing = createGrowingBodies()
    const send = (word: string) =>
      listsOf(growing.parse('one', Buffer.from(JSON.stringify({ messages: [{ word }] })), 'messages') ?? [])[0]
    const [first, second, third] = [send('first'), send('second'), send('third')]
    expect(send('first')).toBe(first)
    expect(send('second')).toBe(second)
    send('fourth')
    expect(send('first')).toBe(first)
    expect(send('second')).toBe(second)
    expect(send('third')).not.toBe(third)
  })

  test('of many conversations, those used last stay within the limit', () => {
    const growing = createGrowingBodies(100)
    const send = (conversation: string) =>
      listsOf(growing.parse(conversation, Buffer.from('{"messages":[{"word":"xxxx"}]}'), 'messages') ?? [])[0]
    const [one, two, three] = [send('one'), send('two'), send('three')]
    expect(send('one')).toBe(one)
    const four = send('four')
    expect(send('two')).not.toBe(two)
    expect(send('one')).toBe(one)
    expect(send('four')).toBe(four)
    expect(send('three')).not.toBe(three)
  })

  test('no more is kept than it may', () => {
    const growing = createGrowingBodies(100)
    const send = (conversation: string, word: string) =>
      listsOf(growing.parse(conversation, Buffer.from(JSON.stringify({ messages: [{ word }] })), 'messages') ?? [])[0]
    const first = send('one', 'x'.repeat(40))
    expect(send('one', 'x'.repeat(40))).toBe(first)
    send('two', 'y'.repeat(40))
    expect(send('one', 'x'.repeat(40))).not.toBe(first)
    send('one', 'z'.repeat(400))
  })
})

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent)
  } catch {
    return null
  }
}
