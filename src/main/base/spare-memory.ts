import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Minimum growth in bytes since the last full collection that makes another one worthwhile. */
const WORTH_BYTES = 4 * 1024 * 1024

/**
 * Returns this thread's unused heap to the system with a full garbage collection. After a busy period, V8 keeps its
 * memory, mainly the young generation, until the next collection, which can be hours away. The collection blocks the
 * thread for about 20 ms, so call it only while the thread is idle.
 */
export function createSpareMemory(): { giveBack(isSure?: boolean): boolean } {
  let collect: unknown = null
  let kept = 0
  return {
    /** Returns whether a collection was worthwhile and done. `isSure` skips the check. */
    giveBack(isSure = false) {
      if (!isSure && getHeapStatistics().total_physical_size - kept < WORTH_BYTES) return false
      collect ??= collector()
      if (typeof collect !== 'function') return false
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
      kept = getHeapStatistics().total_physical_size
      return true
    },
  }
}

/** Returns V8's `gc` function, which exists only in a context created while this flag is set. */
function collector(): unknown {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('globalThis.gc')
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
