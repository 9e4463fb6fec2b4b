import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import { SYSTEM_CLOCK } from '../../../base/clock.ts'
import type { ArchiveProgress } from '../../../../shared/contract/archive.ts'
import type { PastProgress } from '../../../../shared/contract/redaction.ts'
import type { Json } from '../../../../shared/event.ts'
import type { SessionLog } from '../../../sinks/recorder/session-log.ts'
import type { RetentionRules } from '../../../store/archive/archives.ts'
import type { DeletedRows } from '../../../store/delete/delete-session.ts'
import type { RebuildProgress } from '../../../store/rebuild/rebuild.ts'
import type { Rewritten } from '../../../store/delete/rewrite.ts'
import type { BackupProgress } from '../../../store/transfer/backup.ts'
import type { Store } from '../../../store/store.ts'
import type { UndoTimes } from '../../protocol.ts'
import { archiveOld, isArchivingDue } from './archiving.ts'
import { removeCopies } from './kept-copies.ts'
import { interruptedRun, redactPast, type PastRedactionOptions, type PastRules } from './past-redaction.ts'
import { DelayedDeletions } from './delayed-deletions.ts'
import type { ExportImport } from './import-export.ts'
import { createSlowLane, type SlowLane } from './slow-lane.ts'
import { throttled, unhurried, whileOpen, type Steps } from './steps.ts'

export interface UpkeepOptions {
  /** Throws `store_unavailable`. */
  store(): Store
  /**
   * Commits the drafts in the live lane and the transaction that an import left open. Returns whether the live lane had
   * anything.
   */
  liveFirst(): boolean
  /** The disk does not keep up. */
  isBehind(): boolean
  readonly sessionLog: SessionLog | null
  redact<T extends Json>(value: T): T
  /** Called when stored data changed: caches of it must be dropped. */
  forget(): void
  /** Rules for redacting stored data; null if redaction is off. */
  readonly past: PastRules | null
  readonly retention: RetentionRules
  /** Demo data does not age. */
  readonly isDemo: boolean
  readonly logger: { warn(object: object, message: string): void }
  /** Time in which a deletion can be undone. */
  readonly undo?: UndoTimes | undefined
}

type OnProgress = (progress: never) => void

const BACKUP_POLL_MS = 20
/** Time without traffic after which the database file may be rewritten. */
const QUIET_MS = 60 * 60_000
/** The store is unavailable, or recording is switched off. */
const NOTHING_STORED: ReadonlySet<string> = new Set(['store_unavailable', 'lifestats_off'])

/** Long work on the store behind live traffic: deletion, rebuild, archiving, backup, import, and tidying up when idle. */
export class Upkeep {
  /** Deletions that can be undone. */
  readonly delayed: DelayedDeletions
  readonly #options: UpkeepOptions
  readonly #lane: SlowLane
  readonly #past: PastRedactionOptions | null

  constructor(options: UpkeepOptions) {
    const { liveFirst, isBehind, past, store, forget, sessionLog } = options
    this.#options = options
    this.#lane = createSlowLane({ liveFirst, isBehind })
    this.delayed = new DelayedDeletions({
      times: options.undo,
      pending: () => store().pendingDeletions,
      carryOut: (id, isDue) => this.#run(() => this.#deletePending(id, isDue)),
      logger: options.logger,
    })
    this.#past = past && { ...past, store, forget, sessionLog, clear: () => this.#scrub() }
  }

  async deleteSession(sessionId: string): Promise<DeletedRows & { readonly session_id: string }> {
    const rows = await this.#run(() => this.#deleteAndScrub(sessionId))
    return { session_id: sessionId, ...rows }
  }

  /** Redacts everything stored; with `run`, only resumes that run. Throws `bad_input` if redaction is off. */
  redactPast(run: string | null, onProgress: (progress: PastProgress) => void): Promise<PastProgress> {
    const past = this.#pastOn()
    return this.#run(() => redactPast(past, run), onProgress)
  }

  /** Removes copies that a redaction reported. Throws `bad_input` if redaction is off. */
  async removeCopies(paths: readonly string[]): Promise<{ removed: string[] }> {
    const { databasePath } = this.#pastOn()
    return { removed: [...(await this.#run(() => removeCopies(databasePath, paths)))] }
  }

  #pastOn(): PastRedactionOptions {
    if (this.#past === null) throw new AspyError('bad_input', 'redaction is off; set [redaction] enabled = true first')
    return this.#past
  }

  /** Rebuilds projections from the log: all of them, or the named ones. */
  rebuild(
    only: readonly string[] | undefined,
    onProgress: (progress: RebuildProgress) => void,
  ): Promise<RebuildProgress> {
    const { store } = this.#options
    const steps = () => whileOpen(store, store().maintenance.rebuild(only), (progress) => ({ progress }))
    return this.#run(() => throttled(steps()), onProgress)
  }

  archive(onProgress: (progress: ArchiveProgress) => void): Promise<ArchiveProgress> {
    return this.#run(() => throttled(this.#archive()), onProgress)
  }

  /** Rewrites the database file, so that no unused byte of it holds deleted or replaced text. */
  vacuum(): Promise<Rewritten> {
    return this.#run(() => this.#vacuum())
  }

  backUp(path: string, onProgress: (progress: BackupProgress) => void): Promise<BackupProgress> {
    return this.#run(() => this.#backUp(path), onProgress)
  }

  async importExport(path: string, onProgress: (progress: ExportImport) => void): Promise<ExportImport> {
    // Loaded here: it is rare, and what checks its lines would slow the start of every recorder.
    const { importExport } = await import('./import-export.ts')
    const { store, redact } = this.#options
    return this.#run(() => this.#importExport(importExport({ path, store, redact })), onProgress)
  }

  /**
   * Tidies up after `quietMs` without traffic or when the store has been opened. Settles when nothing is left to do for now.
   */
  async idle(quietMs: number): Promise<void> {
    if (this.#lane.isBusy()) return
    await this.#run(() => this.#tidyUp(quietMs)).catch((error: unknown) => {
      if (error instanceof AspyError && (error.code === 'store_unavailable' || error.code === 'cancelled')) return
      this.#options.logger.warn(
        { message: toErrorAnswer(error).message },
        'deleted or redacted text could not be scrubbed yet',
      )
    })
  }

  /** Continues with the deletions that an earlier recorder left. Call it when the store can be written. */
  resume(): void {
    try {
      this.delayed.resume(this.#options.store().pendingDeletions.list())
    } catch (error) {
      if (!(error instanceof AspyError && NOTHING_STORED.has(error.code))) throw error
    }
  }

  isBusy(): boolean {
    return this.#lane.isBusy()
  }

  stop(): void {
    this.delayed.stop()
    this.#lane.stop()
  }

  /** Finishes interrupted deletions first: other work would take half a session for a whole one. */
  #run<Result>(work: () => Steps<Result>, onProgress?: OnProgress): Promise<Result> {
    const job = function* (this: Upkeep): Steps<Result> {
      for (const sessionId of this.#options.store().removal.unfinishedDeletions()) yield* this.#delete(sessionId)
      return yield* work()
    }
    return this.#lane.run(job.bind(this), onProgress as ((progress: unknown) => void) | undefined)
  }

  /** Does the work that is due, and finishes the work that an earlier recorder left. */
  *#tidyUp(quietMs: number): Steps<void> {
    const { store, isDemo, retention } = this.#options
    const run = this.#past && interruptedRun(this.#past)
    if (this.#past && run !== null) yield* redactPast(this.#past, run)
    yield* this.#scrub()
    if (store().maintenance.isRebuildDue())
      yield* unhurried(whileOpen(store, store().maintenance.rebuild(), () => ({})))
    yield* whileOpen(store, store().maintenance.noteRecalculatedCosts(), () => ({}))
    yield* whileOpen(store, store().maintenance.episodes(), () => ({}))
    if (!isDemo && isArchivingDue(retention, store(), SYSTEM_CLOCK.wall())) yield* unhurried(this.#archive())
    if (quietMs >= QUIET_MS && store().maintenance.mayRewriteUnasked()) yield* this.#vacuum()
  }

  #archive(): Steps<ArchiveProgress> {
    const { retention: rules, store } = this.#options
    return archiveOld({ rules, store, deleteSession: (id) => this.#delete(id), clear: () => this.#scrub() })
  }

  *#delete(sessionId: string): Steps<DeletedRows> {
    const { store, sessionLog, forget } = this.#options
    try {
      const rows = yield* whileOpen(store, store().removal.deleteInSteps(sessionId), () => ({}))
      sessionLog?.remove(sessionId)
      return rows
    } finally {
      forget()
    }
  }

  *#deleteAndScrub(sessionId: string): Steps<DeletedRows> {
    const rows = yield* this.#delete(sessionId)
    yield* this.#scrub()
    return rows
  }

  /**
   * Deletes the sessions of one request, one after another, then removes their remains in indexes, archives and the
   * WAL.
   */
  *#deletePending(id: string, isDue: () => boolean): Steps<void> {
    const pending = this.#options.store().pendingDeletions
    const sessions = isDue() ? pending.begin(id) : null
    if (sessions === null) return
    for (const sessionId of sessions) {
      try {
        yield* this.#delete(sessionId)
      } catch (error) {
        if (!(error instanceof AspyError && error.code === 'not_found')) throw error
        // It was removed elsewhere.
        pending.forget(sessionId)
      }
      yield {}
    }
    yield* this.#scrub()
    pending.finish(id)
  }

  /** Removes the remains of deleted and replaced text from indexes, archives, copies and the WAL. */
  *#scrub(): Steps<void> {
    const { store } = this.#options
    const pauses = store().maintenance.scrub(true)
    if (pauses !== null) yield* whileOpen(store, pauses, (pauseMs) => ({ pauseMs }))
  }

  *#vacuum(): Steps<Rewritten> {
    const { store } = this.#options
    yield* this.#scrub()
    return yield* whileOpen(store, store().maintenance.rewrite(true), (pauseMs) => ({ pauseMs }))
  }

  *#importExport(steps: Steps<ExportImport>): Steps<ExportImport> {
    try {
      return yield* throttled(steps)
    } finally {
      this.#options.forget()
    }
  }

  /** Waits in the lane while SQLite copies the database, so that no archive is rewritten meanwhile. */
  *#backUp(path: string): Steps<BackupProgress> {
    let progress: BackupProgress | undefined
    let outcome: { readonly value: BackupProgress } | { readonly error: unknown } | null = null
    this.#options
      .store()
      .maintenance.backup(path, (latest) => (progress = latest))
      .then(
        (value) => (outcome = { value }),
        (error: unknown) => (outcome = { error }),
      )
    const settled = () => outcome
    for (let result = settled(); ; result = settled()) {
      if (result === null) yield { pauseMs: BACKUP_POLL_MS, progress }
      else if ('error' in result) throw result.error
      else return result.value
    }
  }
}
