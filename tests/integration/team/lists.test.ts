import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand, type TeamDevice } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

interface Page {
  readonly items: readonly { readonly uuid?: string; readonly exchange?: string; readonly user_id?: string }[]
  readonly next: string | null
}

/** Operations, what narrows each, and the number of its rows that are left of those of ann and bob. */
const LISTS: readonly (readonly [name: string, input: object, filters: readonly (readonly [object, number])[]])[] = [
  [
    'errors.list',
    { tools: true },
    [
      [{ tools: false }, 12],
      [{ session_id: 'of-ann' }, 9],
      [{ project: 'shop' }, 9],
      [{ client: 'claude-code' }, 9],
      [{ since: '2026-11-20T10:00:02.000Z' }, 8],
      [{ until: '2026-11-20T10:00:02.000Z' }, 10],
    ],
  ],
  [
    'tools.list',
    {},
    [
      [{ tool_name: 'Bash' }, 6],
      [{ tool: 'Bash' }, 6],
      [{ session_id: 'of-ann' }, 6],
      [{ project: 'shop' }, 6],
      [{ client: 'claude-code' }, 6],
      [{ since: '2026-11-20T10:00:02.000Z' }, 6],
      [{ failed: true }, 6],
    ],
  ],
  [
    'cache.list',
    {},
    [
      [{ cause: 'provider' }, 6],
      [{ session_id: 'of-ann' }, 6],
      [{ project: 'shop' }, 6],
      [{ since: '2026-11-20T10:00:02.000Z' }, 6],
      [{ until: '2026-11-20T10:00:02.000Z' }, 6],
    ],
  ],
]

/** Lists of one session: ann's. */
const SESSION_LISTS: typeof LISTS = [
  [
    'sessions.events',
    { session_id: 'of-ann' },
    [
      [{ kinds: ['error', 'tool_call'] }, 12],
      [{ before: '2026-11-20T10:00:02.000Z' }, 12],
      [{ after: '2026-11-20T10:00:01.000Z' }, 12],
    ],
  ],
  ['sessions.events', { session_id: 'of-ann', order: 'oldest' }, [[{ kinds: ['error'] }, 6]]],
  [
    'sessions.timeline',
    { session_id: 'of-ann' },
    [
      [{ kinds: ['error'] }, 6],
      [{ start: '2026-11-20T10:00:02.000Z' }, 12],
      [{ end: '2026-11-20T10:00:01.000Z' }, 12],
    ],
  ],
  [
    'events.list',
    { session_id: 'of-ann' },
    [
      [{ turn_id: 1 }, 4],
      [{ agent: 'helper' }, 6],
      [{ agent: 'main' }, 18],
      [{ kind: 'error' }, 6],
    ],
  ],
]

describe.skipIf(lacksPostgres)("a team's lists", () => {
  let team: TeamWorld
  let ann: TeamDevice
  let bob: TeamDevice

  /** Events of one member: three at each moment, of several kinds. */
  function eventsOf(device: TeamDevice, session_id: string, project: string, day = '2026-11-20') {
    return Array.from({ length: 6 }, (_, at) => {
      const place = {
        session_id,
        project,
        shared: true,
        turn_id: at,
        ts: `${day}T10:00:0${1 + Math.floor(at / 3)}.000Z`,
      }
      const of = (kind: string, fields: object) =>
        fullEvent(device, { ...place, kind, is_prompt: false, text: null, payload: {}, ...fields })
      const call = of('tool_call', { tool_name: at % 2 === 0 ? 'Bash' : 'Read', payload: { input: { at } }, seq: 1 })
      const cause = at % 2 === 0 ? 'provider' : 'ttl_expired'
      const cache = {
        sent_at: place.ts,
        exchange: call['uuid'],
        could_read: 9,
        missed_tokens: 5,
        waste_usd: 0.1,
        cause,
        vendor_agrees: null,
      }
      const usage = {
        model: 'm',
        basis: 'measured',
        input_tokens: 1,
        output_tokens: 1,
        thinking_tokens: null,
        cache_read_tokens: 4,
        cache_creation_tokens: 0,
        cache_creation_1h_tokens: 0,
        cost_usd: 0.1,
      }
      return [
        of('error', { payload: { origin: 'upstream', type: 'overloaded', status: 529, message: `failed ${at}` } }),
        call,
        of('tool_result', {
          tool_name: call['tool_name'],
          outcome: at % 2 === 0 ? 'failed' : 'ok',
          parent_uuid: call['uuid'],
          seq: 2,
        }),
        of('api_usage', { usage, cache, seq: 3, agent_id: 'helper' }),
      ]
    }).flat()
  }
  const send = async (device: TeamDevice, events: readonly Record<string, unknown>[], client: string, log: string) => {
    const batch = batchOf(device, events, { log })
    const sessions = (batch['sessions'] as object[]).map((session) => ({ ...session, client }))
    expect((await device.call('/team/v1/batches', { ...batch, sessions })).status).toBe(200)
  }

  beforeAll(async () => {
    team = await startTeam()
    ann = await joinByHand(team.url, await team.invite('ann'))
    bob = await joinByHand(team.url, await team.invite('bob'))
    await send(ann, eventsOf(ann, 'of-ann', 'shop'), 'claude-code', 'first')
    await send(bob, eventsOf(bob, 'of-bob', 'shed'), 'codex', 'first')
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  const idOf = ({ uuid, exchange }: Page['items'][number]) => uuid ?? exchange
  async function read(name: string, input: object): Promise<Page> {
    const { status, body } = await bob.call(`/api/${name}`, input)
    expect(body, `${name} ${JSON.stringify(input)}`).toMatchObject({ items: expect.anything() as unknown })
    expect(status).toBe(200)
    return body as Page
  }

  test.each(LISTS)('%s names the member of each row', async (name, input) => {
    const { items } = await read(name, { ...input, limit: 100 })
    const members = Map.groupBy(items, ({ user_id }) => user_id)
    expect([...members.keys()].toSorted()).toEqual(['ann', 'bob'])
    expect(members.get('ann')).toHaveLength(items.length / 2)
  })

  test.each(LISTS)('each filter of %s leaves some rows and drops others', async (name, input, filters) => {
    for (const [filter, left] of filters) {
      const { items } = await read(name, { ...input, ...filter, limit: 100 })
      expect(items.length, JSON.stringify(filter)).toBe(left)
    }
  })

  test.each(LISTS)('pages of %s follow each other by key, whatever arrives meanwhile', async (name, input) => {
    const all = (await read(name, { ...input, limit: 100 })).items.map(idOf)
    expect(new Set(all).size).toBe(all.length)
    let page = await read(name, { ...input, limit: 5 })
    const seen = page.items.map(idOf)
    await send(bob, eventsOf(bob, `late-${name}`, 'shop', '2099-01-01'), 'codex', name)
    while (page.next !== null) {
      page = await read(name, { ...input, limit: 5, cursor: page.next })
      seen.push(...page.items.map(idOf))
    }
    expect(seen).toEqual(all)
    await bob.call('/team/v1/withdraw', { sessions: [bob.ids.id('session', `late-${name}`)] })
  })

  test.each(SESSION_LISTS)('pages and filters of %s %o', async (name, input, filters) => {
    const all = (await read(name, { ...input, limit: 100 })).items
    expect(all.map(({ user_id }) => user_id)).toEqual(all.map(() => 'ann'))
    const seen: unknown[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await read(name, { ...input, limit: 5, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...page.items.map(idOf))
      cursor = page.next
    }
    expect(seen).toEqual(all.map(idOf))
    expect(new Set(seen).size).toBe(24)
    for (const [filter, left] of filters)
      expect((await read(name, { ...input, ...filter, limit: 100 })).items.length, JSON.stringify(filter)).toBe(left)
  })

  test.each(LISTS)('%s refuses a cursor of another list', async (name, input) => {
    for (const cursor of ['o50', 'x', Buffer.from('["a","b"]').toString('base64url')]) {
      const { status, body } = await bob.call(`/api/${name}`, { ...input, cursor })
      expect([status, body]).toEqual([400, expect.objectContaining({ error: expect.anything() as unknown })])
    }
  })
})
