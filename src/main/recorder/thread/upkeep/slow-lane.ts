import { AspyError } from '../../../../shared/contract/errors.ts'

/** A step of long work is over: how far it is (undefined: nothing to tell), what it waits for, and how long from then on. */
export interface Step {
  readonly progress?: unknown
  readonly until?: Promise<void>
  readonly pauseMs?: number
}

/** Long work in steps of at most 50 ms; what it returns is its answer. */
export type Steps<Result> = Generator<Step, Result, void>

/** The same steps, each followed by a pause as long as it took: for work that nobody waits for, beside people who do. */
export function* unhurried<Result>(steps: Steps<Result>): Steps<Result> {
  try {
    for (;;) {
      const begun = performance.now()
      const { done, value } = steps.next()
      if (done) return value
      yield { ...value, pauseMs: Math.max(value.pauseMs ?? 0, performance.now() - begun) }
    }
  } finally {
    steps.return(undefined as Result)
  }
}

/** Runs long work a step at a time: live traffic goes first between two steps. One piece of work after the other. */
export interface SlowLane {
  run<Result>(work: () => Steps<Result>, onProgress?: (progress: unknown) => void): Promise<Result>
  isBusy(): boolean
  /** Ends what is under way, between two steps. */
  stop(): void
}

interface Job {
  readonly work: () => Steps<unknown>
  readonly onProgress: (progress: unknown) => void
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  steps: Steps<unknown> | null
}

/** Between two looks at whether the disk has kept up. */
const BEHIND_MS = 10

export interface SlowLaneOptions {
  /** Commits what waits in the live lane; whether anything did. */
  liveFirst(): boolean
  /** More should not be written yet. */
  isBehind(): boolean
}

export function createSlowLane({ liveFirst, isBehind }: SlowLaneOptions): SlowLane {
  const jobs: Job[] = []
  let timer: NodeJS.Timeout | null = null
  let immediate: NodeJS.Immediate | null = null
  let hadLive = false
  let isWaiting = false

  function runStep(): void {
    timer = null
    immediate = null
    const job = jobs[0]
    if (!job) return
    if (isBehind()) return schedule(BEHIND_MS)
    // Live traffic and a step follow each other; after one of the former, a step comes next all the same.
    hadLive = liveFirst() && !hadLive
    if (hadLive) return schedule(0)
    try {
      job.steps ??= job.work()
      const { done, value } = job.steps.next()
      if (done) {
        jobs.shift()
        job.resolve(value)
        return schedule(0)
      }
      if (value.progress !== undefined) job.onProgress(value.progress)
      if (value.until === undefined) return schedule(value.pauseMs ?? 0)
      isWaiting = true
      void value.until.finally(() => {
        isWaiting = false
        schedule(value.pauseMs ?? 0)
      })
    } catch (error) {
      jobs.shift()
      job.reject(error)
      schedule(0)
    }
  }

  function schedule(pauseMs: number): void {
    if (jobs.length === 0 || isWaiting || timer !== null || immediate !== null) return
    if (pauseMs > 0) timer = setTimeout(runStep, pauseMs)
    // After each step the thread hears its other messages first.
    else immediate = setImmediate(runStep)
  }

  return {
    run<Result>(work: () => Steps<Result>, onProgress: (progress: unknown) => void = () => undefined) {
      return new Promise<Result>((resolve, reject) => {
        jobs.push({ work, onProgress, resolve: resolve as (result: unknown) => void, reject, steps: null })
        schedule(0)
      })
    },
    isBusy: () => jobs.length > 0,
    stop() {
      if (timer !== null) clearTimeout(timer)
      if (immediate !== null) clearImmediate(immediate)
      timer = null
      immediate = null
      for (const { steps, reject } of jobs.splice(0)) {
        const error = new AspyError('cancelled', 'the recorder is being stopped')
        try {
          steps?.return(undefined)
          reject(error)
        } catch (failure) {
          reject(failure)
        }
      }
    },
  }
}
