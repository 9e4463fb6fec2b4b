import { AspyError } from '../../../shared/contract/errors.ts'

/** The time a call may take, and whether its caller still waits. */
export interface Budget {
  /** Begins the count for a call; `ms` from now. */
  begin(call: number, ms: number): void
  /** Throws `cancelled` where the caller left, OverBudget where time is up. Cheap: called for every row that matches. */
  check(): void
  readonly over: boolean
  /** Notes that an answer holds only what there was when time was up. */
  cut(): void
  readonly wasCut: boolean
  /** Calls begun so far. */
  readonly calls: number
  /** Rows checked since the call began. */
  readonly rows: number
}

/** Time is up: who catches it answers with what there is, and says `partial`. */
export class OverBudget extends Error {}

/** Rows between two looks at the clock. */
const STRIDE = 256

/** `cancelled` holds the number of the call that is to stop; it may be shared with another thread. */
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
