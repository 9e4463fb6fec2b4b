import { expect, test, vi } from 'vitest'
import { unhurried, type Steps } from './slow-lane.ts'

test('work that nobody waits for rests after each step as long as it took, or as long as it asked for', () => {
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
