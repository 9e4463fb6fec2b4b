import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

const run = promisify(execFile)

/** Rows of one month that a plan must not read as a whole. */
const ROWS = 30_000

describe.skipIf(lacksPostgres)('plans over a month of many events', () => {
  let team: TeamWorld
  let uuid = ''
  beforeAll(async () => {
    team = await startTeam()
    const month = "date_trunc('month', now() AT TIME ZONE 'UTC')::date"
    await team.sql(`INSERT INTO members (name, role) VALUES ('ann', 'member');
      INSERT INTO events (month, uuid, member_id, device_id, session_id, session_key, turn_id, seq, parent_uuid, kind, source, ts, level,
        rank, position, shared, model, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost_usd)
      SELECT ${month}, md5(n::text)::uuid, 1, md5('d')::uuid, 's' || n / 300, md5('s' || n / 300)::uuid, 1, n % 300,
        CASE WHEN n % 300 > 0 THEN md5((n - 1)::text)::uuid END, CASE n % 10 WHEN 0 THEN 'api_usage' ELSE 'thinking' END, 'wire',
        ${month} + n * interval '1 second', 'full', 5, n, false, CASE n % 10 WHEN 0 THEN 'm' END, 1, 1, 1, 1, 0.01
      FROM generate_series(1, ${ROWS}) n;
      INSERT INTO texts (month, member_id, uuid, session_id, turn_id, kind, ts, project, shared, content, words)
      SELECT month, 1, uuid, session_id, 1, 'thinking', ts, '', false, text, to_tsvector('english', text)
      FROM events, LATERAL (SELECT 'text ' || seq || ' of ' || session_id) AS made (text);
      INSERT INTO sessions (member_id, session_key, session_id, level, shared)
      SELECT DISTINCT 1, session_key, session_id, 'full', false FROM events;
      ANALYZE`)
    uuid = await team.sql("SELECT md5('299')::uuid")
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  /** Runs SQL and returns the plans of all its statements, those within functions included. */
  async function plansOf(sql: string): Promise<string> {
    const settings = ['log_min_duration = 0', 'log_nested_statements = on', 'log_timing = off']
    const before = [
      "LOAD 'auto_explain'",
      ...settings.map((one) => `SET auto_explain.${one}`),
      'SET client_min_messages = log',
    ]
    const args = ['-X', '-q', '-A', '-t', '-d', team.database, ...before.flatMap((one) => ['-c', one]), '-c', sql]
    const { stderr } = await run('psql', args, { maxBuffer: 64 * 1024 * 1024 })
    expect(stderr).toContain('Query Text')
    return stderr
  }

  const queries: readonly (readonly [string, () => string])[] = [
    ['the chain of an event', () => `SELECT * FROM get_parent_chain('${uuid}')`],
    ['the newest 50 events of a session', () => "SELECT * FROM get_recent_events('s7', 50)"],
    ['the timeline of a session', () => "SELECT * FROM get_timeline('s7', '-infinity', 'infinity')"],
    ['an event in the view', () => `SELECT * FROM session_events WHERE uuid = '${uuid}'`],
    ['a session in the view', () => "SELECT * FROM session_events WHERE instance_id = 's7'"],
    ['a search', () => "SELECT * FROM texts WHERE words @@ websearch_to_tsquery('english', 's7 299')"],
    [
      'the usage of a day',
      () =>
        "SELECT sum(cost_usd) FROM events WHERE member_id = 1 AND kind = 'api_usage' AND ts < date_trunc('month', now()) + interval '1 minute'",
    ],
    [
      'the events of a session that is counted again',
      () => "SELECT count(*) FROM events WHERE member_id = 1 AND session_key = md5('s7')::uuid",
    ],
  ]
  test.each(queries)('%s is found by an index', async (_, sql) => {
    const plans = await plansOf(sql())
    const month = await team.sql("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')")
    expect(plans).not.toMatch(new RegExp(`Seq Scan on (events|texts)_${month}`))
    expect(plans).toMatch(/Index|Bitmap/)
  })

  test('the chain has 299 steps, and a cycle ends it', async () => {
    expect(await team.sql(`SELECT count(*) FROM get_parent_chain('${uuid}')`)).toBe('299')
    await team.sql("UPDATE events SET parent_uuid = md5('299')::uuid WHERE uuid = md5('290')::uuid")
    expect(await team.sql(`SELECT count(*) FROM get_parent_chain('${uuid}')`)).toBe('10')
    await team.sql(`UPDATE events SET parent_uuid = md5((position - 1)::text)::uuid WHERE position BETWEEN 2 AND 3000`)
    expect(await team.sql(`SELECT count(*) FROM get_parent_chain(md5('3000')::uuid)`)).toBe('1000')
  })

  test('months are dropped with everything that belongs to them, and added again', async () => {
    expect(await team.sql('SELECT aspy_add_months(24)')).toBe('0')
    const next = "(date_trunc('month', now()) + interval '1 month')::date"
    expect(Number(await team.sql(`SELECT aspy_drop_months(${next})`))).toBeGreaterThan(40)
    for (const table of ['events', 'texts', 'event_keys', 'contents'])
      expect(await team.sql(`SELECT count(*) FROM ${table}`), table).toBe('0')
    expect(await team.sql('SELECT aspy_add_months(24)')).toBe('2')
  })
})
