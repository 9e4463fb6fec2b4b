import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIdleWork } from './idle-work.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('upkeep learns for how long nothing arrived', async () => {
  const quiet: number[] = []
  const idleWork = createIdleWork({
    writer: { tidyUp: () => undefined, checkpoint: () => undefined },
    upkeep: { idle: (quietMs) => Promise.resolve(void quiet.push(quietMs)), isBusy: () => true },
    capture: { releaseMemory: () => false },
  })
  idleWork.postpone()
  await vi.advanceTimersByTimeAsync(125_000)
  expect(quiet).toEqual([5000, 65_000, 125_000])
  idleWork.postpone()
  await vi.advanceTimersByTimeAsync(5000)
  expect(quiet.at(-1)).toBe(5000)
  idleWork.stop()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(quiet).toHaveLength(4)
})
