import { AspyError } from '../../../shared/contract/errors.ts'

/** The time that a call may take, and whether its caller still waits. */
export interface Budget {
  /** Starts a call that may take `ms` from now. */
  begin(call: number, ms: number): void
  /**
   * Throws `cancelled` if the caller disconnected, OverBudget if time is up. Cheap: it runs for every row that matches.
   */
  check(): void
  readonly over: boolean
  /** Records that the answer is incomplete because time was up. */
  cut(): void
  readonly wasCut: boolean
  /** Calls started so far. */
  readonly calls: number
  /** Rows checked since the call started. */
  readonly rows: number
}

/** Thrown when time is up. The handler that catches it returns its results so far, marked `partial`. */
export class OverBudget extends Error {}

/** Rows between two reads of the clock. */
const STRIDE = 256

/** Creates a budget. `cancelled` holds the number of the call to stop; it may be shared with another thread. */
export function createBudget(cancelled: Int32Array): Budget {
  let current = 0
  let calls = 0
  let deadline = Number.POSITIVE_INFINITY
  let rows = 0
  let wasCut = false
  return {
    begin(call, ms) {
      current = call
      calls += 1
      deadline = performance.now() + ms
      rows = 0
      wasCut = false
    },
    cut() {
      wasCut = true
    },
    get wasCut() {
      return wasCut
    },
    check() {
      rows += 1
      if (rows % STRIDE !== 1) return
      if (Atomics.load(cancelled, 0) === current && current !== 0) {
        throw new AspyError('cancelled', 'the caller left')
      }
      if (performance.now() > deadline) throw new OverBudget('time is up')
    },
    get calls() {
      return calls
    },
    get rows() {
      return rows
    },
    get over() {
      return performance.now() > deadline
    },
  }
}
