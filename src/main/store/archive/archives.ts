import { note, noted } from '../database/metadata.ts'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import { giveBackPages } from '../delete/scrub.ts'
import { clearArchives, removeOldArchives } from './archive-upkeep.ts'
import { moveToArchive, type MoveParts, type Moved } from './move-to-archive.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

/** Retention in days; 0 keeps data forever. */
export interface RetentionRules {
  readonly retention_days: number
  readonly archive_days: number
  readonly delete_days: number
}

/** Progress of an archive run; the last run's is stored in the database. */
export interface ArchiveRun {
  /** When it ended, ISO 8601. */
  readonly at: string
  readonly events_moved: number
  /** Bytes of JSON, before compression. */
  readonly bytes_moved: number
  readonly archives_removed: number
  readonly sessions_forgotten: number
}

/** The key in `metadata` of the last run. */
export const ARCHIVE_RUN_KEY = 'archive_run'

/** Returns the moment `days` days ago, ISO 8601. */
export const daysAgo = (days: number, now: number): string => new Date(now - days * DAY_MS).toISOString()

/** Returns the last run; null if there was none. */
export function lastArchiveRun(db: Pick<WritableDb, 'prepare'>): ArchiveRun | null {
  const json = noted(db, ARCHIVE_RUN_KEY)
  return json === undefined ? null : (JSON.parse(json) as ArchiveRun)
}

export function noteArchiveRun(db: WritableDb, run: ArchiveRun): void {
  translated(() => note(db, ARCHIVE_RUN_KEY, JSON.stringify(run)))
}

/** Moves old payloads to archives, removes expired archives, and rewrites those that hold deleted data. */
export function* runArchiving(
  parts: MoveParts,
  { retention_days, archive_days }: RetentionRules,
): Generator<Moved, Moved & { readonly archives_removed: number }, void> {
  const { db, folder, now } = parts
  let moved: Moved = { events: 0, bytes: 0 }
  for (const _ of clearArchives(db, folder)) yield moved
  if (retention_days > 0) moved = yield* moveToArchive(parts, daysAgo(retention_days, now()))
  let archives_removed = 0
  if (archive_days > 0) {
    const removing = removeOldArchives(db, folder, daysAgo(archive_days, now()), new Date(now()).toISOString())
    for (let step = removing.next(); ; step = removing.next()) {
      if (step.done) {
        archives_removed = step.value
        break
      }
      yield moved
    }
  }
  if (moved.events > 0) for (const _ of giveBackPages(db)) yield moved
  return { ...moved, archives_removed }
}

/** Returns sessions without an event since a moment, except pinned ones; longest silent first. */
export function silentSessions(db: WritableDb, before: string, most: number): readonly string[] {
  return db
    .prepare<[string, number], string>(
      `SELECT s.id FROM sessions s LEFT JOIN session_labels l ON l.session_id = s.id
       WHERE s.last_event_at < ? AND coalesce(l.pinned, 0) = 0 ORDER BY s.last_event_at LIMIT ?`,
    )
    .pluck()
    .all(before, most)
}
