/** The end of one step of long work. */
export interface Step {
  /** Progress to report; undefined if there is none. */
  readonly progress?: unknown
  /** The next step waits for this. */
  readonly until?: Promise<void>
  /** Pause before the next step, from `until` on. */
  readonly pauseMs?: number
}

/** Long work in steps of at most 50 ms. Returns the answer. */
export type Steps<Result> = Generator<Step, Result, void>

/** Minimum time between two reports of progress. */
const PROGRESS_MS = 200

/**
 * Runs the store's own generator as steps. `store` throws if the store was closed between two of them: it must no
 * longer be written to.
 */
export function* whileOpen<Yielded, Result>(
  store: () => unknown,
  work: Generator<Yielded, Result, void>,
  toStep: (yielded: Yielded) => Step,
): Steps<Result> {
  try {
    for (;;) {
      store()
      const { done, value } = work.next()
      if (done) return value
      yield toStep(value)
    }
  } finally {
    work.return(undefined as Result)
  }
}

/** Pauses after each step for as long as the step took: for work that nobody is waiting for. */
export function* unhurried<Result>(steps: Steps<Result>): Steps<Result> {
  try {
    for (;;) {
      const startedAt = performance.now()
      const { done, value } = steps.next()
      if (done) return value
      yield { ...value, pauseMs: Math.max(value.pauseMs ?? 0, performance.now() - startedAt) }
    }
  } finally {
    steps.return(undefined as Result)
  }
}

/** Reports progress at most every 200 ms. */
export function* throttled<Result>(steps: Steps<Result>): Steps<Result> {
  let reportedAt = -Infinity
  try {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      const now = performance.now()
      const isDue = now - reportedAt >= PROGRESS_MS
      if (isDue) reportedAt = now
      yield isDue ? value : { ...value, progress: undefined }
    }
  } finally {
    steps.return(undefined as Result)
  }
}
