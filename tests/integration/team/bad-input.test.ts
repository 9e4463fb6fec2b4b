import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aspy, startAspy } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { until } from '../../support/runner/until.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand, request, type TeamDevice } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

describe.skipIf(lacksPostgres)('what a server refuses', () => {
  let team: TeamWorld
  let ann: TeamDevice
  let log = 0

  beforeAll(async () => {
    team = await startTeam()
    ann = await joinByHand(team.url, await team.invite('ann'))
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  const send = (batch: unknown) => ann.call('/team/v1/batches', batch)
  /** A batch of a separate log, which begins at 0. */
  const fresh = (events: readonly Record<string, unknown>[], fields = {}) =>
    batchOf(ann, events, { log: `log ${(log += 1)}`, ...fields })
  const stored = async () => Number(await team.sql('SELECT count(*) FROM events'))

  const event = (fields = {}) => fullEvent(ann, fields)
  /** JSON of so many levels that no function of the test's own could write it. */
  const deep = () =>
    JSON.stringify(fresh([event({ payload: { a: 'DEEP' } })])).replace(
      '"DEEP"',
      `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
    )
  const malformed: readonly (readonly [string, () => unknown, number])[] = [
    ['no JSON', () => '{"target_id": ', 400],
    ['a list', () => [], 400],
    ['null', () => 'null', 400],
    ['a field too many', () => fresh([], { more: 1 }), 400],
    ['a field missing', () => ({ ...fresh([]), log: undefined }), 400],
    ['a path in metadata', () => fresh([{ ...event(), level: 'metadata' }]), 400],
    ['an unknown kind', () => fresh([event({ kind: 'telemetry' })]), 400],
    ['a time that is not one', () => fresh([event({ ts: '2026-13-40T99:00:00.000Z' })]), 400],
    ['a time of another form', () => fresh([event({ ts: 'infinity' })]), 400],
    ['an id with SQL', () => fresh([event({ uuid: "'; DROP TABLE events; --" })]), 400],
    ['a negative turn', () => fresh([event({ turn_id: -1 })]), 400],
    ['a turn beyond an integer', () => fresh([event({ turn_id: 2 ** 31 })]), 400],
    ['a negative cost', () => fresh([event({ usage: { cost_usd: -1 } })]), 400],
    ['no keys', () => fresh([event({ keys: [] })]), 400],
    ['a payload that is a list', () => fresh([event({ payload: [] })]), 400],
    ['a payload of 5,000 levels', deep, 400],
    ['2,001 events', () => fresh(Array.from({ length: 2001 }, (_, seq) => event({ seq }))), 400],
    ['more than 32 MB', () => fresh([event({ text: 'x'.repeat(33 * 1024 * 1024) })]), 413],
    ['an end before its beginning', () => fresh([], { after: 5, up_to: 5 }), 400],
    ['a gap', () => fresh([event()], { after: 10, up_to: 20 }), 409],
    ['another store', () => fresh([event()], { target_id: '11111111-0000-4000-8000-000000000009' }), 409],
  ]
  test.each(malformed)('%s', async (_, body, status) => {
    const before = await stored()
    const answer = await send(body())
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } })
    expect(JSON.stringify(answer.body).length).toBeLessThan(1000)
    expect(await stored()).toBe(before)
  })

  test('a batch that fails at its last event stores nothing', async () => {
    const before = await stored()
    const good = Array.from({ length: 20 }, (_, seq) => event({ seq }))
    expect((await send(fresh([...good, event({ contents: ['a'.repeat(64)] })]))).status).toBe(400)
    expect(await stored()).toBe(before)
    expect(await team.sql(`SELECT count(*) FROM device_positions WHERE log = 'log ${log}'`)).toBe('0')
  })

  test('characters that PostgreSQL cannot store are replaced, also in names', async () => {
    const text = 'before \0 after \ud800 end'
    const uuid = '33333333-0000-4000-8000-000000000001'
    const odd = event({
      uuid,
      session_id: 's\0x',
      text,
      payload: { text, [`k\0`]: '\0' },
      project: 'p\0',
      error_message: '\0',
    })
    const batch = fresh([odd], { log: 'l\0' })
    expect(await send(batch)).toMatchObject({ status: 200, body: { stored: 1 } })
    expect(await team.sql(`SELECT content FROM texts WHERE uuid = '${uuid}'`)).toBe('before \uFFFD after \uFFFD end')
    expect(await send(batch)).toMatchObject({ status: 200, body: { stored: 0 } })
  })

  test('repeated and overlapping batches store each event once; a lost position starts over', async () => {
    const events = [1, 2, 3].map((seq) => event({ seq, session_id: 'repeated', position: seq }))
    const batch = fresh(events)
    const count = () => team.sql("SELECT count(*) FROM events WHERE session_id = 'repeated'")
    expect((await send(batch)).body).toEqual({ position: 4, epoch: 0, stored: 3 })
    expect((await send(batch)).body).toEqual({ position: 4, epoch: 0, stored: 0 })
    const more = event({ seq: 9, session_id: 'repeated', position: 5 })
    expect(
      (await send({ ...batch, ...batchOf(ann, [...events, more]), log: batch['log'], after: 2, up_to: 5 })).status,
    ).toBe(200)
    expect(await count()).toBe('4')
    expect((await send({ ...batch, after: 7, up_to: 8 })).status).toBe(409)
    expect((await send({ ...batch, epoch: 1 })).body).toEqual({ position: 4, epoch: 1, stored: 3 })
    expect((await send({ ...batch, epoch: 0 })).status).toBe(409)
    expect(await count()).toBe('4')
    const twice = event({ session_id: 'twice' })
    expect((await send(fresh([twice, twice]))).status).toBe(200)
    expect(await team.sql("SELECT count(*) FROM events WHERE session_id = 'twice'")).toBe('1')
  })

  test('ten equal batches at once store their events once', async () => {
    const batch = fresh([1, 2, 3].map((seq) => event({ seq, session_id: 'at-once' })))
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(batch)))
    for (const { status } of answers) expect([200, 503]).toContain(status)
    expect(await team.sql("SELECT count(*) FROM events WHERE session_id = 'at-once'")).toBe('3')
  })

  test('events of a session that arrive in the wrong order are read in the right one', async () => {
    const at = (seq: number) => ({ seq, session_id: 'reordered', ts: `2026-11-20T10:00:0${seq}.000Z` })
    for (const seq of [5, 1, 4, 2, 3]) expect((await send(fresh([event(at(seq))]))).status).toBe(200)
    const { body } = await ann.call('/api/sessions/reordered/events?order=oldest')
    expect((body as { items: { seq: number }[] }).items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(await team.sql("SELECT started_at < last_event_at FROM sessions WHERE session_id = 'reordered'")).toBe('t')
  })

  heavily(test)('a server that has no room refuses with a time to try again, and counts it', async () => {
    const adam = await joinByHand(team.url, await team.invite('adam', 'admin'))
    const session = await adam.session()
    // Reads hold their connections while the table is locked.
    const lock = team.postgres.psql(
      'team',
      'BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(4); COMMIT',
    )
    await until(
      'the table is locked',
      async () =>
        (await team.sql(
          "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'sessions'::regclass AND granted",
        )) === '1',
    )
    const answers = await Promise.all(
      Array.from({ length: 60 }, () =>
        fetch(`${team.url}/api/lifestats/sessions`, { headers: { authorization: `Bearer ${session}` } }),
      ),
    )
    await lock
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    for (const { status, headers } of answers) expect(headers.get('retry-after')).toBe(status === 503 ? '2' : null)
    const refused = statuses.filter((status) => status === 503).length
    const { body } = await adam.call('/metrics')
    expect(body).toContain(`aspy_team_reads_shed_total ${refused}\n`)
    expect(body).toMatch(/aspy_team_reads_running 0\n/)
    expect(body).toMatch(/aspy_team_batch_seconds_total [\d.]+\n/)
    expect((await adam.call('/api/lifestats/sessions')).status).toBe(200)
  })

  test('an event of a clock a year off goes to the default partition, with the time when it came', async () => {
    const year = 365 * 86_400_000
    const times = [new Date(Date.now() + year), new Date('1970-01-01'), new Date(Date.now() - year)].map((at) =>
      at.toISOString(),
    )
    const events = times.map((ts, seq) => event({ ts, seq, session_id: 'clock' }))
    expect((await send(fresh(events))).body).toMatchObject({ stored: 3 })
    const rows = await team.sql(`SELECT seq, tableoid::regclass = 'events_other'::regclass,
      received_at BETWEEN now() - interval '10 minutes' AND now() FROM events WHERE session_id = 'clock' ORDER BY seq`)
    expect(rows.split('\n')).toEqual(['0|t|t', '1|t|t', '2|f|t'])
    expect((await send({ ...fresh(events), log: `log ${log}`, epoch: 1 })).body).toMatchObject({ stored: 3 })
    expect(await team.sql("SELECT count(*) FROM events WHERE session_id = 'clock'")).toBe('3')
    expect(await request(`${team.url}/healthz`, null)).toMatchObject({ status: 200, body: { misplaced_events: 2 } })
  })

  test('the same fact of two laptops of a member is one event; of another member, another one', async () => {
    const second = await joinByHand(team.url, await team.invite('ann'))
    const bob = await joinByHand(team.url, await team.invite('bob'))
    const key = ann.ids.id('key', 'line:one')
    const usage = (cost_usd: number, basis: string) => ({
      model: 'm',
      basis,
      input_tokens: 1,
      output_tokens: 1,
      thinking_tokens: null,
      cache_read_tokens: 0,
      cache_creation_tokens: 0,
      cache_creation_1h_tokens: 0,
      cost_usd,
    })
    const of = (device: TeamDevice, cost: number, basis: string, source: string) => {
      const one = fullEvent(device, {
        session_id: 'both',
        kind: 'api_usage',
        source,
        usage: usage(cost, basis),
        payload: {},
        text: null,
      })
      return { ...one, keys: [...(one['keys'] as string[]), key] }
    }
    const cost = () =>
      team.sql("SELECT count(*), sum(cost_usd) FROM events WHERE session_id = 'both' AND member_id = 1")
    await second.call('/team/v1/batches', batchOf(second, [of(second, 1, 'lower_bound', 'transcript')]))
    expect(await cost()).toBe('1|1')
    await send(fresh([of(ann, 2, 'measured', 'wire')]))
    expect(await cost()).toBe('1|2')
    const worse = batchOf(second, [of(second, 1, 'lower_bound', 'transcript')], { log: 'again' })
    expect((await second.call('/team/v1/batches', worse)).body).toMatchObject({ stored: 0 })
    expect(await cost()).toBe('1|2')
    await bob.call('/team/v1/batches', batchOf(bob, [of(bob, 4, 'measured', 'wire')]))
    expect(await cost()).toBe('1|2')
    // The other member's session has its key as its id.
    const all = "SELECT count(*) FROM events WHERE session_id = 'both' OR (kind = 'api_usage' AND cost_usd = 4)"
    expect(await team.sql(all)).toBe('2')
  })
})

describe.skipIf(lacksPostgres)('a database that is not as it should be', () => {
  let team: TeamWorld
  beforeAll(async () => {
    team = await startTeam()
  })
  afterAll(() => team?.[Symbol.asyncDispose]())
  const serve = (url: string) => aspy(['team', 'serve', '--database', url, '--listen', '127.0.0.1:0', '--json'])

  test('each fault says what to do', async () => {
    const { postgres } = team
    const empty = await postgres.createDatabase('empty')
    expect((await serve(empty)).stderr).toMatch(/no team store; create it with \S*aspy team init/)
    expect((await aspyHere(['team', 'upgrade', '--database', empty])).stderr).toMatch(
      /create it with \S*aspy team init/,
    )
    expect((await aspyHere(['team', 'invite', 'x', '--database', empty])).stderr).toMatch(/\S*aspy team init/)
    expect((await serve(postgres.url('missing'))).stderr).toMatch(/does not exist; create it with createdb/)
    expect((await serve('postgres://nobody@127.0.0.1:1/team')).stderr).toMatch(/does not answer/)
    expect((await serve('mysql://127.0.0.1/team')).stderr).toMatch(/postgres:\/\//)
    expect((await aspy(['team', 'serve'])).stderr).toMatch(/--database/)
    await team.sql('CREATE ROLE weak LOGIN')
    expect((await serve(postgres.url('team', 'weak'))).stderr).toMatch(
      /lacks rights; run \S*aspy team init --server-role/,
    )
    expect((await aspyHere(['team', 'init', '--database', postgres.url('empty', 'weak')])).stderr).toMatch(
      /lacks rights/,
    )
    expect(await postgres.psql('empty', "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")).toBe('0')
    const version = await team.sql('SELECT schema_version FROM team')
    await team.sql('UPDATE team SET schema_version = 999')
    expect((await serve(team.database)).stderr).toMatch(/update Aspy/)
    expect((await aspyHere(['team', 'init', '--database', team.database])).stderr).toMatch(/update Aspy/)
    await team.sql('UPDATE team SET schema_version = 4')
    for (const refused of [
      await serve(team.database),
      await aspyHere(['team', 'init', '--database', team.database]),
      await aspyHere(['team', 'upgrade', '--database', team.database]),
      await aspyHere(['team', 'invite', 'x', '--database', team.database]),
    ])
      expect(refused.stderr).toMatch(
        /version 4, this Aspy opens 100.*not changed.*init on an empty.*send everything again/,
      )
    expect(await team.sql('SELECT schema_version FROM team')).toBe('4')
    await team.sql(`UPDATE team SET schema_version = ${version}`)
    const path = "SELECT proconfig FROM pg_proc WHERE proname = 'aspy_sees_all'"
    expect(await team.sql(path)).toBe('{"search_path=public, pg_temp"}')
  })

  test('a dry run changes nothing', async () => {
    const dry = await team.postgres.createDatabase('dry')
    const { stdout, code } = await aspyHere(['team', 'init', '--database', dry, '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toContain('CREATE TABLE events')
    expect(
      await team.postgres.psql('dry', "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
    ).toBe('0')
  })

  test('a server whose role owns nothing serves, and cannot change tables', async () => {
    await team.sql('CREATE ROLE server LOGIN')
    await team.admin('init', '--server-role', 'server')
    const url = team.postgres.url('team', 'server')
    const running = startAspy(['team', 'serve', '--database', url, '--listen', '127.0.0.1:0', '--json'])
    const address = (JSON.parse(await running.firstLine) as { url: string }).url
    const device = await joinByHand(address, await team.invite('server-user'))
    expect((await device.call('/team/v1/batches', batchOf(device, [fullEvent(device)]))).body).toMatchObject({
      stored: 1,
    })
    expect((await device.call('/api/recall.search', { query: 'prompt' })).body).toMatchObject({ total: 1 })
    running.child.kill('SIGTERM')
    expect((await running.finished).code).toBe(0)
    await expect(team.sql('DROP TABLE events', 'server')).rejects.toThrow(/must be owner/)
    await expect(team.sql('UPDATE team SET schema_version = 1', 'server')).rejects.toThrow(/permission denied/)
    expect(await team.sql('SELECT aspy_add_months(26)', 'server')).toBe('4')
  })

  test('a disk that is full is named, and what was sent comes again', async () => {
    const device = await joinByHand(team.url, await team.invite('full'))
    // A trigger fails as a write to a full disk does.
    await team.sql(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
    await team.sql('CREATE TRIGGER full_disk BEFORE INSERT ON device_positions EXECUTE FUNCTION full_disk()')
    const batch = batchOf(device, [fullEvent(device, { session_id: 'on-full-disk' })])
    expect(await device.call('/team/v1/batches', batch)).toMatchObject({
      status: 503,
      body: { error: { message: expect.stringContaining('full') } },
    })
    expect(await team.sql("SELECT count(*) FROM events WHERE session_id = 'on-full-disk'")).toBe('0')
    await team.sql('DROP TRIGGER full_disk ON device_positions')
    expect((await device.call('/team/v1/batches', batch)).status).toBe(200)
  })

  test('a certificate that expired or is unknown is named on the laptop', async () => {
    using folder = makeTempFolder()
    const [key, cert, old] = ['key.pem', 'cert.pem', 'old.pem'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ]
    const make = (out: string, ...more: string[]) =>
      execFileSync(
        'openssl',
        ['x509', '-req', '-in', join(folder.path, 'csr'), '-signkey', key, '-out', out, ...more],
        { stdio: 'ignore' },
      )
    execFileSync(
      'openssl',
      [
        'req',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        join(folder.path, 'csr'),
        '-subj',
        '/CN=localhost',
      ],
      { stdio: 'ignore' },
    )
    make(cert, '-days', '2')
    make(old, '-days', '-1')
    for (const [file, message] of [
      [old, /expired certificate/],
      [cert, /NODE_EXTRA_CA_CERTS/],
    ] as const) {
      const flags = ['--cert', file, '--key', key, '--listen', '127.0.0.1:0', '--json']
      const running = startAspy(['team', 'serve', '--database', team.database, ...flags])
      const { url } = JSON.parse(await running.firstLine) as { url: string }
      expect(url).toMatch(/^https:/)
      const env: Record<string, string> = file === old ? { NODE_EXTRA_CA_CERTS: old } : {}
      // Node reads NODE_EXTRA_CA_CERTS only when it starts.
      const joined = await aspy(['team', 'join', url, 'code', '--data', join(folder.path, 'data')], env)
      expect(joined.code).toBe(1)
      expect(joined.stderr).toMatch(message)
      running.child.kill('SIGTERM')
      await running.finished
    }
  })

  test('other machines are reached with TLS only', async () => {
    expect((await aspy(['team', 'serve', '--database', team.database, '--listen', '0.0.0.0:0'])).stderr).toMatch(
      /--cert/,
    )
    using folder = makeTempFolder()
    const joined = await aspyHere(['team', 'join', 'http://team.example.org', 'code', '--data', folder.path])
    expect(joined.stderr).toMatch(/https:\/\//)
  })
})
