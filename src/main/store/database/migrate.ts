import { chmodSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'
import { errorMessage } from '../../../shared/error-text.ts'
import { createTables } from './create-tables.ts'
import { damaged } from './foreign.ts'
import { CURRENT_TYPES, definitionsOf, firstDifference, shapeOf, typesOf, type SchemaShape } from './schema-shape.ts'

/** Next to this file; the build copies the folder next to its bundle. */
const FOLDER = join(import.meta.dirname, 'migrations')

/** The last commit that opens databases from before the first migration here, and exports their content. */
const OPENS_OLDER = 'c97ca8cd86f11f1d844c347396a9d1763c28b226'

interface Migration {
  readonly version: number
  readonly file: string
}

function migrations(folder: string): readonly Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d+\.sql$/.test(name))
    .map((name) => ({ version: Number.parseInt(name, 10), file: join(folder, name) }))
    .sort((a, b) => a.version - b.version)
}

/**
 * Free space that the copy before a migration must leave on the disk, at least: migrations write tables again, so another
 * time the size of the database may be needed.
 */
const SPARE_BYTES = 64 * 1024 * 1024

/** The key in `metadata` with the target version of an update that is partly done. */
const UPDATING_TO = 'updating_to'

/** Several times the measured duration of all migrations, and their least. */
const AWAY_MS_A_GIGABYTE = 240_000
const AWAY_MS_AT_LEAST = 10_000
const GIGABYTE = 1024 * 1024 * 1024

/** The version of a database with all migrations applied (`user_version`). */
export const latestVersion = (folder = FOLDER): number => migrations(folder).at(-1)?.version ?? 0

/** The tables that all migrations lead to. */
interface Tables {
  readonly types: SchemaShape
  create(db: Database.Database): void
}

const DECLARED: Tables = { types: CURRENT_TYPES, create: createTables }

export interface MigrateOptions {
  readonly appVersion?: string
  readonly now?: () => number
  /** Called with the maximum duration before an existing database is updated, and with 0 afterwards. */
  readonly onAway?: (ms: number) => void
  /** Only tests use another folder, other tables or another disk. */
  readonly folder?: string
  readonly tables?: Tables
  /** Returns the free bytes of the disk that holds a path. */
  readonly freeBytes?: (path: string) => number
}

/**
 * Brings the schema up to date, one transaction per migration; a new file gets the declared tables in a single one. First
 * keeps a copy of an existing database next to it, as `<name>.before-<version>`. A refused database is left untouched.
 * @throws AspyError newer_database, older_database; store_unavailable if its tables are not those of its version, or if
 *   the disk is too full for the copy
 */
export function migrate(db: Database.Database, path: string, options: MigrateOptions = {}): void {
  const { folder = FOLDER, tables = DECLARED, freeBytes = freeBytesOf } = options
  const current = versionOf(db, path, folder)
  const latest = latestVersion(folder)
  const due = migrations(folder).filter(({ version }) => version > current)
  assertShape(db, path, current, due, tables)
  const step = db.transaction((version: number, work: () => void) => {
    unlocked(db, work)
    db.pragma(`user_version = ${version}`)
    note(db, 'schema_version', String(version))
    note(db, UPDATING_TO, String(latest))
  })
  // All at once, so that a reader sees either none of a new file's tables or every one.
  if (current === 0) step.immediate(latest, () => tables.create(db))
  else if (due.length > 0) {
    options.onAway?.(AWAY_MS_AT_LEAST + Math.ceil((sizeOf(db) / GIGABYTE) * AWAY_MS_A_GIGABYTE))
    try {
      keepCopy(db, path, latest, freeBytes)
      for (const migration of due) step.immediate(migration.version, () => run(db, migration))
      // Tables that were written again leave their old pages free.
      db.pragma('incremental_vacuum')
    } finally {
      options.onAway?.(0)
    }
  }
  db.transaction(() => {
    db.prepare('INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING').run(
      'created_at',
      new Date(options.now?.() ?? Date.now()).toISOString(),
    )
    if (options.appVersion !== undefined) note(db, 'app_version', options.appVersion)
    db.prepare(`DELETE FROM metadata WHERE key = '${UPDATING_TO}'`).run()
  }).immediate()
}

const run = (db: Database.Database, { file }: Migration): unknown => db.exec(readFileSync(file, 'utf8'))

/** Runs work that may change the text of a definition, which SQLite refuses otherwise. */
function unlocked(db: Database.Database, work: () => void): void {
  db.unsafeMode(true)
  try {
    work()
  } finally {
    db.unsafeMode(false)
  }
}

/**
 * Returns the version of a database, 0 for an empty one.
 * @throws AspyError newer_database; older_database if it predates the first migration; store_unavailable if only its
 *   header has another version than its tables
 */
export function versionOf(db: Database.Database, path: string, folder = FOLDER): number {
  const version = Number(db.pragma('user_version', { simple: true }))
  const latest = latestVersion(folder)
  if (version !== 0 && version !== latest && isOfVersion(db, latest))
    throw damaged(path, `its header says version ${version}, but its tables were written as version ${latest}`)
  if (version > latest)
    throw new AspyError(
      'newer_database',
      `${path} was written by a newer Aspy (version ${version} of the database, this app knows ${latest}): ` +
        'update Aspy, or choose another folder with --data',
    )
  // The version that the first migration starts from.
  const oldest = (migrations(folder)[0]?.version ?? 0) - 1
  if (version > 0 && version < oldest)
    throw new AspyError(
      'older_database',
      `${path} was written by an older Aspy (version ${version} of the database, this app opens ${oldest} and newer). ` +
        `It was not changed. Export its data with Aspy at commit ${OPENS_OLDER} (aspy export --all --out FILE), ` +
        'and import that here (aspy import FILE) with --data OTHER, or with this database and the folder archive moved ' +
        'away. Ids of events and the places up to which transcripts were imported and sinks had sent are not carried: ' +
        'transcripts are read again and add nothing twice; a webhook and OpenTelemetry receive events again',
    )
  return version
}

/** Returns whether the tables are the current ones, and were last written as this version. Each migration notes both. */
const isOfVersion = (db: Database.Database, version: number): boolean =>
  firstDifference(typesOf(db), CURRENT_TYPES) === null &&
  db.prepare("SELECT value FROM metadata WHERE key = 'schema_version'").pluck().get() === String(version)

/**
 * Refuses a database whose tables do not match its version. Migrations would fail halfway, or change the wrong tables.
 * With the tables of this version, what is left of them can be salvaged.
 */
function assertShape(db: Database.Database, path: string, version: number, due: readonly Migration[], tables: Tables) {
  if (version === 0) {
    const found = typesOf(db)
    if (!found.has('events') && !found.has('metadata')) return
    throw withoutVersion(path)
  }
  // If no migration is due, comparing types is enough.
  const different = due.length === 0 ? firstDifference(typesOf(db), tables.types) : differenceAfter(db, due, tables)
  if (different === null) return
  const what = `it says that it has version ${version}, but its ${different} is not that of this version`
  if (due.length === 0) throw damaged(path, what)
  throw new AspyError(
    'store_unavailable',
    `${path}: ${what}. It was not changed. Restore a backup (aspy restore), or choose another folder with --data`,
  )
}

/** Returns the error for tables of Aspy without a version. */
export const withoutVersion = (path: string): AspyError => damaged(path, 'it has tables of Aspy but no version')

/** Runs due migrations on an empty copy of the tables, and returns what then differs from the declared ones. */
function differenceAfter(db: Database.Database, due: readonly Migration[], { create }: Tables): string | null {
  const declared = shapeAfter(create)
  try {
    const updated = shapeAfter((copy) => {
      for (const sql of definitionsOf(db)) copy.exec(sql)
      for (const migration of due) run(copy, migration)
    })
    return firstDifference(updated, declared)
  } catch (error) {
    return `schema (${errorMessage(error)})`
  }
}

function shapeAfter(work: (db: Database.Database) => void): SchemaShape {
  const db = new Database(':memory:')
  try {
    unlocked(db, () => work(db))
    return shapeOf(db)
  } finally {
    db.close()
  }
}

/** Returns the progress of updating an older database; null if no update has begun. */
export function updateProgress(db: Database.Database, path: string, folder = FOLDER): string | null {
  const latest = latestVersion(folder)
  if (updatingTo(db) === String(latest))
    return `step ${Number(db.pragma('user_version', { simple: true }))} of ${latest} is done`
  const copied = statSync(copyBefore(path, latest), { throwIfNoEntry: false })?.size
  if (copied === undefined) return null
  return `${Math.min(100, Math.round((copied / sizeOf(db)) * 100))} % of the copy that is kept first is written`
}

const updatingTo = (db: Database.Database): string | undefined =>
  db.prepare<[], string>(`SELECT value FROM metadata WHERE key = '${UPDATING_TO}'`).pluck().get()

const copyBefore = (path: string, version: number): string => `${path}.before-${version}`

const sizeOf = (db: Database.Database): number =>
  Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))

function note(db: Database.Database, key: string, value: string): void {
  db.prepare(
    'INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value',
  ).run(key, value)
}

/**
 * Uses VACUUM: a file copy would miss data that is only in the WAL. The copy of an update that was interrupted after a
 * step stays, because it alone holds the older state.
 */
function keepCopy(db: Database.Database, path: string, latest: number, freeBytes: (path: string) => number): void {
  const copy = copyBefore(path, latest)
  const replaced = statSync(copy, { throwIfNoEntry: false })?.size
  if (updatingTo(db) === String(latest) && replaced !== undefined) return
  const bytes = sizeOf(db)
  const free = freeBytes(path) + (replaced ?? 0)
  const needed = bytes + Math.max(SPARE_BYTES, bytes)
  if (free < needed) {
    const missing = toMegabytes(needed - free)
    throw new AspyError(
      'store_unavailable',
      `${path} must be updated, and there is no space for the copy that is kept first (${toMegabytes(bytes)} MB). ` +
        `Free at least ${missing} MB on its disk and start Aspy again. The database was not changed`,
    )
  }
  rmSync(copy, { force: true })
  db.prepare('VACUUM INTO ?').run(copy)
  chmodSync(copy, 0o600)
}

function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}

const toMegabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)
