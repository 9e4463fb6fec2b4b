import { AspyError } from '../../../../shared/contract/errors.ts'
import type { Steps } from './steps.ts'

/** Runs long work one step at a time, one job after another. Live traffic goes first between two steps. */
export interface SlowLane {
  run<Result>(work: () => Steps<Result>, onProgress?: (progress: unknown) => void): Promise<Result>
  isBusy(): boolean
  /** Cancels all jobs between two steps. */
  stop(): void
}

interface Job {
  readonly work: () => Steps<unknown>
  readonly onProgress: (progress: unknown) => void
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  steps: Steps<unknown> | null
}

/** Delay before checking again whether the disk has caught up. */
const BEHIND_MS = 10

export interface SlowLaneOptions {
  /** Commits the drafts in the live lane. Returns whether anything was committed. */
  liveFirst(): boolean
  /** The disk is behind, so nothing more should be written yet. */
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
    // Live traffic and steps alternate, so that constant traffic cannot hold up the job.
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
    // The thread handles its other messages between two steps.
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
        const error = new AspyError('cancelled', 'the recorder is stopping')
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
