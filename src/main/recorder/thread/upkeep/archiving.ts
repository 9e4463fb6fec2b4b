import type { ArchiveProgress } from '../../../../shared/contract/archive.ts'
import { daysAgo, type RetentionRules } from '../../../store/archive/archives.ts'
import type { Store } from '../../../store/store.ts'
import type { Steps } from './slow-lane.ts'

/** It is due again so long after the last run ended. */
const EVERY_MS = 24 * 60 * 60_000
/** Sessions that are looked for at once. */
const SESSIONS_AT_ONCE = 50

interface ArchivingOptions {
  readonly rules: RetentionRules
  /** Throws `store_unavailable`. */
  store(): Store
  /** Takes a session out of everything but the bytes of files. */
  deleteSession(sessionId: string): Steps<unknown>
  /** Takes what was deleted out of every byte. */
  clear(): Steps<void>
}

/** Whether a day has passed since the last run, and there is anything that age decides. */
export function isArchivingDue(rules: RetentionRules, store: Store, now: number): boolean {
  if (rules.retention_days + rules.archive_days + rules.delete_days === 0) return false
  const last = store.maintenance.lastArchiveRun()
  return last === null || now - Date.parse(last.at) >= EVERY_MS
}

/** Does what age decides: moves payloads to archives, removes archives, forgets sessions; notes what was done. */
export function* archiveOld({ rules, store, deleteSession, clear }: ArchivingOptions): Steps<ArchiveProgress> {
  let progress: ArchiveProgress = {
    events_moved: 0,
    bytes_moved: 0,
    archives_removed: 0,
    sessions_forgotten: 0,
    done: false,
  }
  const steps = store().maintenance.archive(rules)
  try {
    for (;;) {
      // Closed in between, it must not be written to any more.
      store()
      const { done, value } = steps.next()
      progress = { ...progress, events_moved: value.events, bytes_moved: value.bytes }
      if (done) {
        progress = { ...progress, archives_removed: value.archives_removed }
        break
      }
      yield value.until === undefined ? { progress } : { progress, until: value.until }
    }
  } finally {
    steps.return({ events: 0, bytes: 0, archives_removed: 0 })
  }
  if (rules.delete_days > 0) {
    const before = daysAgo(rules.delete_days, Date.now())
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
  store().maintenance.noteArchiveRun({ at: new Date().toISOString(), ...run })
  return { ...progress, done: true }
}
