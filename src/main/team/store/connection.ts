import postgres from 'postgres'
import { AspyError } from '../../../shared/contract/errors.ts'

/** A pool of connections to the team's PostgreSQL. */
export type Sql = postgres.Sql
/** One connection within a transaction. */
export type Transaction = postgres.TransactionSql

/** The version of the tables that this program reads and writes. */
export const SCHEMA_VERSION = 102

/** The version of the first migration. Older stores are refused. */
const BASELINE_VERSION = 100

const OLDEST_SERVER = 150_000
const CONNECT_SECONDS = 10
/** A statement may take this long: a stuck one must not keep a connection for ever. */
const STATEMENT_MS = 60_000

/** Opens a pool. Connects on the first query. Throws `bad_input` if the address is not one of PostgreSQL. */
export function openDatabase(url: string, max = 10): Sql {
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new AspyError('bad_input', '--database must be an address such as postgres://user@host:5432/team')
  return postgres(url, {
    max,
    connect_timeout: CONNECT_SECONDS,
    idle_timeout: 60,
    // Notices of PostgreSQL may quote data.
    onnotice: () => undefined,
    connection: { application_name: 'aspy', statement_timeout: STATEMENT_MS },
    transform: { undefined: null },
  })
}

/**
 * Returns the schema's version, or null if the database has no store of a team.
 * @throws AspyError newer_database, older_database
 */
export async function schemaVersion(sql: Sql | Transaction): Promise<number | null> {
  const [found] = await sql<{ team: string | null }[]>`SELECT to_regclass('team')::text AS team`
  if (found?.team == null) return null
  const [row] = await sql<{ schema_version: number }[]>`SELECT schema_version FROM team`
  const version = row?.schema_version ?? null
  if (version === null) return null
  if (version > SCHEMA_VERSION)
    throw new AspyError(
      'newer_database',
      `the team store has version ${version}, this Aspy knows ${SCHEMA_VERSION}; update Aspy`,
    )
  if (version < BASELINE_VERSION)
    throw new AspyError(
      'older_database',
      `the team store has version ${version}, this Aspy opens ${BASELINE_VERSION} and newer. It was not changed. Run aspy ` +
        'team init on an empty database and let the members join it: their laptops send everything again. Tombstones, ' +
        'the notes of who read what, roles for SQL, and what a laptop no longer has are not carried',
    )
  return version
}

/**
 * Refuses a database that does not hold a store of this version, and a PostgreSQL that is too old.
 * @throws AspyError store_unavailable, newer_database, older_database
 */
export async function assertReady(sql: Sql): Promise<void> {
  await assertServerVersion(sql)
  const version = await schemaVersion(sql)
  if (version === null)
    throw new AspyError(
      'store_unavailable',
      'the database has no team store; create it with aspy team init --database URL',
    )
  if (version < SCHEMA_VERSION)
    throw new AspyError(
      'store_unavailable',
      `the team store has version ${version}, this Aspy needs ${SCHEMA_VERSION}; run aspy team upgrade --database URL`,
    )
}

/** Throws `store_unavailable` if PostgreSQL is too old: views need `security_invoker`. */
export async function assertServerVersion(sql: Sql | Transaction): Promise<void> {
  const [row] = await sql<{ v: number }[]>`SELECT current_setting('server_version_num')::int AS v`
  if ((row?.v ?? 0) < OLDEST_SERVER)
    throw new AspyError('store_unavailable', 'PostgreSQL 15 or newer is needed; upgrade the database server')
}
