import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HookOrder } from './hook-order.ts'

const hook = (name: string) => ({
  type: 'hook' as const,
  id: name,
  wall: 0,
  at: 0,
  body: { session_id: 's', hook_event_name: name },
})

function begin(maxMs = 5) {
  const taken: string[] = []
  const order = new HookOrder({
    answered: () => Promise.resolve(),
    take: ({ id }) => void taken.push(id),
    maxMs,
  })
  return { taken, order }
}

test('a prompt waits for a request that comes late', async () => {
  const { taken, order } = begin()
  order.receive(hook('UserPromptSubmit'))
  order.receive(hook('InstructionsLoaded'))
  await pause(50)
  expect(taken).toEqual([])
  order.asked('s')
  await order.settled()
  expect(taken).toEqual(['UserPromptSubmit', 'InstructionsLoaded'])
})

test('a prompt that waits in the queue is taken when its session ends', async () => {
  const { taken, order } = begin(60_000)
  order.receive(hook('UserPromptSubmit'))
  await pause(5)
  order.receive(hook('SessionEnd'))
  while (taken.length < 2) await pause(5)
  expect(taken).toEqual(['UserPromptSubmit', 'SessionEnd'])
})

test.each(['PreToolUse', 'Stop'])('a prompt waits no longer once %s shows that none comes', async (next) => {
  const { taken, order } = begin()
  order.receive(hook('UserPromptSubmit'))
  order.receive(hook(next))
  while (taken.length < 2) await pause(5)
  expect(taken).toEqual(['UserPromptSubmit', next])
  order.receive(hook('UserPromptSubmit'))
  expect(taken).toHaveLength(3)
})

test('a prompt that was not sent is before the next one, and before its request', async () => {
  const { taken, order } = begin(60_000)
  order.receive({ ...hook('UserPromptSubmit'), id: 'blocked' })
  await pause(5)
  order.receive({ ...hook('UserPromptSubmit'), id: 'sent' })
  while (taken.length < 2) await pause(5)
  expect(taken).toEqual(['blocked', 'sent'])
})

test('nothing waits for a request when no more come', async () => {
  const { taken, order } = begin()
  order.receive(hook('UserPromptSubmit'))
  await order.settled()
  expect(taken).toEqual(['UserPromptSubmit'])
})
