import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../shared/event.ts'
import { createMessageQueue } from './message-queue.ts'

const enqueued = (content: string) => ({ type: 'queue-operation', operation: 'enqueue', content })

test('a message that leaves the queue without its name reached the model in mid-turn; the first one leaves first', () => {
  const queue = createMessageQueue()
  expect(queue.take(enqueued('also run the linter'))).toBeNull()
  expect(queue.take(enqueued('and the types'))).toBeNull()
  expect(queue.take({ type: 'queue-operation', operation: 'remove' })).toBe('also run the linter')
  expect(queue.take({ type: 'queue-operation', operation: 'remove' })).toBe('and the types')
  expect(queue.take({ type: 'queue-operation', operation: 'remove' })).toBeNull()
})

test('a message that is sent as a turn, withdrawn or named has a line elsewhere', () => {
  const queue = createMessageQueue()
  for (const text of ['first', 'second', 'third', 'fourth']) queue.take(enqueued(text))
  expect(queue.take({ type: 'queue-operation', operation: 'remove', content: 'second' })).toBeNull()
  expect(queue.take({ type: 'queue-operation', operation: 'dequeue' })).toBeNull()
  expect(queue.take({ type: 'queue-operation', operation: 'popAll', content: 'fourth' })).toBeNull()
  expect(queue.take({ type: 'queue-operation', operation: 'remove' })).toBe('third')
})

test.each(['<task-notification>done</task-notification>', ' <agent-notification>', '/compact', ' \n'])(
  'a queue holds what nobody typed: %j',
  (content) => {
    const queue = createMessageQueue()
    queue.take(enqueued(content))
    expect(queue.take({ type: 'queue-operation', operation: 'remove' })).toBeNull()
  },
)

const NOTICE = '<task-notification>\n<task-id>b1</task-id> done\n</task-notification>'
const remove = { type: 'queue-operation', operation: 'remove' }
const dequeue = { type: 'queue-operation', operation: 'dequeue' }

/** Lines of a queue without contents, with texts for messages that got a line of their own, and what was passed on. */
const STORIES: { readonly [what: string]: readonly [readonly (object | string)[], readonly string[]] } = {
  'a notice waits, a typed message is passed on': [[enqueued(NOTICE), enqueued('typed'), remove], ['typed']],
  'both are passed on': [[enqueued(NOTICE), enqueued('typed'), remove, remove], ['typed']],
  'two notices around a typed message': [
    [enqueued(NOTICE), enqueued('one'), enqueued(NOTICE), enqueued('two'), remove, remove, dequeue, dequeue],
    ['one', 'two'],
  ],
  'a notice becomes a turn, then the typed message is passed on': [
    [enqueued(NOTICE), enqueued('typed'), dequeue, NOTICE, remove],
    ['typed'],
  ],
  'the typed message becomes a turn before the notice': [
    [enqueued(NOTICE), enqueued('typed'), enqueued('later'), dequeue, 'typed', remove, dequeue],
    ['later'],
  ],
  'two messages become one turn': [
    [enqueued(NOTICE), enqueued('one'), enqueued('two'), enqueued('three'), dequeue, dequeue, 'one\ntwo', remove],
    ['three'],
  ],
  'a command waits for the end of the turn': [[enqueued('/compact'), enqueued('typed'), remove, dequeue], ['typed']],
}

test.each(Object.entries(STORIES))('without contents: %s', (_, [lines, passedOn]) => {
  const queue = createMessageQueue()
  const found = lines.flatMap((line) => {
    if (typeof line !== 'string') return queue.take(line as JsonObject) ?? []
    queue.sent(line)
    return []
  })
  expect(found).toEqual(passedOn)
})
