import { note } from '../database/metadata.ts'
import type { WritableDb } from '../database/connection.ts'

/**
 * The rules by which projections fill their tables. Raise it when rows or indexed words change: a store that was filled by
 * earlier rules is rebuilt beside live traffic after the next start.
 */
export const PROJECTION_RULES = 120

const KEY = 'projection_rules'

/** Selects the rules by which the projections were filled. */
export const RULES_NOTED = `SELECT value FROM metadata WHERE key = '${KEY}'`

/** Returns whether the projections were filled by earlier rules. */
export function isRebuildDue(db: WritableDb): boolean {
  const noted = db.prepare<[], string>(RULES_NOTED).pluck().get()
  return noted !== String(PROJECTION_RULES)
}

/** Notes that all projections were filled by the present rules. */
export function noteRules(db: WritableDb): void {
  note(db, KEY, String(PROJECTION_RULES))
}

/** Notes the rules of a store without events: whatever it will hold is filled by them. */
export function noteRulesIfEmpty(db: WritableDb): void {
  const isEmpty = db.prepare<[], number>('SELECT 1 FROM events LIMIT 1').pluck().get() === undefined
  if (isEmpty && isRebuildDue(db)) noteRules(db)
}
