import { existsSync, readdirSync, readFileSync, chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'

/** Beside this file in the sources; the build copies the folder beside its bundle. */
const FOLDER = join(import.meta.dirname, 'migrations')

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

/** The version that a database has when all migrations are done (`user_version`). */
export function latestVersion(folder = FOLDER): number {
  return migrations(folder).at(-1)?.version ?? 0
}

/**
 * Brings the schema up to date, one transaction a migration; a new file in one. A copy of an existing database is kept beside it first,
 * as `<name>.before-<version>`.
 * @throws AspyError newer_database
 */
export function migrate(
  db: Database.Database,
  path: string,
  options: { readonly appVersion?: string; readonly now?: () => number; readonly folder?: string } = {},
): void {
  const { folder = FOLDER } = options
  const current = Number(db.pragma('user_version', { simple: true }))
  const latest = latestVersion(folder)
  if (current > latest) throw newerDatabase(path, current)
  const due = migrations(folder).filter(({ version }) => version > current)
  if (due.length > 0 && current > 0) keepCopy(db, `${path}.before-${latest}`)
  const step = db.transaction(({ version, file }: Migration) => {
    db.exec(readFileSync(file, 'utf8'))
    db.pragma(`user_version = ${version}`)
    note(db, 'schema_version', String(version))
  })
  // A new file gets all of them at once: whoever looks at it meanwhile sees none of its tables, or every one.
  if (current === 0) db.transaction(() => due.forEach((migration) => step(migration))).immediate()
  else for (const migration of due) step.immediate(migration)
  db.transaction(() => {
    db.prepare('INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING').run(
      'created_at',
      new Date(options.now?.() ?? Date.now()).toISOString(),
    )
    if (options.appVersion !== undefined) note(db, 'app_version', options.appVersion)
  }).immediate()
}

/** The error for a database that a newer app wrote. */
export function newerDatabase(path: string, version: number): AspyError {
  return new AspyError(
    'newer_database',
    `${path} was written by a newer Aspy (version ${version} of the database, this app knows ${latestVersion()}): ` +
      'update Aspy, or choose another folder with --data',
  )
}

function note(db: Database.Database, key: string, value: string): void {
  db.prepare(
    'INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value',
  ).run(key, value)
}

/** Never a file copy: that would miss what still stands in the WAL. */
function keepCopy(db: Database.Database, path: string): void {
  if (existsSync(path)) rmSync(path)
  db.prepare('VACUUM INTO ?').run(path)
  chmodSync(path, 0o600)
}
