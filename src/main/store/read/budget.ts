import { AspyError } from '../../../shared/contract/errors.ts'
import { nullIf } from '../../../shared/error-text.ts'

/** The time that a call may take, and whether its caller still waits. */
export type Budget = ReturnType<typeof createBudget>

/** Thrown when time is up. The handler that catches it returns its results so far, marked `partial`. */
export class OverBudget extends Error {}

/** Returns what a read returns; null if time was up before. */
export const inBudget = <T>(read: () => T): T | null => nullIf(OverBudget, read)

/** Rows between two reads of the clock. */
const STRIDE = 256

/** Creates a budget. `cancelled` holds the number of the call to stop; it may be shared with another thread. */
export function createBudget(cancelled: Int32Array) {
  let current = 0
  let calls = 0
  let deadline = Number.POSITIVE_INFINITY
  let rows = 0
  let wasCut = false
  let willRetry = false
  function checkCaller(): void {
    if (Atomics.load(cancelled, 0) === current && current !== 0) throw new AspyError('cancelled', 'the caller left')
  }

  return {
    /** Starts a call that may take `ms` from now; `isRetried`: it is run again if it meets damage. */
    begin(call: number, ms: number, isRetried = false) {
      willRetry = isRetried
      current = call
      calls += 1
      deadline = performance.now() + ms
      rows = 0
      wasCut = false
    },
    /** Records that the answer is incomplete because time was up. */
    cut() {
      wasCut = true
    },
    /** The call is run again with the file opened again, which may have been replaced, if it meets damage. */
    get willRetry() {
      return willRetry
    },
    get wasCut() {
      return wasCut
    },
    /**
     * Throws `cancelled` if the caller disconnected, OverBudget if time is up. Cheap: it runs for every row that matches.
     */
    check() {
      rows += 1
      if (rows % STRIDE !== 1) return
      checkCaller()
      if (performance.now() > deadline) throw new OverBudget('time is up')
    },
    /** Returns whether time is left, and otherwise records that the answer is incomplete. Throws `cancelled` as `check`. */
    isLeft() {
      checkCaller()
      if (performance.now() <= deadline) return true
      wasCut = true
      return false
    },
    /** Calls started so far. */
    get calls() {
      return calls
    },
    /** Rows checked since the call started. */
    get rows() {
      return rows
    },
    get over() {
      return performance.now() > deadline
    },
  }
}
