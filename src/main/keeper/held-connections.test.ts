import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HeldConnections } from './held-connections.ts'
import { monotonicMs } from './protocol.ts'

/** What became of the connections: their numbers, with the time since they came. */
let passed: string[]
let handed: number[]
let held: HeldConnections

beforeEach(() => {
  vi.useFakeTimers()
  ;[passed, handed] = [[], []]
  held = new HeldConnections({
    hand: ({ id }) => handed.push(id),
    passBy: ({ id, since }) => passed.push(`${id} after ${monotonicMs() - since}`),
  })
})
afterEach(() => vi.useRealTimers())

const come = () => held.add('proxy', new Socket())
const after = (ms: number) => vi.advanceTimersByTime(ms)
/** From the last moment at which an app may take one to the limit that clients see. */
const IN_TIME = /^\d after (2[6-9]\d\d|3000)$/

test('one that is handed late to an app that hangs passes by within the limit from its coming', () => {
  come()
  after(2500)
  held.begin()
  expect([handed, passed]).toEqual([[1], []])
  after(600)
  expect(passed).toEqual([expect.stringMatching(IN_TIME)])
  // It says nothing of the app: the next one is handed, too.
  come()
  expect(handed).toEqual([1, 2])
  after(3000)
  come()
  expect(passed).toEqual([expect.stringMatching(IN_TIME), expect.stringMatching(IN_TIME), '3 after 0'])
})

test('an app that hangs from its start stalls them all, however close they come', () => {
  come()
  after(500)
  held.begin()
  for (let turn = 0; turn < 8; turn += 1) {
    after(500)
    come()
  }
  const before = passed.length
  after(2000)
  expect(before).toBeGreaterThan(0)
  come()
  expect(passed.at(-1)).toBe('10 after 0')
})

test('apps that start, take nothing and end one after the other do not make it wait longer', () => {
  come()
  for (let app = 0; app < 6; app += 1) {
    held.begin()
    after(700)
    held.ended(true)
  }
  expect([handed.length > 2, passed]).toEqual([true, [expect.stringMatching(IN_TIME)]])
})

test('an app that was late for one connection gets the next one', () => {
  held.begin()
  come()
  after(2650)
  held.left(1)
  expect(passed).toEqual([expect.stringMatching(/^1 after 26/)])
  after(10_000)
  come()
  held.took(2)
  expect([handed, passed.length, held.size]).toEqual([[1, 2], 1, 0])
})

test('what a leaving app does not take goes to the next one', () => {
  held.begin()
  come()
  held.stop(true)
  held.left(1)
  after(1000)
  held.begin()
  held.took(1)
  expect([handed, passed, held.size]).toEqual([[1, 1], [], 0])
})
