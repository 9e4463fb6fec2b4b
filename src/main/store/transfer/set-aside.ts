import { existsSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { archiveFolder } from '../archive/archive-file.ts'
import { openReader } from '../database/connection.ts'
import { readTombstones, type Tombstone } from '../delete/tombstones.ts'

/** Stands in the name of a database that was found damaged. */
const SET_ASIDE_MARK = '.damaged-'

/**
 * Moves a damaged database out of the way, whole, so that a new one can be begun; nothing may have it open. Gives the
 * tombstones that can still be read: what was deleted stays away.
 */
export function setAside(path: string, now: number): readonly Tombstone[] {
  const tombstones = salvageTombstones(path)
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (const part of ['-wal', '-shm', ''])
    if (existsSync(path + part)) renameSync(path + part, `${path}${SET_ASIDE_MARK}${stamp}${part}`)
  // No table of the new one says what lies in them.
  const archives = archiveFolder(path)
  if (existsSync(archives)) renameSync(archives, `${archives}${SET_ASIDE_MARK}${stamp}`)
  return tombstones
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
    // It is damaged: what cannot be read of it is told in Health along with the rest.
    return []
  }
}

/** The damaged databases that lie beside this one. */
export function damagedDatabases(path: string): readonly string[] {
  const folder = dirname(path)
  if (!existsSync(folder)) return []
  const begin = basename(path) + SET_ASIDE_MARK
  return readdirSync(folder).filter((name) => name.startsWith(begin) && !/-(wal|shm)$/.test(name))
}
