import type { ResourceLimits } from 'node:worker_threads'

/**
 * V8's default is about 50 MB for each busy thread, which it fills with garbage before it collects. A recorder limited to
 * this held half the heap, with no more processor time.
 */
const YOUNG_GENERATION_MB = 12

/** Bounds a thread's heap: `oldMb` for what lasts, and a small part for what is new. */
export function threadMemory(oldMb: number): ResourceLimits {
  return { maxOldGenerationSizeMb: oldMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }
}
