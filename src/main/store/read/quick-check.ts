import { statSync } from 'node:fs'
import { AspyError } from '../../../shared/contract/errors.ts'
import { openReader } from '../database/connection.ts'
import { damageOf } from '../database/damage.ts'
import { FULL_TEXT_PROBLEM } from './check.ts'

/** Above this size, checking every page takes longer than people want to wait. */
const EVERY_PAGE_BYTES = 256 * 1024 * 1024

/**
 * Checks a database file without a lock and without changing it. `fault` describes the problem for people; null if none
 * was found.
 */
export function quickCheck(path: string): {
  readonly bytes: number
  readonly fault: string | null
  readonly isWhole: boolean
  /** Only full-text indexes are damaged: a rebuild repairs them. */
  readonly isText: boolean
} {
  const bytes = statSync(path).size
  const isWhole = bytes <= EVERY_PAGE_BYTES
  try {
    const db = openReader(path)
    try {
      const answer = isWhole
        ? String(db.pragma('integrity_check(1)', { simple: true }))
        : db.prepare("SELECT 'ok' FROM sqlite_schema LIMIT 1").pluck().get()
      const fault = answer === 'ok' ? null : String(answer ?? 'it is empty')
      return { bytes, fault, isWhole, isText: FULL_TEXT_PROBLEM.test(fault ?? '') }
    } finally {
      db.close()
    }
  } catch (error) {
    if (!(error instanceof AspyError) && !(error instanceof Error && error.name === 'SqliteError')) throw error
    return { bytes, fault: error.message, isWhole, isText: damageOf(error)?.isText === true }
  }
}
