import { performance } from 'node:perf_hooks'
import { trimCHeap } from './c-heap.ts'
import { createSpareMemory } from './spare-memory.ts'

const CHECK_MS = 10_000
/** Maximum share of time that an idle thread may have worked since the last check. */
const MAX_UTILIZATION = 0.05
/**
 * Minimum change in bytes of the process since the C library's heap was trimmed that makes another time worthwhile: growth,
 * or the end of a thread, which leaves gaps.
 */
const WORTH_BYTES = 4 * 1024 * 1024

/**
 * Returns spare memory to the system after some idle seconds, unless `isBusy`: this thread's heap, and the C library's,
 * which all threads share.
 */
export function createRest(isBusy: () => boolean): { stop(): void } {
  const spareMemory = createSpareMemory()
  let before = performance.eventLoopUtilization()
  let trimmedTo = 0
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization >= MAX_UTILIZATION || isBusy()) return
    spareMemory.giveBack()
    if (Math.abs(process.memoryUsage.rss() - trimmedTo) < WORTH_BYTES) return
    trimCHeap()
    trimmedTo = process.memoryUsage.rss()
  }, CHECK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
