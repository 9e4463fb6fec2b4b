import { expect, test } from 'vitest'
import type { TapMessage, TapParcel } from '../../../proxy/protocol/tap-protocol.ts'
import { createTapInbox } from './tap-inbox.ts'

const post = (exchange: string): readonly TapParcel[] => [
  { exchange, parts: [['request_end', 0]], bytes: new ArrayBuffer(0) },
]

/** Calls `work` in each turn of the thread until stopped. */
function eachTurn(work: () => void): () => void {
  let next = setImmediate(function again() {
    work()
    next = setImmediate(again)
  })
  return () => clearImmediate(next)
}

test('posts are decoded in order, the first at once, and a flood lets other work run', async () => {
  const seen: string[] = []
  let clock = 0
  let turns = 0
  const end = eachTurn(() => (turns += 1))
  const inbox = createTapInbox({
    receive(message) {
      seen.push(message.exchange)
      clock += 2
    },
    idle: async () => undefined,
    now: () => clock,
  })
  const names = Array.from({ length: 50 }, (_, index) => `exchange ${index}`)
  names.forEach((name) => inbox.add(post(name)))
  expect(seen).toEqual(names.slice(0, 1))
  inbox.add(post('last'))
  await inbox.drained()
  end()
  expect(seen).toEqual([...names, 'last'])
  expect(turns).toBeGreaterThan(10)
})

test('posts get as much time as other work takes per turn', async () => {
  let clock = 0
  let turns = 0
  const end = eachTurn(() => {
    turns += 1
    clock += 40
  })
  const inbox = createTapInbox({ receive: () => void (clock += 5), idle: async () => undefined, now: () => clock })
  for (let at = 0; at < 80; at += 1) inbox.add(post('any'))
  await inbox.drained()
  end()
  expect(turns).toBeLessThan(20)
})

test('the next post waits until what came before is decoded', async () => {
  const seen: string[] = []
  const decoded = Promise.withResolvers<void>()
  const inbox = createTapInbox({ receive: ({ exchange }) => void seen.push(exchange), idle: () => decoded.promise })
  inbox.add(post('a'))
  inbox.add(post('b'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toEqual(['a'])
  decoded.resolve()
  await inbox.drained()
  expect(seen).toEqual(['a', 'b'])
  inbox.add(post('c'))
  expect(seen).toEqual(['a', 'b', 'c'])
  await inbox.drained()
})

test('posts that take no time share a turn of the thread', async () => {
  const seen: string[] = []
  const receive = ({ exchange }: TapMessage) => void seen.push(exchange)
  const inbox = createTapInbox({ receive, idle: async () => undefined, now: () => 0 })
  for (let at = 0; at < 50; at += 1) inbox.add(post('any'))
  for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(seen.length).toBe(50)
})
