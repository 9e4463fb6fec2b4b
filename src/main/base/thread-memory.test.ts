import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { roomyHeaps, threadMemory } from './thread-memory.ts'

/** Allocates for a while and keeps a little; answers how large the part for new objects became, in bytes. */
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

/** Holds 20 MB that are replaced all the time; answers how often the heap was collected in full. */
const REPLACE = `
const { parentPort } = require('node:worker_threads')
const { PerformanceObserver, constants } = require('node:perf_hooks')
let full = 0
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full += 1
}).observe({ entryTypes: ['gc'] })
const kept = []
let at = 0
const replace = () => {
  for (const end = at + 20; at < end; at += 1) kept[at % 200] = Array.from({ length: 1500 }, (_, n) => ({ n, at }))
  if (at < 8000) setImmediate(replace)
  else setTimeout(() => parentPort.postMessage(full), 100)
}
replace()`

async function fullCollections(): Promise<number> {
  const worker = new Worker(REPLACE, { eval: true, resourceLimits: threadMemory(300) })
  const [count] = (await once(worker, 'message')) as [number]
  await once(worker, 'exit')
  return count
}

test('roomy heaps are collected in full less often, until the last holder lets go', async () => {
  const first = roomyHeaps()
  roomyHeaps()[Symbol.dispose]()
  const roomy = await fullCollections()
  first[Symbol.dispose]()
  const usual = await fullCollections()
  expect(roomy).toBeLessThan(usual * 0.8)
})
