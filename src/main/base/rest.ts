import { performance } from 'node:perf_hooks'
import { createSpareMemory } from './spare-memory.ts'

const CHECK_MS = 10_000
/** Maximum share of time that an idle thread may have worked since the last check. */
const MAX_UTILIZATION = 0.05

/** Returns spare memory of this thread to the system after some idle seconds, unless `isBusy`. */
export function createRest(isBusy: () => boolean): { stop(): void } {
  const spareMemory = createSpareMemory()
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization < MAX_UTILIZATION && !isBusy()) spareMemory.giveBack()
  }, CHECK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
