import { statOf } from '../../base/stat-of.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { openReader, refuseForeignLog, type ReadableDb } from '../database/connection.ts'
import { CURRENT_TYPES, firstDifference, typesOf } from '../database/schema-shape.ts'
import { damageOf } from '../database/damage.ts'
import { isUnreadable, UNREADABLE_PAYLOADS } from './damaged-contents.ts'
import { FREE_PAGES, FULL_TEXT_PROBLEM, LOST_SEQUENCE, SEQUENCE_FAULT } from './check.ts'

/** Above this size, checking every page takes longer than people want to wait. */
const EVERY_PAGE_BYTES = 256 * 1024 * 1024

/** The outcome of a check. */
export interface FileCheck {
  readonly bytes: number
  /** The problem, for people; null if none was found. */
  readonly fault: string | null
  /** True if every page was checked. */
  readonly isWhole: boolean
  /** Only full-text indexes are damaged: a rebuild repairs them. */
  readonly isText: boolean
  /** The file itself is not at fault: it cannot be used as it is here, and the fault says what to do. */
  readonly isRefused: boolean
}

/** Checks a database file without a lock and without changing it. `isOpen`: an app writes it. */
export function quickCheck(path: string, isOpen = false): FileCheck {
  const bytes = statOf(path)?.size ?? 0
  const isWhole = bytes <= EVERY_PAGE_BYTES
  try {
    if (!isOpen) refuseForeignLog(path)
    const db = openReader(path)
    try {
      const checks = [isWhole ? 'PRAGMA integrity_check(1)' : "SELECT 'ok' FROM sqlite_schema LIMIT 1", FREE_PAGES]
      const answers = checks.map((check) => (db.prepare(check).pluck().get() as string | undefined) ?? 'it is empty')
      const fault = answers.find((answer) => answer !== 'ok') ?? faultOfTables(db, isWhole)
      return { bytes, fault, isWhole, isText: FULL_TEXT_PROBLEM.test(fault ?? ''), isRefused: false }
    } finally {
      db.close()
    }
  } catch (error) {
    if (!(error instanceof AspyError) && !(error instanceof Error && error.name === 'SqliteError')) throw error
    const damage = damageOf(error)
    const isRefused = error instanceof AspyError && damage === null
    return { bytes, fault: error.message, isWhole, isText: damage?.isText === true, isRefused }
  }
}

/** Returns what SQLite's own check does not look for, because it knows no table by name. */
function faultOfTables(db: ReadableDb, isWhole: boolean): string | null {
  const different = firstDifference(typesOf(db), CURRENT_TYPES)
  if (different !== null) return `its ${different} is not that of this version`
  if (isWhole && db.prepare<[], string>(UNREADABLE_PAYLOADS).pluck().all().some(isUnreadable))
    return 'a stored event cannot be read'
  return db.prepare(LOST_SEQUENCE).get() === undefined ? null : SEQUENCE_FAULT
}
