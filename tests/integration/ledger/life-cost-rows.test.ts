import { expect, test } from 'vitest'
import { carryList, carrySession } from '../../../src/main/operations/reader/carry.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { createTimedExchanges } from '../../support/recorder/timed-exchanges.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'
import { CacheSimulator, type SimulatedBody } from '../../support/upstream/cache-simulator.ts'

const MARK = { cache_control: { type: 'ephemeral' } }
const TABLES = ['carry_lines', 'carry_calls', 'carried', 'carry_groups'] as const
const START = Date.parse('2026-11-20T08:00:00Z')
const MODEL = 'claude-sonnet-4-5'

type Message = SimulatedBody['messages'][number]
const say = (role: string, ...content: object[]): Message => ({ role, content })
const text = (value: string) => ({ type: 'text', text: value })
const tool = (name: string, words: number) => ({
  name,
  description: 'does things '.repeat(words),
  input_schema: { type: 'object' },
})

/** A conversation as Claude Code sends it, with what it adds; each step is what the next request adds. */
const STEPS: readonly (readonly Message[])[] = [
  [
    say(
      'user',
      text(
        `<system-reminder>\nAs you answer the user's questions, you can use the following context:\n# claudeMd\nContents of /home/ada/orbit/CLAUDE.md (project instructions, checked into the codebase):\n\n${'Use tabs. '.repeat(200)}</system-reminder>`,
      ),
      text(
        '<system-reminder>\nThe following skills are available for use with the Skill tool:\n- review\n</system-reminder>',
      ),
      text(
        '<system-reminder>\nThe following skills were invoked in this session. Continue to follow these guidelines:\n\n### Skill: review\nPath: /home/ada/.claude/skills/review\n\nLook.</system-reminder>',
      ),
      text('Why is the orbit wrong?'),
    ),
  ],
  [
    say(
      'assistant',
      { type: 'thinking', thinking: 'I should read it. '.repeat(30), signature: 's' },
      text('I look at the file.'),
      { type: 'tool_use', id: 'call_1', name: 'Read', input: { file_path: '/home/ada/orbit/src/orbit.ts' } },
      { type: 'tool_use', id: 'call_2', name: 'mcp__notes__find', input: { query: 'orbit' } },
    ),
    say(
      'user',
      { type: 'tool_result', tool_use_id: 'call_1', content: 'const g = 6.674e-11\n'.repeat(400) },
      { type: 'tool_result', tool_use_id: 'call_2', content: 'no notes' },
    ),
  ],
  [say('assistant', text('The mass is missing.')), say('user', text('Fix it.'))],
]

/** Records the conversation, with an upstream that caches; returns the sessions' store. */
async function recorded(sessions: readonly string[], more: { readonly archived?: boolean } = {}) {
  const opened = openTestStore()
  const record = createTimedExchanges(opened.store)
  const simulator = new CacheSimulator(() => 1024)
  simulator.now = more.archived ? START - 170 * 86_400_000 : START
  const uuids: string[] = []
  for (const session of sessions) {
    const messages: Message[] = []
    for (const [at, step] of STEPS.entries()) {
      messages.push(...step)
      uuids.push(await record(exchange(simulator, session, at, messages)))
      simulator.now += 30_000
    }
  }
  if (more.archived)
    for (const archive_days of [0, 1])
      for (const _ of opened.store.maintenance.archive({ retention_days: 90, archive_days, delete_days: 0 }));
  return { ...opened, uuids }
}

function exchange(simulator: CacheSimulator, session: string, at: number, messages: readonly Message[]) {
  const last = messages.length - 1
  const body = {
    model: MODEL,
    max_tokens: 32_000,
    tools: [
      tool('Read', 100),
      tool('mcp__notes__find', 60),
      tool('mcp__notes__write', 80),
      tool('mcp__mail__send', 90),
    ],
    system: [{ ...text(`You are Claude Code. ${'Be careful. '.repeat(300)}`), ...MARK }],
    messages: messages.map(({ role, content }, index) => ({
      role,
      content:
        index < last || typeof content === 'string'
          ? content
          : content.map((block, place) => (place === content.length - 1 ? { ...block, ...MARK } : block)),
    })),
  }
  const usage = simulator.send('key', body, [])
  return {
    wall: simulator.now,
    session,
    body,
    answer: {
      id: `msg_${session}_${at}`,
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [text('done')],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: usage.input,
        cache_read_input_tokens: usage.read,
        cache_creation_input_tokens: usage.written5m,
        output_tokens: 10,
      },
    },
  }
}

test('each block is named: tools, instructions, skills, files by their calls, texts by who wrote them', async () => {
  const { dbPath, uuids } = await recorded(['s1'])
  const session = reading(dbPath, (reader) => carrySession(reader, { session_id: 's1', limit: 100 }))
  const named = session.items
    .map(({ kind, tool: of, name, requests }) => `${kind} ${name ?? of ?? ''} ${requests}`.replaceAll(/ +/g, ' '))
    .toSorted()
  expect(named).toEqual([
    'answer 1',
    'answer 2',
    'claude_md /home/ada/orbit/CLAUDE.md 3',
    'file_read /home/ada/orbit/src/orbit.ts 2',
    'prompt 1',
    'prompt 3',
    'skill 3',
    'skill review 3',
    'system_prompt 3',
    'thinking 2',
    'tool_call /home/ada/orbit/src/orbit.ts 2',
    'tool_call mcp__notes__find 2',
    'tool_result mcp__notes__find 2',
    'tool_schema Read 3',
    'tool_schema mcp__mail__send 3',
    'tool_schema mcp__notes__find 3',
    'tool_schema mcp__notes__write 3',
  ])
  const skills = reading(dbPath, (reader) => carryList(reader, { by: 'skill', limit: 50 })).items
  expect(skills.map(({ key, requests }) => [key, requests])).toEqual([
    [null, 35],
    ['review', 3],
    ['list of skills', 3],
  ])
  const file = session.items.find(({ kind }) => kind === 'file_read')
  expect(file?.entered).toEqual({ exchange: uuids[1], ts_wall: '2026-11-20T08:00:30.000Z', position: 13 })
  expect(file?.last).toEqual({ exchange: uuids[2], ts_wall: '2026-11-20T08:01:00.000Z' })
  expect(file?.ended).toBe(false)
  // Written once, read once; it is most of what its request wrote.
  expect(file?.read_tokens).toBeCloseTo(file?.written_tokens ?? 0, 6)
  expect(file?.usd).toBeCloseTo(((file?.written_tokens ?? 0) * (3.75 + 0.3)) / 1e6, 12)
})

test('of one request only the blocks that it had are listed, with what they cost in all', async () => {
  const { dbPath, uuids } = await recorded(['s1'])
  const blocksOf = (exchange: string) =>
    reading(dbPath, (reader) => carrySession(reader, { session_id: 's1', limit: 100, exchange }).items)
  const [first, , last] = uuids.map(blocksOf)
  expect(first?.map(({ entered }) => entered.position).toSorted((one, other) => one - other)).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8,
  ])
  expect(first?.every(({ requests }) => requests === 3)).toBe(true)
  expect(last).toHaveLength(17)
  expect(blocksOf('01a2033c-0000-7000-8000-000000000000')).toEqual([])
})

test('definitions of MCP tools that nothing called are summed up', async () => {
  const { dbPath } = await recorded(['s1'])
  const found = reading(dbPath, (reader) => carryList(reader, { by: 'tool', limit: 50 }))
  expect(found.never_called.items.map(({ tool: name, server }) => `${server ?? ''} ${name}`).toSorted()).toEqual([
    'mail mcp__mail__send',
    'notes mcp__notes__find',
    'notes mcp__notes__write',
  ])
  const byServer = reading(dbPath, (reader) => carryList(reader, { by: 'mcp_server', limit: 50 }))
  expect(byServer.items.map(({ key }) => key)).toEqual([null, 'notes', 'mail'])
  const none = reading(dbPath, (reader) =>
    carryList(reader, { by: 'tool', limit: 50, until: '2026-11-19T00:00:00.000Z' }),
  )
  expect(none).toMatchObject({ items: [], never_called: { tools: 0, usd: 0 }, total: { requests: 0, usd: 0 } })
})

test('a tool that was called is not among them', async () => {
  const { store, dbPath } = await recorded(['s1', 's2'])
  store.ingest.append([
    {
      kind: 'tool_call',
      source: 'wire',
      session_id: 's1',
      agent_id: null,
      ts_wall: '2026-11-20T08:00:10.000Z',
      ts_monotonic: null,
      account: null,
      project: '/home/ada/orbit',
      parents: [],
      keys: ['call:call_2'],
      payload: { call_id: 'call_2', tool_name: 'mcp__notes__find', input: {}, message_id: 'm', index: 0 },
    },
  ])
  const found = reading(dbPath, (reader) => carryList(reader, { by: 'tool', limit: 50 }))
  expect(found.never_called.tools).toBe(2)
  expect(found.items.find(({ key }) => key === 'mcp__notes__find')?.calls).toBe(1)
  const later = { by: 'tool', limit: 50, since: '2026-11-20T08:00:20.000Z' } as const
  expect(reading(dbPath, (reader) => carryList(reader, later)).never_called.tools).toBe(3)
  // Calls are those of the session or project, as what was carried is.
  const calls = [{ session_id: 's1' }, { session_id: 's2' }, { project: '/home/ada/orbit' }, { project: '/else' }].map(
    (place) => {
      const { items, never_called: never } = reading(dbPath, (reader) =>
        carryList(reader, { by: 'tool', limit: 50, ...place }),
      )
      return [items.find(({ key }) => key === 'mcp__notes__find')?.calls, never.tools]
    },
  )
  expect(calls).toEqual([
    [1, 2],
    [0, 3],
    [1, 2],
    [undefined, 0],
  ])
})

test('rows are equal after bodies were archived and the archive is gone', async () => {
  const { store, dbPath } = await recorded(['s1'], { archived: true })
  store.close()
  withWriter(dbPath, (db) => {
    expect(db.prepare('SELECT count(*) FROM archived_events').pluck().get()).toBeGreaterThan(0)
    const followed = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    const rebuilt = contentsOfProjections(db)
    for (const table of TABLES) {
      expect(followed[table]?.length).toBeGreaterThan(0)
      expect(rebuilt[table]).toEqual(followed[table])
    }
  })
})

test('a deleted session leaves no row, and the others as they were', async () => {
  const { store, dbPath } = await recorded(['s1', 's2'])
  const alone = await recorded(['s2'])
  const costs = (path: string) =>
    reading(path, (reader) => carryList(reader, { by: 'kind', limit: 50, session_id: 's2' }).items)
  const before = costs(dbPath)
  store.removal.deleteSession('s1')
  store.close()
  withWriter(dbPath, (db) => {
    const left = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    const rebuilt = contentsOfProjections(db)
    for (const table of TABLES) expect(rebuilt[table]).toEqual(left[table])
    expect(left['carry_lines']).toHaveLength(1)
  })
  expect(costs(dbPath)).toEqual(before)
  // The other session found its beginning in the cache of the first one.
  expect(
    costs(alone.dbPath)
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(before.map(({ key }) => key).toSorted())
})

test('requests that are known from a transcript only are unknown, with their cost in the total', async () => {
  const { store, dbPath } = await recorded(['s1'])
  store.ingest.append([
    {
      kind: 'api_usage',
      source: 'transcript',
      session_id: 's1',
      agent_id: null,
      ts_wall: '2026-11-20T09:00:00.000Z',
      ts_monotonic: null,
      account: null,
      project: null,
      parents: [],
      keys: ['usage:msg_t'],
      payload: {
        message_id: 'msg_t',
        model: MODEL,
        usage: {
          input_tokens: 1000,
          output_tokens: 5,
          cache_read_input_tokens: 10_000,
          cache_creation_input_tokens: 0,
          cache_creation_1h_input_tokens: 0,
          thinking_tokens: null,
          web_search_requests: 0,
          service_tier: null,
          speed: null,
          inference_geo: null,
        },
        request_kind: null,
        basis: 'lower_bound',
        ttft_ms: null,
      },
    },
  ])
  reading(dbPath, (reader) => {
    const { unknown, total, items } = carryList(reader, { by: 'kind', limit: 50 })
    const usd = (1000 * 3 + 10_000 * 0.3) / 1e6
    expect(unknown.reasons).toEqual([{ reason: 'not_captured', requests: 1, tokens: 11_000, usd: unknown.usd }])
    expect(unknown.usd).toBeCloseTo(usd, 12)
    expect(items.find(({ key }) => key === 'unknown')?.usd).toBeCloseTo(usd, 12)
    expect(Math.abs(items.reduce((sum, item) => sum + item.usd, 0) - total.usd)).toBeLessThan(1e-9)
    expect(total.requests).toBe(4)
    for (const by of ['tool', 'session', 'prompt'] as const) {
      const sum = carryList(reader, { by, limit: 50 }).items.reduce((all, item) => all + item.usd, 0)
      expect(Math.abs(sum - total.usd)).toBeLessThan(1e-9)
    }
  })
})
