import { expect, test, vi } from 'vitest'
import { createSlowLane } from './slow-lane.ts'
import { unhurried, type Steps } from './steps.ts'

test('unhurried work pauses after each step for as long as it took, or for its own pause if that is longer', () => {
  let now = 1000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  let isClosed = false
  function* work(): Steps<string> {
    try {
      now += 30
      yield { progress: 1 }
      now += 5
      yield { progress: 2, pauseMs: 20 }
      return 'done'
    } finally {
      isClosed = true
    }
  }
  const steps = unhurried(work())
  expect(steps.next().value).toEqual({ progress: 1, pauseMs: 30 })
  expect(steps.next().value).toEqual({ progress: 2, pauseMs: 20 })
  expect(steps.next()).toEqual({ done: true, value: 'done' })

  isClosed = false
  const ended = unhurried(work())
  ended.next()
  ended.return('')
  expect(isClosed).toBe(true)
  clock.mockRestore()
})

test('a step that waits is followed by the next once its promise has settled, whatever else starts meanwhile', async () => {
  const lane = createSlowLane({ liveFirst: () => false, isBehind: () => false })
  const order: string[] = []
  let settle = () => undefined as void
  let begin = () => undefined as void
  const begun = new Promise<void>((resolve) => (begin = resolve))
  function* waiting(): Steps<void> {
    yield { until: new Promise((resolve) => (settle = resolve)) }
    order.push('went on')
  }
  function* other(): Steps<void> {
    order.push('other')
    yield {}
  }
  const first = lane.run(function* () {
    setImmediate(begin)
    return yield* waiting()
  })
  await begun
  const second = lane.run(other)
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  order.push('settled')
  settle()
  await Promise.all([first, second])
  expect(order).toEqual(['settled', 'went on', 'other'])
  expect(lane.isBusy()).toBe(false)
})

test('while the disk is behind, no step runs', async () => {
  let looks = 0
  const order: string[] = []
  const lane = createSlowLane({
    liveFirst: () => false,
    isBehind() {
      looks += 1
      order.push(looks < 3 ? 'behind' : 'kept up')
      return looks < 3
    },
  })
  await lane.run(function* (): Steps<void> {
    order.push('step')
    yield {}
    order.push('step')
  })
  expect(order.slice(0, 6)).toEqual(['behind', 'behind', 'kept up', 'step', 'kept up', 'step'])
})
