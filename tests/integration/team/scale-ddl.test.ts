import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

const DOCS = readFileSync(join(import.meta.dirname, '../../../docs/team-scale.md'), 'utf8')

/** Functions and tables of extensions that are not installed here, with the parameters that their manuals name. */
const STUBS = `
  CREATE SCHEMA IF NOT EXISTS partman; CREATE SCHEMA cron;
  CREATE FUNCTION partman.create_parent(p_parent_table text, p_control text, p_interval text, p_premake int, p_default_table boolean)
    RETURNS boolean LANGUAGE sql AS 'SELECT p_parent_table::regclass IS NOT NULL';
  CREATE TABLE partman.part_config (parent_table text, retention text, retention_keep_table boolean, infinite_time_partitions boolean);
  CREATE PROCEDURE partman.run_maintenance_proc() LANGUAGE sql AS 'SELECT 1';
  CREATE FUNCTION cron.schedule(job_name text, schedule text, command text) RETURNS bigint LANGUAGE plpgsql
    AS $f$ BEGIN EXECUTE 'EXPLAIN ' || CASE WHEN command ~ '^CALL' THEN 'SELECT 1' ELSE command END; RETURN 1; END $f$;
  CREATE FUNCTION create_reference_table(name regclass) RETURNS void LANGUAGE sql AS '';
  CREATE FUNCTION create_distributed_table(name regclass, by text, colocate_with text DEFAULT 'default') RETURNS void LANGUAGE plpgsql
    AS $f$ BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = name AND attname = by) THEN
        RAISE EXCEPTION 'no column % in %', by, name; END IF;
      -- Citus needs the column in every unique index.
      IF EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = name AND i.indisunique AND NOT EXISTS (
        SELECT 1 FROM pg_attribute a WHERE a.attrelid = name AND a.attname = by AND a.attnum = ANY (i.indkey))) THEN
        RAISE EXCEPTION 'a unique index of % lacks %', name, by; END IF;
    END $f$;`

describe.skipIf(lacksPostgres)('the DDL on paper', () => {
  let team: TeamWorld
  beforeAll(async () => {
    team = await startTeam()
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  const blocks = [...DOCS.matchAll(/^## (.+)$|```sql\n([\s\S]*?)```/gm)].reduce<{ title: string; sql: string }[]>(
    (found, [, title, sql]) =>
      title === undefined
        ? [...found.slice(0, -1), { title: found.at(-1)?.title ?? '', sql: `${found.at(-1)?.sql}${sql}` }]
        : [...found, { title, sql: '' }],
    [],
  )
  const written = blocks.filter(({ sql }) => sql !== '')

  test('covers what it promises', () => {
    expect(written.map(({ title }) => title)).toEqual(['Months by pg_partman', 'A read replica', 'Citus'])
  })

  test.each(written)('$title is accepted by PostgreSQL over the real tables', async ({ sql }) => {
    // Everything but the extensions themselves runs, and is rolled back.
    const statements = sql.replaceAll(/^CREATE (EXTENSION|SCHEMA) .*;$/gm, '')
    expect(statements).toContain('SELECT')
    await team.sql(`BEGIN; ${STUBS} ${statements} ROLLBACK`)
    expect(await team.sql('SELECT count(*) FROM events')).toBe('0')
  })

  test('a mistake in it is noticed', async () => {
    const citus = written.at(-1)?.sql ?? ''
    const wrong = citus.replace(/^ALTER TABLE events .*$/m, '').replaceAll(/^CREATE EXTENSION .*;$/gm, '')
    await expect(team.sql(`BEGIN; ${STUBS} ${wrong} ROLLBACK`)).rejects.toThrow(
      /a unique index of events lacks session_key/,
    )
  })
})
