import type { ArchiveProgress } from '../../../../shared/contract/archive.ts'
import { daysAgo, type RetentionRules } from '../../../store/archive/archives.ts'
import type { Store } from '../../../store/store.ts'
import { whileOpen, type Steps } from './steps.ts'
import { SYSTEM_CLOCK } from '../../../base/clock.ts'
import { DAY_MS } from '../../../../shared/time-units.ts'

/** Time from one run to the next. */
/** Silent sessions fetched in one query. */
const SESSIONS_AT_ONCE = 50

interface ArchivingOptions {
  readonly rules: RetentionRules
  /** Throws `store_unavailable`. */
  store(): Store
  /** Deletes a session. Its text stays in indexes, archives and the WAL until `clear`. */
  deleteSession(sessionId: string): Steps<unknown>
  /** Removes the remains of deleted text from indexes, archives, copies and the WAL. */
  clear(): Steps<void>
}

/** Returns whether a day has passed since the last run, or it is in the future, and the rules set any age. */
export function isArchivingDue(rules: RetentionRules, store: Store, now: number): boolean {
  if (rules.retention_days + rules.archive_days + rules.delete_days === 0) return false
  const last = store.maintenance.lastArchiveRun()
  return last === null || Math.abs(now - Date.parse(last.at)) >= DAY_MS
}

/** Applies the retention rules: moves payloads to archives, removes archives, deletes sessions. Records the run. */
export function* archiveOld({ rules, store, deleteSession, clear }: ArchivingOptions): Steps<ArchiveProgress> {
  let progress: ArchiveProgress = {
    events_moved: 0,
    bytes_moved: 0,
    archives_removed: 0,
    sessions_forgotten: 0,
    done: false,
  }
  const moved = yield* whileOpen(store, store().maintenance.archive(rules), ({ events, bytes, until }) => {
    progress = { ...progress, events_moved: events, bytes_moved: bytes }
    return until === undefined ? { progress } : { progress, until }
  })
  const { events: events_moved, bytes: bytes_moved, archives_removed } = moved
  progress = { ...progress, events_moved, bytes_moved, archives_removed }
  if (rules.delete_days > 0) {
    const before = daysAgo(rules.delete_days, SYSTEM_CLOCK.wall())
    for (let ids = store().maintenance.silentSessions(before, SESSIONS_AT_ONCE); ids.length > 0;) {
      for (const id of ids) {
        yield* deleteSession(id)
        progress = { ...progress, sessions_forgotten: progress.sessions_forgotten + 1 }
        yield { progress }
      }
      ids = store().maintenance.silentSessions(before, SESSIONS_AT_ONCE)
    }
    yield* clear()
  }
  const { done: _, ...run } = progress
  store().maintenance.noteArchiveRun({ at: new Date(SYSTEM_CLOCK.wall()).toISOString(), ...run })
  return { ...progress, done: true }
}
