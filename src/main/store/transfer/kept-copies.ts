import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { archiveFolder } from '../archive/archive-file.ts'

/** A copy of the database and its archives that Aspy itself keeps: it contains everything recorded until then. */
export interface KeptCopy {
  /** The database; its archives if there is none. */
  readonly path: string
  readonly database: string | null
  /** A folder. */
  readonly archives: string | null
  /** All files of the copy, including a WAL. */
  readonly files: readonly string[]
}

/**
 * Matches copies kept before a migration or a restore, and databases set aside as damaged, but not files that a person
 * put there.
 */
const KEPT = /^(\.(?:before|damaged|corrupt)-.*?)(?:-(?:wal|shm|journal|log|salvaged))?$/

/** Lists the copies that are kept next to a database. */
export function keptCopies(path: string): readonly KeptCopy[] {
  const folder = dirname(path)
  const [database, archives] = [basename(path), basename(archiveFolder(path))]
  const entries = readdirSync(folder)
  const stampOf = (entry: string) =>
    [database, archives].flatMap((name) =>
      entry.startsWith(name) ? (KEPT.exec(entry.slice(name.length))?.[1] ?? []) : [],
    )[0]
  const copies = Map.groupBy(entries, stampOf)
  return [...copies].flatMap(([stamp, names]) => {
    if (stamp === undefined) return []
    const existing = (name: string) => (names.includes(name + stamp) ? join(folder, name + stamp) : null)
    const files = names.map((name) => join(folder, name))
    const copy = { database: existing(database), archives: existing(archives), files }
    return { ...copy, path: copy.database ?? copy.archives ?? files[0] ?? folder }
  })
}
