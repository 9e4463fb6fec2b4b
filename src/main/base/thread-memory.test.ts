import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { roomyHeaps, threadMemory } from './thread-memory.ts'

/** Allocates for a while and keeps a little; returns the resulting size of the young generation, in bytes. */
const ALLOCATE = `
const { parentPort } = require('node:worker_threads')
const kept = []
let largest = 0
for (let at = 0; at < 400; at += 1) {
  const made = Array.from({ length: 5000 }, (_, n) => ({ n, at }))
  kept[at % 20] = made
  const space = require('node:v8').getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  largest = Math.max(largest, space.space_size)
}
parentPort.postMessage(largest)`

async function youngBytes(resourceLimits: object): Promise<number> {
  const worker = new Worker(ALLOCATE, { eval: true, resourceLimits })
  const [bytes] = (await once(worker, 'message')) as [number]
  await once(worker, 'exit')
  return bytes
}

test('a thread collects new objects before they fill more than its small part of the heap', async () => {
  // V8 adds pages beyond the limit while it collects, so that only the ratio is certain.
  expect(await youngBytes(threadMemory(256))).toBeLessThan((await youngBytes({})) / 2)
})

test('heaps may double as long as anybody needs it', () => {
  const flags: string[] = []
  const setFlags = (flag: string) => void flags.push(flag)
  const first = roomyHeaps(setFlags)
  const second = roomyHeaps(setFlags)
  first[Symbol.dispose]()
  expect(new Set(flags)).toEqual(new Set(['--heap-growing-percent=100']))
  second[Symbol.dispose]()
  expect(flags.at(-1)).toBe('--heap-growing-percent=0')
})
