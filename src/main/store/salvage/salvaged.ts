import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { jsonOrNull } from '../../../shared/json-fields.ts'

/** What was brought over from a damaged database. */
export interface Salvaged {
  readonly reason: string
  readonly events: number
  /** Events that are known to be missing. */
  readonly missing: number
  /** Missing events of each session, most first. */
  readonly sessions: readonly { readonly id: string; readonly missing: number }[]
  /** Events of which a text is missing. */
  readonly mended: number
}

/** Sessions that are named. */
const MAX_SESSIONS = 50

/** Writes the account of a salvage next to the damaged database. */
export function writeSalvaged(damaged: string, salvaged: Salvaged): void {
  const sessions = salvaged.sessions.slice(0, MAX_SESSIONS)
  writeFileSync(`${damaged}-salvaged`, JSON.stringify({ ...salvaged, sessions }), { mode: 0o600 })
}

/** Returns null if nothing was salvaged from a database that was set aside. */
export function readSalvaged(damaged: string): Salvaged | null {
  const path = `${damaged}-salvaged`
  return existsSync(path) ? (jsonOrNull(readFileSync(path, 'utf8')) as Salvaged | null) : null
}
