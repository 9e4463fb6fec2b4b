import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { Json } from '../../../../shared/event.ts'
import type { SessionLog } from '../../../sinks/recorder/session-log.ts'
import type { RetentionRules } from '../../../store/archive/archives.ts'
import type { BackupProgress } from '../../../store/transfer/backup.ts'
import type { Store } from '../../../store/store.ts'
import { archiveOld, isArchivingDue } from './archiving.ts'
import { interruptedRun, redactPast } from './past-redaction.ts'
import type { PastRules } from './past-redaction.ts'
import { importExport } from './import-export.ts'
import { createSlowLane, unhurried } from './slow-lane.ts'
import type { Steps } from './slow-lane.ts'

/** What the recorder does to the store besides recording: deleting, rebuilding, and tidying up when nothing else is to do. */
export interface Upkeep {
  /** Null: no operation of this name is upkeep. */
  run(name: string, input: unknown, onProgress: (progress: unknown) => void): Promise<unknown> | null
  /** Nothing was recorded for a while, or the store has just been opened. Settles when there is nothing left to do for now. */
  idle(isQuiet: boolean): Promise<void>
  isBusy(): boolean
  stop(): void
}

export interface UpkeepOptions {
  /** Throws `store_unavailable`. */
  store(): Store
  setAside(reason: string): void
  /** Commits what waits in the live lane and what an import left open; whether anything waited in the former. */
  liveFirst(): boolean
  /** The disk does not keep up. */
  isBehind(): boolean
  readonly sessionLog: SessionLog | null
  redact<T extends Json>(value: T): T
  /** What was read of the log may be gone. */
  forget(): void
  /** How the past is redacted; null: by no rule. */
  readonly past: PastRules | null
  /** What is kept how long. */
  readonly retention: RetentionRules
  /** Made-up data does not age. */
  readonly isDemo: boolean
  readonly logger: { warn(object: object, message: string): void }
}

/** Progress is told at most this often. */
const PROGRESS_MS = 200
const BACKUP_PAUSE_MS = 20

/** The same steps, their progress told now and then. */
function* inTime<Result>(steps: Steps<Result>): Steps<Result> {
  let toldAt = -Infinity
  try {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      const now = performance.now()
      const isDue = now - toldAt >= PROGRESS_MS
      if (isDue) toldAt = now
      yield isDue ? value : { ...value, progress: undefined }
    }
  } finally {
    steps.return(undefined as Result)
  }
}

export function createUpkeep({
  store,
  setAside,
  liveFirst,
  isBehind,
  sessionLog,
  redact,
  forget,
  past: rules,
  retention,
  isDemo,
  logger,
}: UpkeepOptions): Upkeep {
  const lane = createSlowLane({ liveFirst, isBehind })
  const past = rules && { ...rules, store, forget, sessionLog, clear: finishScrub }

  function* finishScrub(isQuiet = false): Steps<void> {
    const pauses = store().maintenance.scrub(isQuiet)
    if (pauses === null) return
    try {
      for (;;) {
        // Closed in between, it must not be written to any more.
        store()
        const { done, value } = pauses.next()
        if (done) return
        yield { pauseMs: value }
      }
    } finally {
      pauses.return()
    }
  }

  /** What an earlier recorder left undone. */
  function* tidyUp(isQuiet: boolean): Steps<void> {
    const run = past && interruptedRun(past)
    if (past && run !== null) yield* redactPast(past, run)
    yield* finishScrub(isQuiet)
    yield* episodes()
    if (!isDemo && isArchivingDue(retention, store(), Date.now())) yield* unhurried(archive())
  }

  function* episodes(): Steps<void> {
    const steps = store().maintenance.episodes()
    for (;;) {
      store()
      if (steps.next().done) return
      yield {}
    }
  }

  function* takeOut(sessionId: string): Steps<object> {
    const steps = store().removal.deleteInSteps(sessionId)
    try {
      for (;;) {
        store()
        const { done, value } = steps.next()
        if (!done) {
          yield {}
          continue
        }
        sessionLog?.remove(sessionId)
        return value
      }
    } finally {
      steps.return({ events: 0, sightings: 0 })
      forget()
    }
  }

  /** Before other upkeep, which would take half a session for a whole one. */
  function* finishDeletions(): Steps<void> {
    for (const sessionId of store().removal.unfinishedDeletions()) yield* takeOut(sessionId)
  }

  function run<Result>(work: () => Steps<Result>, onProgress?: (progress: unknown) => void): Promise<Result> {
    return lane.run(function* () {
      yield* finishDeletions()
      return yield* work()
    }, onProgress)
  }

  const archive = () => archiveOld({ rules: retention, store, deleteSession: takeOut, clear: finishScrub })

  function* deleteSession(sessionId: string): Steps<object> {
    const rows = yield* takeOut(sessionId)
    yield* finishScrub()
    return { session_id: sessionId, ...rows }
  }

  function* rebuild(only: readonly string[] | undefined): Steps<object> {
    const steps = store().maintenance.rebuild(only)
    let toldAt = -Infinity
    try {
      for (;;) {
        store()
        const { done, value } = steps.next()
        if (done) return value
        const now = performance.now()
        const isDue = now - toldAt >= PROGRESS_MS
        if (isDue) toldAt = now
        yield isDue ? { progress: value } : {}
      }
    } finally {
      steps.return({ projections: 0, events: 0, events_done: 0, done: false })
    }
  }

  function* takeIn(path: string): Steps<object> {
    try {
      return yield* inTime(importExport({ path, store, redact }))
    } finally {
      forget()
    }
  }

  /** In the lane, since nobody may write archives anew while they are copied; the work itself is SQLite's. */
  function* backUp(path: string): Steps<BackupProgress> {
    let told: BackupProgress | null = null
    let outcome: { readonly value: BackupProgress } | { readonly error: unknown } | null = null
    store()
      .maintenance.backup(path, (progress) => (told = progress))
      .then(
        (value) => (outcome = { value }),
        (error: unknown) => (outcome = { error }),
      )
    const settled = () => outcome
    for (let result = settled(); ; result = settled()) {
      if (result === null) yield { pauseMs: BACKUP_PAUSE_MS, ...(told === null ? {} : { progress: told }) }
      else if ('error' in result) throw result.error
      else return result.value
    }
  }

  return {
    run(name, input, onProgress) {
      switch (name) {
        case 'sessions.delete':
          return run(() => deleteSession((input as { session_id: string }).session_id), onProgress)
        case 'redaction.past':
          if (past === null)
            throw new AspyError('bad_input', 'set [redaction] enabled = true first: no rule is in force')
          return run(() => redactPast(past, (input as { run?: string }).run ?? null), onProgress)
        case 'store.rebuild':
          return run(() => rebuild((input as { only?: readonly string[] }).only), onProgress)
        case 'store.archive':
          return run(() => inTime(archive()), onProgress)
        case 'store.backup':
          return run(() => backUp((input as { path: string }).path), onProgress)
        case 'store.import':
          return run(() => takeIn((input as { path: string }).path), onProgress)
        case 'store.set_aside':
          setAside((input as { reason: string }).reason)
          return Promise.resolve({})
        default:
          return null
      }
    },
    isBusy: lane.isBusy,
    async idle(isQuiet) {
      if (lane.isBusy()) return
      await run(() => tidyUp(isQuiet)).catch((error: unknown) => {
        if (error instanceof AspyError && (error.code === 'store_unavailable' || error.code === 'cancelled')) return
        logger.warn(
          { message: toErrorAnswer(error).message },
          'what was deleted or redacted could not be cleared away yet',
        )
      })
    },
    stop: () => lane.stop(),
  }
}
