import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../base/names-in.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { assertServerVersion, SCHEMA_VERSION, schemaVersion, type Sql, type Transaction } from './connection.ts'
import { onDatabase } from './database-error.ts'
import { rewriteWords } from './text-words.ts'

/** Next to this file; the build copies the folder next to its bundle. */
const FOLDERS = [join(import.meta.dirname, 'migrations'), join(import.meta.dirname, 'team-migrations')]

/** The migration since which the server writes the words of texts. */
const WORDS_VERSION = 102

/** Months of partitions made ahead, and for history that is imported. */
const MONTHS = { ahead: 24, behind: 24 }

/** The outcome of an init or upgrade. */
export interface SchemaChange {
  readonly from: number | null
  readonly to: number
  readonly partitions: number
  /** The statements, of a dry run. */
  readonly sql: string
}

export interface SchemaOptions {
  /** Runs everything and rolls it back. */
  readonly dryRun: boolean
  /** The database role of `team serve`, if it is not the owner. */
  readonly serverRole?: string | undefined
}

/**
 * Creates the tables, or brings them up to date, in one transaction. `mode`: the expected state: init refuses to change
 * an older store, upgrade needs one.
 * @throws AspyError store_unavailable, conflict, newer_database, older_database
 */
export function changeSchema(sql: Sql, mode: 'init' | 'upgrade', options: SchemaOptions): Promise<SchemaChange> {
  const { dryRun, serverRole } = options
  return onDatabase(async () => {
    const undo = new Error('dry run')
    let change: SchemaChange | null = null
    const work = async (tx: Transaction) => {
      await tx`SELECT pg_advisory_xact_lock(hashtext('aspy team schema'))`
      await tx`SET LOCAL statement_timeout = 0`
      await assertServerVersion(tx)
      change = await migrate(tx, mode)
      if (serverRole !== undefined) await grantToServer(tx, serverRole)
      if (dryRun) throw undo
    }
    await sql.begin(work).catch((error: unknown) => {
      if (error !== undo) throw error
    })
    if (change === null) throw new AspyError('internal', 'the schema was not changed')
    return change
  })
}

async function migrate(tx: Transaction, mode: 'init' | 'upgrade'): Promise<SchemaChange> {
  const from = await schemaVersion(tx)
  if (mode === 'upgrade' && from === null)
    throw new AspyError('conflict', 'the database has no team store yet; create it with aspy team init')
  if (mode === 'init' && from !== null && from < SCHEMA_VERSION)
    throw new AspyError(
      'conflict',
      `the store has version ${from}; bring it to ${SCHEMA_VERSION} with aspy team upgrade`,
    )
  const due = migrations().filter(({ version }) => version > (from ?? 0))
  for (const { text } of due) await tx.unsafe(text)
  if (due.some(({ version }) => version === WORDS_VERSION)) await rewriteWords(tx)
  if (from === null)
    await tx`INSERT INTO team (schema_version, hash_key, token_key)
      VALUES (${SCHEMA_VERSION}, ${randomBytes(32)}, ${randomBytes(32)})`
  else await tx`UPDATE team SET schema_version = ${SCHEMA_VERSION}`
  const [made] = await tx<{ n: number }[]>`SELECT aspy_add_months(${MONTHS.ahead}, ${MONTHS.behind}) AS n`
  return { from, to: SCHEMA_VERSION, partitions: made?.n ?? 0, sql: due.map(({ text }) => text).join('\n') }
}

function migrations(): { readonly version: number; readonly text: string }[] {
  for (const folder of FOLDERS) {
    const files = namesIn(folder).filter((name) => /^\d{3}\.sql$/.test(name))
    // The laptop's own migrations are in a folder of the same name next to the bundle; the team's mention members.
    const texts = files.sort().map((name) => ({
      version: Number.parseInt(name, 10),
      text: readFileSync(join(folder, name), 'utf8'),
    }))
    if (texts[0]?.text.includes('CREATE TABLE members') === true) return texts
  }
  throw new AspyError('internal', "the files of the team's schema are missing; reinstall Aspy")
}

/** Tables that `team serve` reads and writes. It owns none, and cannot change their definition. */
const SERVER_TABLES = [
  'members',
  'invitations',
  'devices',
  'device_positions',
  'events',
  'event_keys',
  'contents',
  'event_contents',
  'content_senders',
  'sessions',
  'usage_daily',
  'cache_daily',
  'texts',
  'tombstones',
  'read_audit',
]
const GUARDED = ['events', 'event_contents', 'sessions', 'usage_daily', 'texts', 'contents']

async function grantToServer(tx: Transaction, role: string): Promise<void> {
  const name = tx(role)
  await tx`GRANT SELECT ON team, sql_readers TO ${name}`
  await tx`GRANT USAGE ON SEQUENCE event_ids TO ${name}`
  await tx`GRANT EXECUTE ON FUNCTION aspy_add_months, aspy_drop_months TO ${name}`
  for (const table of SERVER_TABLES) await tx`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tx(table)} TO ${name}`
  for (const table of GUARDED) {
    await tx`DROP POLICY IF EXISTS server ON ${tx(table)}`
    await tx`CREATE POLICY server ON ${tx(table)} TO ${name} USING (true) WITH CHECK (true)`
  }
}
