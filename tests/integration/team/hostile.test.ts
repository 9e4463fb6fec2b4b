import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand, request, type TeamDevice } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

const SECRET = 'secret word zebra'
const UUID = '44444444-0000-4000-8000-000000000001'

describe.skipIf(lacksPostgres)('requests of an attacker', () => {
  let team: TeamWorld
  let ann: TeamDevice
  let eve: TeamDevice
  let session: string
  let log = 0

  beforeAll(async () => {
    team = await startTeam()
    ann = await joinByHand(team.url, await team.invite('ann'))
    eve = await joinByHand(team.url, await team.invite('eve', 'admin'))
    session = await eve.session()
    const event = fullEvent(ann, { uuid: UUID, session_id: 'of-ann', text: SECRET, payload: { text: SECRET } })
    expect((await ann.call('/team/v1/batches', batchOf(ann, [event]))).status).toBe(200)
    await team.sql('CREATE ROLE nosy LOGIN')
    await team.admin('sql-reader', 'nosy', '--member', 'eve')
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  const event = (fields = {}) => fullEvent(eve, { session_id: `of-eve ${log}`, ...fields })
  const send = (fields: object, batch = {}) =>
    eve.call('/team/v1/batches', batchOf(eve, [event(fields)], { log: `log ${(log += 1)}`, ...batch }))
  const usage = (fields: object) => ({
    kind: 'api_usage',
    usage: {
      model: 'm',
      basis: 'measured',
      input_tokens: 1,
      output_tokens: 1,
      thinking_tokens: null,
      cache_read_tokens: 0,
      cache_creation_tokens: 0,
      cache_creation_1h_tokens: 0,
      cost_usd: 1,
      ...fields,
    },
  })

  const reads: readonly (readonly [string, string, unknown, number])[] = [
    ['NUL in a search', '/api/recall.search', { query: 'a\0b' }, 400],
    ['NUL in the name of a member', '/api/sessions.list', { user_id: '\0' }, 400],
    ['NUL in a path', '/api/sessions/a%00b', undefined, 400],
    ['NUL in a query', '/api/lifestats/sessions?project=%00', undefined, 400],
    ['a lone surrogate', '/api/prompts.search', { query: '\ud800' }, 200],
    ['a UUID that is none', '/api/events/zebra', undefined, 404],
    ['an age of ten thousand years', '/api/costs.series', { since: '999999w' }, 200],
    ['a time before all calendars', '/api/stats.summary', { since: '999999w', until: '0001-01-01' }, 200],
    ['the last time there is', '/api/limits.series', { since: '9999-12-31', until: '9999-12-31' }, 200],
    ['a cursor with SQL', '/api/sessions.list', { cursor: 'o1; DROP TABLE events' }, 400],
    ['a cursor past all rows', '/api/sessions.list', { cursor: 'o999999' }, 400],
    ['a cursor whose time is none', '/api/sessions.list', { cursor: 'WyJuZXZlciIsIngiLCIxIl0' }, 400],
    ['a cursor whose number is too large', '/api/sessions.list', { cursor: 'WyIyMDI2LTAxLTAxIiwieCIsIjFlOTkiXQ' }, 400],
    ['a prototype as an operation', '/api/__proto__', {}, 404],
    ['a method of objects as an operation', '/api/hasOwnProperty', {}, 404],
    ['a prototype in a body', '/api/sessions.list', '{"__proto__": {"role": "admin"}, "constructor": 1}', 400],
    ['a field twice', '/api/lifestats/sessions?limit=1&limit=2', undefined, 400],
    [
      'ten thousand fields',
      '/api/sessions.list',
      Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`f${n}`, 1])),
      400,
    ],
    ['signs of LIKE', '/api/sessions.list', { query: '%_\\' }, 200],
    ['operators of a search', '/api/recall.search', { query: '((( & | ! <-> :* \' " \\' }, 200],
    ['a broken percent sign', '/api/sessions/%E0%A4%A', undefined, 404],
    ['ids of sessions in a batch', '/team/v1/withdraw', { sessions: Array.from({ length: 2001 }, () => UUID) }, 400],
    ['an id that is none in a batch', '/team/v1/withdraw', { sessions: ['of-ann'] }, 400],
  ]
  test.each(reads)('%s', async (_, path, body, status) => {
    const answer = await eve.call(path, body)
    expect({ status: answer.status, body: JSON.stringify(answer.body).slice(0, 300) }).toMatchObject({ status })
  })

  const times = [
    '0000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-11-20T24:00:01Z',
    '9999-12-31T23:59:59.999999999Z',
  ]
  const figures: readonly (readonly [string, object])[] = [
    ['a cost that overflows sums', usage({ cost_usd: 1e308 })],
    ['tokens that overflow sums', usage({ input_tokens: 2 ** 53 - 1 })],
    ['a duration that overflows sums', { duration_ms: 1.7e308 }],
    ['a negative duration that does', { duration_ms: -1.7e308 }],
    [
      'a waste that does',
      {
        ...usage({}),
        cache: {
          sent_at: '2026-11-20T10:00:00Z',
          exchange: null,
          could_read: 1,
          missed_tokens: 1,
          waste_usd: 1e308,
          cause: 'provider',
          vendor_agrees: null,
        },
      },
    ],
    ['a window of limits with a text', { limits: [{ window: 'secret', used: 0.5, resets_at: null }] }],
    [
      'a cause of its own',
      {
        cache: {
          sent_at: '2026-11-20T10:00:00Z',
          exchange: null,
          could_read: 1,
          missed_tokens: 1,
          waste_usd: 1,
          cause: 'because',
          vendor_agrees: null,
        },
      },
    ],
    ...times.map((ts) => [`the time ${ts}`, { ts }] as const),
  ]
  test.each(figures)('%s is refused', async (_, fields) => {
    // Twice: a sum needs two.
    for (let n = 0; n < 2; n += 1) expect((await send(fields)).status).toBe(400)
    for (const path of ['costs.breakdown', 'stats.summary', 'stats.slowest', 'cache.summary', 'sessions.list'])
      expect((await eve.call(`/api/${path}`, {})).status, path).toBe(200)
  })

  test('an epoch that cannot grow would keep a member from withdrawing', async () => {
    expect((await send({}, { epoch: 2 ** 31 - 1 })).status).toBe(400)
    expect((await send({}, { epoch: 1_000_000 })).status).toBe(200)
    expect((await eve.call('/team/v1/withdraw', { sessions: null })).status).toBe(200)
    expect(
      (await send({ parent_uuid: UUID, root_uuid: UUID, depth: 2 ** 31 - 1, tool_name: '\0', agent_id: '\ud800' }))
        .status,
    ).toBe(200)
  })

  const packed = JSON.stringify({ code: 'x'.repeat(20_000_000), device_name: 'x' })
  const bodies: readonly (readonly [string, string, () => BodyInit, Record<string, string>, number])[] = [
    ['a bomb of gzip', '/team/v1/join', () => new Uint8Array(gzipSync(packed)), { 'content-encoding': 'gzip' }, 400],
    [
      'a bomb of zstd',
      '/team/v1/batches',
      () => new Uint8Array(zstdCompressSync(packed)),
      { 'content-encoding': 'zstd' },
      400,
    ],
    ['a form', '/team/v1/join', () => new URLSearchParams({ code: 'x' }), {}, 400],
    ['a form with files', '/team/v1/batches', () => new FormData(), {}, 400],
    ['bytes that are no UTF-8', '/api/recall.search', () => new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), {}, 400],
    [
      'JSON of a million levels',
      '/api/recall.search',
      () => `{"query": ${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
      {},
      400,
    ],
    ['a body that is too long', '/api/recall.search', () => JSON.stringify({ query: 'x'.repeat(2_000_000) }), {}, 413],
  ]
  test.each(bodies)('%s', async (_, path, body, headers, status) => {
    const answer = await fetch(team.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${session}`, ...headers },
      body: body(),
    })
    expect({ status: answer.status, body: (await answer.text()).slice(0, 300) }).toMatchObject({ status })
  })

  /** Sends bytes as they are: `fetch` would tidy up the path. */
  async function raw(head: string): Promise<string> {
    const socket = connect(Number(new URL(team.url).port), '127.0.0.1')
    socket.write(`${head}\r\nhost: x\r\nconnection: close\r\n\r\n`)
    return text(socket)
  }
  const heads: readonly (readonly [string, string, RegExp])[] = [
    ['a path out of the window', 'GET /../../../../../../etc/passwd HTTP/1.1', /^HTTP\/1.1 (200|4\d\d)/],
    ['one that is encoded', 'GET /%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd HTTP/1.1', /^HTTP\/1.1 (200|4\d\d)/],
    [
      'one with slashes encoded',
      'GET /assets/..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd HTTP/1.1',
      /^HTTP\/1.1 (200|4\d\d)/,
    ],
    ['one with backslashes', 'GET /..\\..\\..\\etc\\passwd HTTP/1.1', /^HTTP\/1.1 (200|4\d\d)/],
    ['one of the root', 'GET //etc/passwd HTTP/1.1', /^HTTP\/1.1 (200|4\d\d)/],
    ['one with NUL', 'GET /index.html%00.png HTTP/1.1', /^HTTP\/1.1 (200|4\d\d)/],
    ['one that is broken', 'GET /%E0%A4%A HTTP/1.1', /^HTTP\/1.1 (200|4\d\d)/],
    ['an address of another host', 'GET http://169.254.169.254/latest/meta-data HTTP/1.1', /^HTTP\/1.1 (200|4\d\d)/],
    ['two lengths', 'POST /team/v1/join HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked', /^HTTP\/1.1 400/],
    ['TRACE', 'TRACE /api/sessions.list HTTP/1.1', /^HTTP\/1.1 4\d\d/],
    [
      'the cookie from another page',
      'POST /api/sessions.list HTTP/1.1\r\nsec-fetch-site: cross-site\r\ncookie: aspy_team=SESSION',
      /^HTTP\/1.1 401/,
    ],
    [
      'a session in the address',
      'GET /api/lifestats/sessions?authorization=Bearer%20SESSION&token=SESSION HTTP/1.1',
      /^HTTP\/1.1 401/,
    ],
    ['a device in a header', 'GET /metrics HTTP/1.1\r\nx-device-id: DEVICE\r\nx-forwarded-user: eve', /^HTTP\/1.1 401/],
  ]
  test.each(heads)('%s', async (_, head, expected) => {
    const answer = await raw(head.replaceAll('SESSION', session).replaceAll('DEVICE', eve.deviceId))
    expect(answer).toMatch(expected)
    expect(answer).not.toMatch(/root:|zebra/)
  })

  test('a code that is used ten times at once makes one device', async () => {
    const code = await team.invite('fay')
    const join = () => request(`${team.url}/team/v1/join`, null, { code, device_name: '\0'.repeat(200) })
    const answers = await Promise.all(Array.from({ length: 10 }, join))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
    expect(
      await team.sql("SELECT count(*) FROM devices d JOIN members m ON m.id = d.member_id WHERE m.name = 'fay'"),
    ).toBe('1')
  })

  const tricks: readonly (readonly [string, string])[] = [
    [
      'a table that hides the list of readers',
      'CREATE TEMP TABLE sql_readers (role_name text, member_id integer, sees_all boolean); GRANT SELECT ON sql_readers TO PUBLIC; INSERT INTO sql_readers VALUES (current_user, NULL, true); SELECT content FROM texts',
    ],
    [
      'a view of the same name',
      'CREATE TEMP VIEW sql_readers AS SELECT current_user::text AS role_name, 1 AS member_id, true AS sees_all; GRANT SELECT ON sql_readers TO PUBLIC; SELECT content FROM texts',
    ],
    [
      'a function that tells what it is given',
      "CREATE FUNCTION pg_temp.tell(given text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE EXCEPTION 'told %', given; END $$; SELECT count(*) FROM texts WHERE pg_temp.tell(content)",
    ],
    ['a cast that quotes what it cannot read', 'SELECT count(*) FROM texts WHERE content::integer = 1'],
    ['an index of words', "SELECT content FROM texts WHERE words @@ to_tsquery('zebra')"],
    [
      'statistics of columns',
      "SELECT most_common_vals FROM pg_stats WHERE tablename ~ '^(events|texts|contents|sessions)'",
    ],
    ['the activity of others', "SELECT query FROM pg_stat_activity WHERE usename <> 'nosy'"],
    ['the functions of the lineage', `SELECT payload FROM get_parent_chain('${UUID}')`],
    ['a copy', 'COPY (SELECT content FROM texts) TO STDOUT'],
  ]
  test.each(tricks)('a reader by SQL tries %s', async (_, sql) => {
    await team.sql('ANALYZE')
    const answer = await team.sql(sql, 'nosy').catch((error: unknown) => `${String(error)} ${JSON.stringify(error)}`)
    // The statement itself is part of an error of psql.
    expect(answer.replaceAll(sql, '')).not.toMatch(/secret word|zebra/)
  })

  test.each([
    'SET ROLE postgres',
    'SET SESSION AUTHORIZATION postgres',
    'SET row_security = off; SELECT count(*) FROM texts',
    'CREATE VIEW mine AS SELECT * FROM texts',
    'CREATE FUNCTION public.aspy_sees_all(name) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
    'ALTER FUNCTION aspy_sees_all(name) SECURITY INVOKER',
    "COPY texts TO PROGRAM 'cat'",
    "SELECT pg_read_file('PG_VERSION')",
    'SELECT * FROM pg_statistic',
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity',
  ])('a reader by SQL may not: %s', async (sql) => {
    await expect(team.sql(sql, 'nosy')).rejects.toThrow(/permission denied|must be|row-level security/)
  })

  test('nothing of that broke the history of others', async () => {
    expect((await ann.call(`/api/events/${UUID}`)).body).toMatchObject({ payload: { text: SECRET } })
    expect(await team.sql("SELECT count(*) FROM events WHERE session_id = 'of-ann'")).toBe('1')
  })
})
