import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { fillWithDemo } from '../../support/team/demo-folder.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand, type TeamDevice } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

interface Json {
  readonly [name: string]: unknown
}

describe.skipIf(lacksPostgres)("a member reads the team's history", () => {
  const folder = makeTempFolder('aspy-team-reading-')
  let team: TeamWorld
  let app: TestApp
  let bob: TeamDevice

  beforeAll(async () => {
    team = await startTeam()
    fillWithDemo(folder.path, 'reading', 4)
    await team.join(folder.path, 'ann')
    app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path, settings: { 'team.policy': 'full' } })
    bob = await joinByHand(team.url, await team.invite('bob'))
    const text = 'we decided to keep the pelican queue, because the walrus one lost messages'
    const shared = { session_id: 'of-bob', text, payload: { text }, shared: true }
    const secret = 'the pelican and walrus secret'
    const hidden = { session_id: 'private-to-bob', text: secret, payload: { text: secret } }
    await bob.call('/team/v1/batches', batchOf(bob, [fullEvent(bob, shared), fullEvent(bob, hidden)]))
    const events = await app.count()
    await until('everything arrived', async () => Number(await team.sql('SELECT count(*) FROM events')) === events + 2)
  })
  afterAll(async () => {
    await app?.close()
    await team?.[Symbol.asyncDispose]()
    folder.remove()
  })

  const read = <T = Json>(operation: string, input: object = {}) => app.call<T>('team.read', { operation, input })

  test('a search has the filters of a laptop, with days of the zone that asks', async () => {
    const find = async (query: string, more: object = {}) => {
      const { items } = await read<{ items: { session_id: string; match_type: string }[] }>('recall.search', {
        query,
        ...more,
      })
      return items.map((item) => `${item.match_type} ${item.session_id}`)
    }
    const bobs = ['user_prompt of-bob']
    for (const query of [
      'pelican kind:prompt',
      'pelican kind:prompt,answer',
      'pelican NOT kind:answer',
      'pelican project:SHOP',
      'pelican on:2026-11-20',
      'pelican after:19 November 2026 before:2026-11-21',
      'pelican NOT on:2026-11-19',
      '"pelican queue" session:of-b',
      'session:of-bob kind:prompt',
      'pelican OR nosuchword kind:prompt',
      '"walrus ONE"',
      'kind:prompt session:of-bob NOT zebra -"walrus ones"',
      'pelican -"losing messages"',
      '"lost message" OR "pelican queue"',
      '"lost message" OR walrus',
    ])
      expect([query, await find(query)]).toEqual([query, bobs])
    for (const query of [
      'pelican kind:answer',
      'pelican -kind:prompt',
      'pelican -project:shop',
      'pelican on:2026-11-21',
      'pelican before:2026-11-20',
      'pelican -session:of-bob',
      'pelican session:of-bob NOT walrus',
      'session:private kind:prompt',
      'kind:prompt session:of-bob NOT pelicans',
      'kind:prompt session:of-bob -"walrus one"',
      '"pelican queues"',
      '"lost message"',
      'pelican NOT "pelican queue"',
    ])
      expect([query, await find(query)]).toEqual([query, []])
    expect(await find('pelican on:2026-11-21', { tz: 'Pacific/Kiritimati' })).toEqual(bobs)
    expect(await find('pelican on:2026-11-20', { tz: 'Pacific/Kiritimati' })).toEqual([])
    // No text has all of it.
    expect(await read('recall.search', { query: '"pelican queues" walrus' })).toMatchObject({
      items: [{ session_id: 'of-bob' }],
      notes: { quotes: 'preferred' },
    })
    expect(await read('recall.search', { query: 'pelican tool:bash' })).toMatchObject({
      notes: { as_text: [{ name: 'tool', value: 'bash' }] },
    })
    await expect(read('recall.search', { query: 'pelican kind:tool' })).rejects.toThrow(/not tool/)
  })

  test('through the app, which keeps the token to itself', async () => {
    expect(await app.call('team.get')).toEqual({
      team: { url: team.url, member: 'ann', role: 'member' },
      is_server: false,
    })
    const own = await app.call<{ items: { id: string }[] }>('sessions.list', { limit: 50 })
    const teams = await read<{ items: { id: string; user_id: string }[] }>('sessions.list', { limit: 50 })
    const ids = (list: { items: { id: string }[] }) => list.items.map(({ id }) => id).toSorted()
    expect(ids(teams)).toEqual([...ids(own), 'of-bob'].toSorted())
    type Spent = {
      by_client: { client: string; sessions: number; cost_usd: number }[]
      by_session: { session_id: string; calls: number; tokens: number }[]
    }
    const [mine, ours] = [await app.call<Spent>('costs.breakdown'), await read<Spent>('costs.breakdown')]
    expect(ours.by_client.map(({ client, sessions }) => [client, sessions])).toEqual(
      mine.by_client.map(({ client, sessions }) => [client, sessions]),
    )
    expect(ours.by_client[0]?.cost_usd).toBeCloseTo(mine.by_client[0]?.cost_usd ?? 0)
    const spent = ({ by_session }: Spent) =>
      by_session.map(({ session_id, calls, tokens }) => [session_id, calls, tokens])
    expect(spent(ours)).toEqual(spent(mine))
    // Costs of all time are in the sessions, costs of a range in the calls.
    expect(await read<Spent>('costs.breakdown', { since: '2000-01-01' })).toEqual(ours)
    const models = (list: { items: { id: string }[] }) => list.items.filter(({ id }) => id !== 'of-bob')
    const fields = (items: { id: string }[]) =>
      items.map((one) => ({
        id: one.id,
        model: (one as Json & typeof one)['model'],
        agents: (one as Json & typeof one)['agents'],
      }))
    expect(fields(models(teams))).toEqual(fields(models(own)))
    await expect(read('sessions.delete', { session_id: 'of-bob' })).rejects.toThrow(/read-only/)
    await expect(read('no.such')).rejects.toThrow(/no operation/)
    await expect(read('carry.list')).rejects.toThrow(/because what was carried is read from bodies of requests/)
  })

  test('answers equal those of the laptop', async () => {
    const [session] = (await app.call<{ items: { id: string }[] }>('sessions.list', { sort: 'tokens' })).items
    const session_id = session?.id ?? ''
    interface Usage {
      readonly turns: readonly { readonly cost_usd: number | null }[]
      readonly compactions: unknown
      readonly context: readonly Json[]
    }
    const own = await app.call<Usage>('sessions.usage', { session_id })
    const teams = await read<Usage>('sessions.usage', { session_id })
    const rounded = ({ turns }: Usage) => turns.map((turn) => ({ ...turn, cost_usd: turn.cost_usd?.toFixed(9) }))
    expect(own.turns.length).toBeGreaterThan(2)
    expect(rounded(teams)).toEqual(rounded(own))
    expect(teams.compactions).toEqual(own.compactions)
    const list = (answer: Json) => (answer['items'] as Json[]).map(({ uuid, seq, kind }) => ({ uuid, seq, kind }))
    const turn = { session_id, turn_id: 1, limit: 1000 }
    expect(list(await read('events.list', turn))).toEqual(list(await app.call('events.list', turn)))
    const prompt = await team.sql(
      `SELECT uuid FROM events WHERE session_id = '${session_id}' AND is_prompt ORDER BY ts LIMIT 1`,
    )
    const uuids = (answer: Json) => (answer['items'] as Json[]).map(({ uuid }) => String(uuid)).toSorted()
    expect(uuids(await read('events.children', { uuid: prompt }))).toEqual(
      uuids(await app.call('events.children', { uuid: prompt })),
    )
    const slow = (answer: Json) => (answer['items'] as Json[]).map(({ duration_ms }) => duration_ms)
    expect(slow(await read('stats.slowest', { by: 'kind' }))).toEqual(
      slow(await app.call('stats.slowest', { by: 'kind' })),
    )
    const tools = (answer: Json) =>
      (answer['items'] as Json[]).map(({ tool, failed }) => `${tool} ${failed}`).toSorted()
    expect(tools(await read('tools.pace'))).toEqual(tools(await app.call('tools.pace')))
    const newest = await read('thinking.search', { limit: 5 })
    expect((newest['items'] as Json[]).length).toBe(5)
  })

  test('cache misses by cause and the curves of limits equal those of the laptop', async () => {
    interface Summary extends Json {
      readonly by_cause: readonly Json[]
    }
    const rounded = (answer: Json) =>
      JSON.parse(
        JSON.stringify(answer, (_, value: unknown) => (typeof value === 'number' ? value.toFixed(6) : value)),
      ) as Json
    // Projects have other names in the team.
    const sums = (answer: Json) => ({ ...answer, by_project: null })
    const own = await app.call<Summary>('cache.summary')
    expect(own.by_cause.length).toBeGreaterThan(2)
    expect(rounded(sums(await read('cache.summary')))).toEqual(rounded(sums(own)))
    interface Misses {
      readonly items: readonly { readonly exchange: string; readonly cause: { readonly kind: string } }[]
    }
    const misses = ({ items }: Misses) => items.map(({ exchange, cause }) => `${exchange} ${cause.kind}`)
    const some = { cause: own.by_cause[0]?.['cause'], limit: 500 }
    expect(misses(await read('cache.list', some))).toEqual(misses(await app.call('cache.list', some)))
    interface Limits {
      readonly windows: readonly {
        readonly user?: string
        readonly window: string
        readonly used: number
        readonly curve: readonly Json[]
      }[]
    }
    const newest = await team.sql(
      "SELECT to_char(max(ts) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') FROM events WHERE kind = 'rate_limit'",
    )
    const [mine, ours] = [
      await app.call<Limits>('limits.now', { until: newest }),
      await read<Limits>('limits.now', { until: newest }),
    ]
    expect(mine.windows.length).toBeGreaterThan(0)
    const used = ({ windows }: Limits) => windows.map((one) => `${one.window} ${one.used}`).toSorted()
    expect(used(ours)).toEqual(used(mine))
    expect(ours.windows.map(({ user }) => user)).toEqual(ours.windows.map(() => 'ann'))
    expect(ours.windows[0]?.curve.at(-1)).toEqual(mine.windows[0]?.curve.at(-1))
    const series = await read<{ items: readonly { five_hour_used: number }[] }>('limits.series', {
      since: '2000-01-01',
    })
    const ownSeries = await app.call<{ items: readonly { five_hour_used: number }[] }>('limits.series', {
      since: '2000-01-01',
    })
    expect(series.items.map((one) => one.five_hour_used)).toEqual(ownSeries.items.map((one) => one.five_hour_used))
  })

  test('pages of sessions follow each other by key in every order, whatever arrives meanwhile', async () => {
    type Page = { items: { id: string; user_id: string }[]; next: string | null }
    const page = (input: object) => read<Page>('sessions.list', input)
    const sorts = [
      'last_activity',
      'started',
      'active',
      'prompts',
      'tools',
      'errors',
      'failures',
      'compactions',
      'tokens',
      'cost',
    ]
    for (const sort of sorts) {
      const all = await page({ sort, limit: 100 })
      const seen: string[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const { items, next } = await page({ sort, limit: 3, ...(cursor === undefined ? {} : { cursor }) })
        seen.push(...items.map(({ id }) => id))
        cursor = next
      }
      expect(seen, sort).toEqual(all.items.map(({ id }) => id))
      expect(all.items.every(({ user_id }) => ['ann', 'bob'].includes(user_id))).toBe(true)
    }
    const first = await page({ limit: 2 })
    const newer = fullEvent(bob, { session_id: 'arrived', shared: true, ts: '2099-01-01T00:00:00.000Z' })
    expect((await bob.call('/team/v1/batches', batchOf(bob, [newer], { log: 'arrived' }))).status).toBe(200)
    const second = await page({ limit: 2, cursor: first.next })
    const ids = (items: Page['items']) => items.map(({ id }) => id)
    expect(ids(second.items)).toHaveLength(2)
    expect(ids(second.items)).not.toContain(ids(first.items)[1])
    await bob.call('/team/v1/withdraw', { sessions: [bob.ids.id('session', 'arrived')] })
  })

  test('a session with nothing to show is in no list and no sum', async () => {
    type Sums = { total_sessions: number; by_client: readonly { sessions: number }[] }
    const before = await read<Sums>('stats.summary')
    const of = (session_id: string, fields = {}) => fullEvent(bob, { session_id, shared: true, ...fields })
    const upkeep = { kind: 'model_request', is_prompt: false, text: null, payload: {} }
    const [removed, copied] = [of('removed'), of('original')]
    const events = [
      of('upkeep', upkeep),
      of('upkeep', { ...upkeep, kind: 'model_response', seq: 1 }),
      removed,
      of('withdrawn'),
      copied,
    ]
    await bob.call('/team/v1/batches', batchOf(bob, events, { log: 'phantoms' }))
    const gone = { log: 'phantoms', after: 6, up_to: 7, removed: removed['keys'] }
    // A copied session repeats the facts of another: they are stored once, with the first.
    const copy = { ...of('copy', { ts: copied['ts'] }), keys: copied['keys'], level: 'metadata' }
    for (const name of ['payload', 'text', 'contents', 'error_message']) Reflect.deleteProperty(copy, name)
    const again = await joinByHand(team.url, await team.invite('bob'))
    for (const [device, batch] of [
      [bob, batchOf(bob, [], gone)],
      [again, batchOf(again, [copy])],
    ] as const)
      expect((await device.call('/team/v1/batches', batch)).status).toBe(200)
    await bob.call('/team/v1/withdraw', { sessions: [bob.ids.id('session', 'withdrawn')] })
    const { items } = await read<{ items: { id: string }[] }>('sessions.list', { limit: 50, user_id: 'bob' })
    expect(items.map(({ id }) => id).toSorted()).toEqual(['of-bob', 'original'])
    const after = await read<Sums>('stats.summary')
    expect(after.total_sessions).toBe(before.total_sessions + 1)
    // Its requests can still be looked at by those who know it.
    expect((await read<{ items: unknown[] }>('events.list', { session_id: 'upkeep' })).items.length).toBe(2)
  })

  test('a quotation has the letters of any script, as on a laptop', async () => {
    const scripts =
      '결제 오류, データベース, Łódź office, Øresund, ＡＰＩ key, 用redis, ﾃﾞｰﾀ list, Encyclopædia page, x² area, caf\u0065\u0301'
    const others = { session_id: 'of-scripts', text: scripts, payload: { text: scripts }, shared: true }
    const batch = batchOf(bob, [fullEvent(bob, others)], { log: 'scripts' })
    expect((await bob.call('/team/v1/batches', batch)).status).toBe(200)
    const words = [
      '결제 오류',
      'データベース',
      'Łódź office',
      'Lodz office',
      'Øresund',
      'ＡＰＩ key',
      'api key',
      '用redis',
    ]
    for (const quoted of [...words, '用 redis', 'データ list', 'Encyclopædia page', 'x² area', 'café']) {
      const find = async (query: string) =>
        (await read<{ items: { session_id: string }[] }>('recall.search', { query })).items.map((one) => one.session_id)
      expect([quoted, await find(`"${quoted}"`)]).toEqual([quoted, ['of-scripts']])
      expect([quoted, await find(`session:of-scripts NOT "${quoted}"`)]).toEqual([quoted, []])
    }
    await bob.call('/team/v1/withdraw', { sessions: [bob.ids.id('session', 'of-scripts')] })
  })

  const surfaces: readonly (readonly [string, () => Transport])[] = [
    [
      'HTTP',
      () =>
        new StreamableHTTPClientTransport(new URL(`${app.app}/mcp`), {
          requestInit: {
            headers: { authorization: `Bearer ${readFileSync(join(folder.path, 'mcp'), 'utf8').trim()}` },
          },
        }),
    ],
    [
      'stdio',
      () =>
        new StdioClientTransport({
          command: process.execPath,
          args: [ASPY_ENTRY, 'mcp', '--data', folder.path],
          env: { PATH: process.env['PATH'] ?? '', HOME: folder.path },
        }),
    ],
  ]
  test.each(surfaces)('with the scope team over MCP by %s', async (_, transport) => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport())
    const call = async (name: string, args: Json) => {
      const { content } = await client.callTool({ name, arguments: args })
      return (content as { text: string }[]).map(({ text }) => text).join('\n')
    }
    try {
      await team.sql('DELETE FROM read_audit')
      const found = await call('aspy_recall_context', { query: 'pelican walrus', scope: 'team' })
      expect(found).toContain('> we decided to keep the pelican queue')
      expect(found).toContain('[prompt of bob ')
      expect(found).not.toContain('secret')
      expect(await team.sql('SELECT operation, session_id FROM read_audit')).toBe('recall.context|of-bob')
      expect(await call('aspy_recall_context', { query: 'pelican walrus' })).not.toContain('pelican queue')
      expect(await call('aspy_session_history', { scope: 'team' })).toMatch(/of bob/)
      expect(await call('aspy_session_history', { scope: 'team', session_id: 'of-bob' })).toContain('pelican queue')
      expect(await call('aspy_session_history', { scope: 'team', session_id: 'private-to-bob' })).toMatch(
        /no session private-to-bob that you may read/,
      )
      expect(await call('aspy_recall_context', { query: 'pelican', scope: 'team', include_tools: true })).toMatch(
        /cannot answer this/,
      )
    } finally {
      await client.close()
    }
  })

  const answered: readonly (readonly [string, RegExp])[] = [
    ['stats', /\S/],
    ['sessions', /^Title +Member[\s\S]*\n.* bob /],
    ['session of-bob', /pelican/],
    ['recent', /\S/],
    ['timeline of-bob', /pelican/],
    ['replay of-bob', /pelican/],
    ['tools', /\S/],
    ['slowest', /\S/],
    ['slowest --by kind', /\S/],
    ['errors', /\S/],
    ['cache', /\S/],
    ['cache --summary', /\S/],
    ['limits', /\S/],
    ['recall pelican', /pelican/],
    ['recall pelican --pack', /pelican/],
  ]
  test.each(answered)('aspy %s --team answers with %s', async (command, words) => {
    const given = command.split(' ')
    const { code, stderr, stdout } = await aspyHere([...given, '--team', '--data', folder.path])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain('secret')
    expect(stdout).toMatch(words)
  })

  const refused: readonly (readonly [string, RegExp])[] = [
    ['diff x', /bodies of requests/],
    ['carry', /bodies of requests/],
    ['served', /bodies of requests/],
    ['budget', /settings of each laptop/],
    ['receipt', /see costs\.breakdown/],
    ['resume of-bob', /on the laptop where it ran/],
    ['dropped of-bob', /bodies of requests/],
  ]
  test.each(refused)('aspy %s --team says why it cannot', async (command, message) => {
    const { code, stderr } = await aspyHere([...command.split(' '), '--team', '--data', folder.path])
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })
})
