import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A heap that has not grown by so many bytes since it was last collected whole is left alone. */
const WORTH_BYTES = 4 * 1024 * 1024

/**
 * Gives the system back what this thread's heap holds and does not need, by collecting it whole: V8 keeps what a busy
 * moment made it take, above all the space for what is new, until the next one, which on a quiet day is hours away. It holds
 * the thread up for some 20 ms, so it is for moments in which nothing is under way.
 */
export function createSpareMemory(): { giveBack(isSure?: boolean): boolean } {
  let collect: unknown = null
  let kept = 0
  return {
    /** Whether there was enough to be worth it; `isSure`: the caller knows that there is. */
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

/** V8's own function, which only a context that is made under this flag has. */
function collector(): unknown {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('globalThis.gc')
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
