import { performance } from 'node:perf_hooks'
import { createSpareMemory } from './spare-memory.ts'

const LOOK_MS = 10_000
/** Share of the time that this thread may have worked since the last look and still count as at rest. */
const MOST_ACTIVE = 0.05

/** Gives spare memory of this thread back whenever it has had little to do for some seconds and nobody waits for it. */
export function createRest(isBusy: () => boolean): { stop(): void } {
  const spareMemory = createSpareMemory()
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization < MOST_ACTIVE && !isBusy()) spareMemory.giveBack()
  }, LOOK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
