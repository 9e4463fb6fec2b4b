import { createSpareMemory } from '../../../src/main/base/spare-memory.ts'

/** Returns how many megabytes of this thread's heap the result of `work` keeps, garbage not counted. */
export async function heldMegabytes(work: () => Promise<unknown> | unknown): Promise<number> {
  const spareMemory = createSpareMemory()
  const used = () => {
    spareMemory.giveBack(true)
    return process.memoryUsage().heapUsed
  }
  const before = used()
  const kept = [await work()]
  const megabytes = (used() - before) / 1024 / 1024
  kept.length = 0
  return megabytes
}
