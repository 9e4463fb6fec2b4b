import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { createKeyedHash } from '../../base/keyed-hash.ts'
import { openWriter } from '../database/connection.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { rebuildInSteps } from '../rebuild/rebuild.ts'
import { moveAside } from '../transfer/set-aside.ts'
import { copyTables } from './copy-tables.ts'
import { copyWithHeader } from './mend-header.ts'
import { missingEvents } from './missing-events.ts'
import { writeSalvaged, type Salvaged } from './salvaged.ts'

export interface SalvageOptions {
  /** The damaged database, which nothing else writes. */
  readonly path: string
  readonly reason: string
  readonly hashKey: Uint8Array
  readonly pricing: Pricing
  readonly appVersion?: string
  readonly now?: () => number
}

/**
 * Copies what can be read of a damaged database to a new file in short steps, rebuilds its projections there and puts it
 * in place of the old one, which is renamed. The old file stays in use until then: an interrupted salvage starts over.
 * Throws what SQLite throws if nothing can be read at all, or if the new file cannot be written.
 */
export function* salvage(options: SalvageOptions): Generator<void, Salvaged, void> {
  const { path, reason, hashKey, pricing, appVersion, now = Date.now } = options
  const coming = salvagePath(path)
  removeDatabase(coming)
  const from = openDamaged(path)
  try {
    const writer = openWriter(coming, { now, ...(appVersion === undefined ? {} : { appVersion }) })
    try {
      yield* copyTables(from, writer.db, createKeyedHash(hashKey))
      const salvaged = { reason, ...missingEvents(from, writer.db) }
      for (const _ of rebuildInSteps(writer.db, { pricing, hashKey }, () => undefined)) yield
      writer.db.pragma('wal_checkpoint(TRUNCATE)')
      writer.db.close()
      from.close()
      writeSalvaged(path + moveAside(path, now()), salvaged)
      renameSync(coming, path)
      return salvaged
    } finally {
      writer.close()
    }
  } finally {
    from.close()
    removeDatabase(coming)
    removeDatabase(copyPath(path))
  }
}

/** Opens a damaged file for reading; if only its header keeps it from being read, a copy with another one. */
function openDamaged(path: string): Database.Database {
  try {
    return openUnsafely(path)
  } catch (error) {
    removeDatabase(copyPath(path))
    if (!copyWithHeader(path, copyPath(path))) throw error
    try {
      return openUnsafely(copyPath(path))
    } catch {
      removeDatabase(copyPath(path))
      throw error
    }
  }
}

function openUnsafely(path: string): Database.Database {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    // Reads as much of a damaged schema as it can.
    db.unsafeMode(true)
    db.pragma('writable_schema = ON')
    db.prepare('SELECT id FROM events LIMIT 0').all()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Completes a salvage that was interrupted while it put the new file in place. */
export function finishSalvage(path: string): void {
  const coming = salvagePath(path)
  if (existsSync(coming) && !existsSync(path)) renameSync(coming, path)
}

const copyPath = (path: string): string => join(dirname(path), 'salvage-from.db')
const salvagePath = (path: string): string => join(dirname(path), 'salvage.db')

function removeDatabase(path: string): void {
  for (const part of ['', '-wal', '-shm']) rmSync(path + part, { force: true })
}
