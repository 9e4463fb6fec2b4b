import { expect, test } from 'vitest'
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
