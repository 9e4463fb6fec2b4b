import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand, request, type TeamDevice } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

const PRIVATE = '11111111-0000-4000-8000-000000000001'
const SHARED = '11111111-0000-4000-8000-000000000002'
const LONG = `${'long words of ann '.repeat(100)}`

describe.skipIf(lacksPostgres)('what policy and role forbid', () => {
  let team: TeamWorld
  const devices: Record<string, TeamDevice> = {}
  const of = (name: string): TeamDevice => devices[name] ?? (undefined as never)

  beforeAll(async () => {
    team = await startTeam()
    for (const [name, role] of [
      ['ann', 'member'],
      ['bob', 'member'],
      ['rita', 'reader'],
      ['adam', 'admin'],
      ['eve', 'member'],
    ] as const)
      devices[name] = await joinByHand(team.url, await team.invite(name, role))
    const ann = of('ann')
    const hash = ann.ids.contentHash(LONG)
    const events = [
      fullEvent(ann, {
        uuid: PRIVATE,
        session_id: 'of-ann',
        text: 'secret word zebra',
        payload: { text: 'secret word zebra' },
      }),
      fullEvent(ann, { uuid: SHARED, session_id: 'shared-by-ann', shared: true, text: 'open word giraffe' }),
      fullEvent(ann, {
        session_id: 'of-ann',
        seq: 1,
        kind: 'tool_result',
        payload: { output: { $content: hash } },
        contents: [hash],
        text: null,
      }),
      usageEvent(ann, 'of-ann', 3),
      usageEvent(ann, 'shared-by-ann', 5, true),
      ...[false, true].map((shared) =>
        fullEvent(ann, {
          session_id: shared ? 'shared-by-ann' : 'of-ann',
          shared,
          kind: 'rate_limit',
          seq: 3,
          ts: new Date().toISOString(),
          is_prompt: false,
          text: null,
          payload: {},
          limits: [{ window: '5h', used: 0.5, resets_at: null }],
        }),
      ),
    ]
    const sent = await ann.call('/team/v1/batches', batchOf(ann, events, { contents: [{ hash, content: LONG }] }))
    expect(sent).toMatchObject({ status: 200, body: { stored: 7 } })
    for (const role of ['sql_all', 'sql_bob', 'sql_nobody']) await team.sql(`CREATE ROLE ${role} LOGIN`)
    await team.admin('sql-reader', 'sql_all')
    await team.admin('sql-reader', 'sql_bob', '--member', 'bob')
    await team.sql(
      'GRANT SELECT ON events, texts, sessions, usage_daily, contents, event_contents, session_events TO sql_nobody',
    )
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  function usageEvent(device: TeamDevice, session: string, cost: number, shared = false) {
    const usage = {
      model: 'claude-opus-5-5',
      basis: 'measured',
      input_tokens: 1,
      output_tokens: 1,
      thinking_tokens: null,
      cache_read_tokens: 0,
      cache_creation_tokens: 0,
      cache_creation_1h_tokens: 0,
      cost_usd: cost,
    }
    return fullEvent(device, {
      session_id: session,
      kind: 'api_usage',
      usage,
      cache: {
        sent_at: '2026-11-20T10:00:00.000Z',
        exchange: null,
        could_read: 30,
        missed_tokens: 10,
        waste_usd: cost,
        cause: 'ttl_expired',
        vendor_agrees: true,
      },
      payload: {},
      text: null,
      is_prompt: false,
      shared,
      seq: 2,
    })
  }

  test('nobody gets in without a session of a device that is valid', async () => {
    const eve = await joinByHand(team.url, await team.invite('zoe'))
    const old = await eve.session()
    expect((await request(`${team.url}/api/sessions.list`, old, {})).status).toBe(200)
    await team.admin('revoke', eve.deviceId)
    const [id = '', expires = ''] = old.split('.')
    const forged = [
      null,
      '',
      'nonsense',
      eve.token,
      of('ann').token,
      old,
      `${id}.${expires}.${'A'.repeat(43)}`,
      `${of('ann').deviceId}.${expires}.${old.split('.')[2]}`,
      `${id}.9999999999999.${old.split('.')[2]}`,
    ]
    for (const token of forged)
      for (const [path, body] of [
        ['/api/sessions.list', {}],
        ['/api/lifestats/sessions', undefined],
        ['/team/v1/target', undefined],
        ['/team/v1/batches', batchOf(eve, [])],
        ['/team/v1/withdraw', { sessions: null }],
        ['/team/v1/leave', {}],
        ['/metrics', undefined],
      ] as const)
        expect((await request(team.url + path, token, body)).status, `${path} with ${token}`).toBe(401)
    for (const token of [null, 'nonsense', eve.token, await of('ann').session()])
      expect((await request(`${team.url}/team/v1/sessions`, token, {})).status).toBe(401)
  })

  test('a member who is revoked has no device, no session and no code left', async () => {
    const devices = [
      await joinByHand(team.url, await team.invite('fay')),
      await joinByHand(team.url, await team.invite('fay')),
    ]
    const sessions = await Promise.all(devices.map((device) => device.session()))
    const code = await team.invite('fay')
    await team.admin('revoke', 'fay')
    for (const session of sessions)
      for (const path of ['/api/sessions.list', '/team/v1/withdraw', '/team/v1/leave'])
        expect((await request(team.url + path, session, {})).status, path).toBe(401)
    for (const { token } of devices) expect((await request(`${team.url}/team/v1/sessions`, token, {})).status).toBe(401)
    expect((await request(`${team.url}/team/v1/join`, null, { code, device_name: 'x' })).status).toBe(401)
  })

  test('who left asks nothing with a session of before', async () => {
    const gone = await joinByHand(team.url, await team.invite('gus'))
    const old = await gone.session()
    expect((await request(`${team.url}/team/v1/leave`, old, {})).status).toBe(204)
    for (const path of [...OPERATIONS.map(({ name }) => `/api/${name}`), '/team/v1/unshare', '/team/v1/withdraw'])
      expect((await request(team.url + path, old, {})).status, path).toBe(401)
  })

  test('a device of another team is unknown', async () => {
    await using other = await startTeam()
    const stranger = await joinByHand(other.url, await other.invite('ann', 'admin'))
    const session = await stranger.session()
    const posts = ['batches', 'withdraw', 'unshare', 'leave'].map((name) => `/team/v1/${name}`)
    for (const path of [...OPERATIONS.map(({ name }) => `/api/${name}`), ...posts])
      expect((await request(team.url + path, session, {})).status, path).toBe(401)
    expect((await request(`${team.url}/team/v1/sessions`, stranger.token, {})).status).toBe(401)
  })

  test('a code works once, and only as it was written', async () => {
    const code = await team.invite('ann')
    expect(await request(`${team.url}/team/v1/join`, null, { code: `${code}x`, device_name: 'x' })).toMatchObject({
      status: 401,
    })
    expect((await request(`${team.url}/team/v1/join`, null, { code, device_name: 'x' })).status).toBe(200)
    expect((await request(`${team.url}/team/v1/join`, null, { code, device_name: 'x' })).status).toBe(401)
    const late = await team.invite('ann')
    await team.sql("UPDATE invitations SET expires_at = now() - interval '1 second' WHERE used_at IS NULL")
    expect((await request(`${team.url}/team/v1/join`, null, { code: late, device_name: 'x' })).status).toBe(401)
    expect((await request(`${team.url}/team/v1/join`, null, { code: { $ne: '' }, device_name: 'x' })).status).toBe(400)
  })

  const asBob: readonly (readonly [string, string, unknown, number])[] = [
    ['a session of another', '/api/sessions/of-ann', undefined, 404],
    ['its history', '/api/sessions/of-ann/history', undefined, 404],
    ['its events', '/api/sessions/of-ann/events', undefined, 404],
    ['its timeline', '/api/sessions/of-ann/timeline', undefined, 404],
    ['its newest events', '/api/events.recent', { session_id: 'of-ann' }, 404],
    ['an event of another', `/api/events/${PRIVATE}`, undefined, 404],
    ['its chain', `/api/events/${PRIVATE}/chain`, undefined, 404],
    ['its trace', '/api/events.trace', { uuid: PRIVATE }, 404],
    ['metrics', '/metrics', undefined, 403],
    ['a deletion', '/api/sessions.delete', { session_id: 'of-ann' }, 403],
    ['a deletion of what is shared', '/api/sessions.delete', { session_id: 'shared-by-ann' }, 403],
    ['an event for another session', '/api/events', { session_id: 'of-ann', kind: 'user_prompt', payload: {} }, 403],
    ['a setting', '/api/config.set', { key: 'team.url', value: '' }, 403],
    ['a restore', '/api/store.import', {}, 403],
    ['what a team does not have', '/api/carry.list', {}, 501],
    ['an operation that does not exist', '/api/members.list', {}, 404],
    ['an address that does not exist', '/api/x/y', undefined, 404],
  ]
  test.each(asBob)('another member asks for %s', async (_, path, body, status) => {
    expect((await of('bob').call(path, body)).status).toBe(status)
  })

  test('lists, searches and sums of another member hold only what is shared', async () => {
    const bob = of('bob')
    const texts = [
      await bob.call('/api/sessions.list', { limit: 100 }),
      await bob.call('/api/sessions.list', { query: 'of-ann' }),
      await bob.call('/api/sessions.list', { user_id: 'ann' }),
      await bob.call('/api/recall.search', { query: 'zebra' }),
      await bob.call('/api/recall.search', { query: 'word', session_id: 'of-ann' }),
      await bob.call('/api/events.recent', {}),
      await bob.call('/api/tools.list', { session_id: 'of-ann' }),
      await bob.call('/api/costs.breakdown', {}),
    ].map(({ status, body }) => `${status} ${JSON.stringify(body)}`)
    for (const text of texts) {
      expect(text.startsWith('200')).toBe(true)
      expect(text).not.toMatch(/zebra|of-ann"|11111111-0000-4000-8000-000000000001/)
    }
    expect(texts[0]).toContain('shared-by-ann')
    expect((await bob.call('/api/recall.search', { query: 'giraffe' })).body).toMatchObject({ total: 1 })
    expect((await bob.call('/api/stats.summary', {})).body).toMatchObject({ total_cost_usd: 5 })
    expect((await bob.call('/api/events.count', {})).body).toEqual({ count: 3 })
    expect((await of('rita').call('/api/stats.summary', {})).body).toMatchObject({ total_cost_usd: 8 })
    expect((await of('ann').call('/api/stats.summary', {})).body).toMatchObject({ total_cost_usd: 8 })
  })

  test('cache misses are those of shared sessions, and limits those of the own account', async () => {
    for (const [name, waste, windows] of [
      ['bob', 5, 0],
      ['ann', 8, 1],
      ['rita', 8, 1],
    ] as const) {
      expect((await of(name).call('/api/cache.summary', {})).body, name).toMatchObject({
        waste_usd: waste,
        could_read: waste === 5 ? 30 : 60,
        by_cause: [{ cause: 'ttl_expired', waste_usd: waste, missed_tokens: waste === 5 ? 10 : 20 }],
        vendor: { compared: waste === 5 ? 1 : 2 },
      })
      expect((await of(name).call('/api/cache.list', {})).body, name).toMatchObject({
        items: { length: waste === 5 ? 1 : 2 },
      })
      for (const path of ['/api/limits.now', '/api/limits.latest'])
        expect((await of(name).call(path, {})).body, name).toMatchObject({
          windows: { length: path === '/api/limits.latest' && name === 'rita' ? 0 : windows },
        })
      expect((await of(name).call('/api/limits.series', {})).body).toMatchObject({ items: { length: windows } })
    }
  })

  test('reads of texts of others are written down, own reads are not', async () => {
    await team.sql('DELETE FROM read_audit')
    await of('ann').call('/api/sessions/of-ann/history')
    expect(await team.sql('SELECT count(*) FROM read_audit')).toBe('0')
    await of('rita').call('/api/sessions/of-ann/history')
    const row = await team.sql(`SELECT m.name, o.name, a.operation, a.session_id, a.texts FROM read_audit a
      JOIN members m ON m.id = a.reader_id JOIN members o ON o.id = a.owner_id`)
    expect(row).toBe('rita|ann|sessions.history|of-ann|1')
  })

  test('a reader sends nothing', async () => {
    const rita = of('rita')
    expect((await rita.call('/team/v1/batches', batchOf(rita, [fullEvent(rita)]))).status).toBe(403)
  })

  test('nobody takes the place of the events of another', async () => {
    const bob = of('bob')
    const fake = fullEvent(bob, { uuid: PRIVATE, session_id: 'of-ann', text: 'forged', payload: { text: 'forged' } })
    expect((await bob.call('/team/v1/batches', batchOf(bob, [fake]))).status).toBe(200)
    expect((await of('ann').call(`/api/events/${PRIVATE}`)).body).toMatchObject({
      payload: { text: 'secret word zebra' },
    })
    expect(await team.sql(`SELECT payload ->> 'text' FROM get_parent_chain('${PRIVATE}')`)).toBe('secret word zebra')
    expect(await team.sql("SELECT count(*) FROM get_recent_events('of-ann')")).toBe('4')
    expect((await of('rita').call('/api/sessions/of-ann/history')).body).not.toMatchObject({
      items: [{ content: 'forged' }],
    })
    const key = [of('ann').ids.id('event', PRIVATE)]
    const removal = batchOf(bob, [], {
      after: 2,
      up_to: 3,
      removed: key,
      tombstones: [bob.ids.id('session', 'of-ann')],
    })
    expect((await bob.call('/team/v1/batches', removal)).status).toBe(200)
    expect((await bob.call('/team/v1/withdraw', { sessions: [bob.ids.id('session', 'shared-by-ann')] })).body).toEqual({
      events: 0,
    })
    expect((await of('ann').call(`/api/events/${PRIVATE}`)).status).toBe(200)
    expect((await of('ann').call(`/api/events/${SHARED}`)).status).toBe(200)
  })

  test('nobody reads a content by naming its hash', async () => {
    const bob = of('bob')
    const hash = bob.ids.contentHash(LONG)
    const guess = fullEvent(bob, { payload: { output: { $content: hash } }, contents: [hash] })
    expect(await bob.call('/team/v1/batches', batchOf(bob, [guess], { log: 'other' }))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('did not send') } },
    })
    // Named in the payload alone, it stays a reference.
    const uuid = '22222222-0000-4000-8000-000000000001'
    const unlisted = fullEvent(bob, { uuid, session_id: 'of-bob', payload: { output: { $content: hash } } })
    expect((await bob.call('/team/v1/batches', batchOf(bob, [unlisted], { log: 'other' }))).status).toBe(200)
    expect(JSON.stringify((await bob.call(`/api/events/${uuid}`)).body)).not.toContain('long words of ann')
    const forged = batchOf(bob, [], { log: 'third', contents: [{ hash, content: 'another text' }] })
    expect((await bob.call('/team/v1/batches', forged)).status).toBe(400)
  })

  test.each([
    ['sql_all', ['of-ann', 'of-bob', 'shared-by-ann']],
    ['sql_bob', ['of-bob', 'shared-by-ann']],
    ['sql_nobody', []],
  ] as const)('the database role %s reads its rows and no others', async (role, sessions) => {
    for (const table of ['events', 'sessions', 'session_events'] as const) {
      const column = table === 'session_events' ? 'instance_id' : 'session_id'
      const rows = await team.sql(`SELECT DISTINCT ${column} FROM ${table} ORDER BY 1`, role)
      expect(rows.split('\n').filter(Boolean), table).toEqual(sessions)
    }
    const sees = sessions.length === 3
    expect(
      await team.sql(
        `SELECT count(*) FROM get_parent_chain('${PRIVATE}') WHERE payload ->> 'text' LIKE '%zebra%'`,
        role,
      ),
    ).toBe(sees ? '1' : '0')
    expect(await team.sql("SELECT count(*) FROM contents WHERE content LIKE '%of ann%'", role)).toBe(sees ? '1' : '0')
    expect(await team.sql("SELECT count(*) FROM texts WHERE content LIKE '%zebra%'", role)).toBe(sees ? '1' : '0')
    for (const table of ['team', 'members', 'devices', 'invitations', 'event_keys', 'read_audit', 'sql_readers'])
      await expect(team.sql(`SELECT count(*) FROM ${table}`, role), table).rejects.toThrow(/permission denied/)
    for (const sql of [
      'DELETE FROM events',
      "UPDATE sessions SET title = 'x'",
      'SELECT aspy_add_months(24)',
      "SELECT aspy_drop_months('2030-01-01')",
      'TRUNCATE texts',
      'ALTER TABLE events DISABLE ROW LEVEL SECURITY',
      "INSERT INTO sql_readers VALUES ('sql_nobody', NULL, true)",
    ])
      await expect(team.sql(sql, role), sql).rejects.toThrow(/permission denied|must be owner/)
    // Partitions have no policy of their own, and no grant either.
    await expect(team.sql('SELECT count(*) FROM events_2026_11', role)).rejects.toThrow(/permission denied/)
  })

  test('no operation shows what is not shared, also to a member who claims the session', async () => {
    const eve = await joinByHand(team.url, await team.invite('zoe'))
    const claim = fullEvent(eve, { session_id: 'of-ann', text: 'claim', payload: { text: 'claim' } })
    await eve.call('/team/v1/batches', batchOf(eve, [claim], { log: 'claim' }))
    const known: { readonly [field: string]: unknown } = {
      session_id: 'of-ann',
      session: 'of-ann',
      sessions: ['of-ann'],
      session_ids: ['of-ann'],
      ids: ['of-ann'],
      id: 'of-ann',
      uuid: PRIVATE,
      event_uuid: PRIVATE,
      event_id: PRIVATE,
      at: PRIVATE,
      query: 'zebra',
      text: 'zebra',
      user_id: 'ann',
      path: '/work/app/src/a.ts',
      hash: of('ann').ids.contentHash(LONG),
      name: 'of-ann',
      include: ['texts'],
    }
    const answered: string[] = []
    for (const { name: operation, input } of OPERATIONS) {
      const fields = Object.keys((input as { shape?: object }).shape ?? {}).filter((field) => field in known)
      for (const only of [fields, ...fields.map((field) => [field])]) {
        const body = Object.fromEntries(only.map((field) => [field, known[field]]))
        const answer = await eve.call(`/api/${operation}`, body)
        if (answer.status === 200) answered.push(operation)
        expect(JSON.stringify(answer.body), `${operation} ${only.join()}`).not.toMatch(
          /secret word zebra|long words of ann|title of of-ann/,
        )
      }
    }
    expect(new Set(answered).size).toBeGreaterThan(20)
  })
})
