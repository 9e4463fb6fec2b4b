import { existsSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { archiveFolder } from '../archive/archive-file.ts'
import { openReader } from '../database/connection.ts'
import { keepForeignLog } from '../../base/foreign-log.ts'
import { readSalvaged, type Salvaged } from '../salvage/salvaged.ts'
import { readTombstones, type Tombstone } from '../delete/tombstones.ts'

/** Part of the name of a damaged database. */
const SET_ASIDE_MARK = '.damaged-'

/**
 * Sets a damaged database aside with its archives, so that a new one can be created; nothing may have it open. Returns
 * the tombstones that can still be read, so that deleted sessions stay deleted.
 */
export function setAside(path: string, now: number): readonly Tombstone[] {
  const tombstones = salvageTombstones(path)
  const stamp = moveAside(path, now)
  // No table of the new database refers to them.
  const archives = archiveFolder(path)
  if (existsSync(archives)) renameSync(archives, archives + stamp)
  return tombstones
}

/** Renames a damaged database without its archives. Returns what was added to its name. */
export function moveAside(path: string, now: number): string {
  const stamp = SET_ASIDE_MARK + new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (const part of ['-wal', '-shm', '']) if (existsSync(path + part)) renameSync(path + part, path + stamp + part)
  keepForeignLog(path, stamp)
  return stamp
}

function salvageTombstones(path: string): readonly Tombstone[] {
  try {
    const db = openReader(path)
    try {
      return readTombstones(db)
    } finally {
      db.close()
    }
  } catch {
    // The file is damaged, which Health reports; unreadable tombstones are part of that damage.
    return []
  }
}

/** A damaged database that was moved away, by its file name, with what was salvaged of it. */
export interface SetAside {
  readonly name: string
  readonly salvaged: Salvaged | null
}

/** Lists the damaged databases next to this one. */
export function damagedDatabases(path: string): readonly SetAside[] {
  const folder = dirname(path)
  if (!existsSync(folder)) return []
  const begin = basename(path) + SET_ASIDE_MARK
  return readdirSync(folder)
    .filter((name) => name.startsWith(begin) && !/-(wal|shm|log|salvaged)$/.test(name))
    .map((name) => ({ name, salvaged: readSalvaged(join(folder, name)) }))
}
