import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { few } from '../../support/runner/heavy.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'

const TIME = 'T10:00:00.000Z'
/** The time of every file. */
const WRITTEN = '2026-09-21T14:13:20.000Z'
const [ORIGINAL, FORK, SECOND] = ['a0', 'b0', 'c0'].map((start) => `${start}000000-0000-4000-8000-000000000001`) as [
  string,
  string,
  string,
]

interface Line {
  readonly [name: string]: unknown
}

const user = (session: string, id: string, day: number, more: Line = {}): Line => ({
  type: 'user',
  uuid: `${id}000-0000-4000-8000-000000000009`,
  parentUuid: null,
  isSidechain: false,
  sessionId: session,
  cwd: '/home/ada/shop',
  version: '2.1.12',
  timestamp: `2026-02-${String(day).padStart(2, '0')}${TIME}`,
  message: { role: 'user', content: `Say ${id}` },
  ...more,
})

function project(files: { readonly [session: string]: readonly Line[] }): (session: string) => string {
  const folder = join(temporaryFolder(), 'projects')
  mkdirSync(folder)
  for (const [session, lines] of Object.entries(files)) {
    const path = join(folder, `${session}.jsonl`)
    writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    utimesSync(path, Date.parse(WRITTEN) / 1000, Date.parse(WRITTEN) / 1000)
  }
  return (session) => (session === '' ? folder : join(folder, `${session}.jsonl`))
}

const get = (db: string, session_id: string) =>
  reading(db, (reader) => readerHandlers['sessions.get'](reader, { session_id }))

const ORDERS: readonly [string, readonly string[]][] = [
  ['the newest first', [SECOND, FORK, ORIGINAL]],
  ['the middle one first', [FORK, SECOND, ORIGINAL]],
  ['the middle one last', [SECOND, ORIGINAL, FORK]],
]
test.each(few(ORDERS, 1))(
  'a fork of a fork, imported one at a time, %s: the same rows as in one import',
  async (_, order) => {
    const history = (session: string) => [user(session, 'aa', 1), user(session, 'ab', 2)]
    const path = project({
      [ORIGINAL]: [...history(ORIGINAL), user(ORIGINAL, 'ac', 3)],
      [FORK]: [...history(FORK), user(FORK, 'ba', 4), user(FORK, 'bb', 5)],
      [SECOND]: [...history(SECOND), user(SECOND, 'ba', 4), user(SECOND, 'ca', 6)],
    })
    const facts = (db: string) =>
      [ORIGINAL, FORK, SECOND].map((session_id) => {
        const { prompts, turn_count, title, forked_from, started_at, last_event_at } = get(db, session_id)
        const said = reading(db, (reader) =>
          readerHandlers['sessions.history'](reader, { session_id, limit: 20, as_text: false }),
        )
        const words = said.items.map(({ content, turn_id }) => `${turn_id} ${content}`)
        return { session_id, prompts, turn_count, title, forked_from, started_at, last_event_at, words }
      })
    const apart = await importInto(
      temporaryFolder(),
      order.map((session) => path(session)),
    )
    expect(facts(apart)).toEqual(facts(await importInto(temporaryFolder(), [path('')])))
    expect(facts(apart).map(({ prompts, forked_from }) => [prompts, forked_from])).toEqual([
      [3, null],
      [2, ORIGINAL],
      [1, FORK],
    ])
  },
)

test('a text for a model says what the session was forked from', async () => {
  const copied = (session: string) => user(session, 'aa', 1)
  const path = project({ [ORIGINAL]: [copied(ORIGINAL)], [FORK]: [copied(FORK), user(FORK, 'ba', 3)] })
  const db = await importInto(temporaryFolder(), [path('')])
  const { text } = reading(db, (reader) =>
    readerHandlers['sessions.history'](reader, { session_id: FORK, limit: 20, as_text: true }),
  )
  expect(text).toContain(`Forked from session ${ORIGINAL}.`)
})

test('a fork without a name for its original says what it was forked from, and a fork of it names the fork', async () => {
  const history = (session: string) => [user(session, 'aa', 1), user(session, 'ab', 2)]
  const path = project({
    [ORIGINAL]: history(ORIGINAL),
    [FORK]: [...history(FORK), user(FORK, 'ba', 3)],
    [SECOND]: [...history(SECOND), user(SECOND, 'ba', 3), user(SECOND, 'ca', 4)],
  })
  const db = await importInto(temporaryFolder(), [path('')])
  expect(get(db, ORIGINAL)).toMatchObject({ forked_from: null, resumed_from: null, links: [], prompts: 2 })
  expect(get(db, FORK)).toMatchObject({
    forked_from: ORIGINAL,
    resumed_from: null,
    prompts: 1,
    links: [{ kind: 'forked_from', session_id: ORIGINAL, at: `2026-02-02${TIME}` }],
  })
  expect(get(db, SECOND)).toMatchObject({
    forked_from: FORK,
    links: [
      { kind: 'forked_from', session_id: FORK, at: `2026-02-03${TIME}` },
      { kind: 'forked_from', session_id: ORIGINAL, at: `2026-02-02${TIME}` },
    ],
  })
  const list = reading(db, (reader) =>
    readerHandlers['sessions.list'](reader, {
      limit: 10,
      starred: false,
      failed: false,
      agents: false,
      sort: 'started',
    }),
  )
  expect(Object.fromEntries(list.items.map(({ id, forked_from }) => [id, forked_from]))).toEqual({
    [ORIGINAL]: null,
    [FORK]: ORIGINAL,
    [SECOND]: FORK,
  })
})

test('clients 1.x copied the history when they resumed: that is not a fork', async () => {
  const old = { version: '1.0.56' }
  const path = project({
    [ORIGINAL]: [user(ORIGINAL, 'aa', 1, old)],
    [FORK]: [user(FORK, 'aa', 1, old), user(FORK, 'ba', 3, old)],
  })
  const db = await importInto(temporaryFolder(), [path('')])
  expect(get(db, FORK)).toMatchObject({ forked_from: null, resumed_from: ORIGINAL })
})

test.each(few(['the later file first', 'the earlier file first'], 1))(
  'a compaction that goes on in a new file names the session before it: %s',
  async (order) => {
    const last = user(ORIGINAL, 'aa', 1)
    const boundary: Line = {
      ...user(FORK, 'b0', 2),
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      logicalParentUuid: last['uuid'],
      compactMetadata: { trigger: 'auto', preTokens: 150_000 },
    }
    const summary = user(FORK, 'b1', 2, {
      parentUuid: boundary['uuid'],
      isCompactSummary: true,
      message: {
        role: 'user',
        content: 'This session is being continued from a previous conversation.\nSummary:\nAll.',
      },
    })
    const path = project({
      [ORIGINAL]: [last],
      [FORK]: [boundary, summary, user(FORK, 'b2', 3, { parentUuid: summary['uuid'] })],
    })
    const files = [path(ORIGINAL), path(FORK)]
    const db = await importInto(temporaryFolder(), order.startsWith('the earlier') ? files : files.toReversed())
    expect(get(db, FORK)).toMatchObject({
      compacted_from: ORIGINAL,
      forked_from: null,
      links: [{ kind: 'compacted_from', session_id: ORIGINAL, at: `2026-02-02${TIME}` }],
    })
    expect(get(db, ORIGINAL)).toMatchObject({ compacted_from: null, links: [] })
  },
)

test('a file that starts after a line of another one was resumed from it', async () => {
  const path = project({
    [ORIGINAL]: [user(ORIGINAL, 'aa', 1)],
    [FORK]: [user(FORK, 'ba', 2, { parentUuid: 'aa000-0000-4000-8000-000000000009' })],
  })
  const db = await importInto(temporaryFolder(), [path('')])
  expect(get(db, FORK)).toMatchObject({ resumed_from: ORIGINAL, forked_from: null })
})

test('a time that cannot be true is ignored: the line takes that of its neighbours', async () => {
  const at = (id: string, timestamp: string) => user(ORIGINAL, id, 1, { timestamp })
  const inTwoYears = new Date(Date.now() + 730 * 86_400_000).toISOString()
  const path = project({
    [ORIGINAL]: [
      at('aa', '1970-01-01T00:00:00.000Z'),
      at('ab', '2026-02-01T10:00:00.000Z'),
      at('ac', '+099999-01-01T00:00:00.000Z'),
      at('ad', '2999-01-01T00:00:00.000Z'),
      at('ag', inTwoYears),
      at('ae', '2026-02-01T11:00:00.000Z'),
      at('af', '0001-01-01T00:00:00.000Z'),
    ],
    [FORK]: [user(FORK, 'ba', 1, { timestamp: '1970-01-01T00:00:00.000Z' })],
  })
  const db = await importInto(temporaryFolder(), [path('')])
  expect(get(db, ORIGINAL)).toMatchObject({
    title: 'Say aa',
    started_at: '2026-02-01T10:00:00.000Z',
    last_event_at: '2026-02-01T11:00:00.000Z',
    prompts: 7,
    time_basis: 'line',
  })
  expect(get(db, FORK)).toMatchObject({ started_at: WRITTEN, time_basis: 'file' })
})

test('a session whose lines have no time takes the file’s, is marked, and is in no time range and no active time', async () => {
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const undated = (line: Line) => ({ ...line, timestamp: undefined })
  const answer = {
    ...user(ORIGINAL, 'ac', 1),
    type: 'assistant',
    message: {
      id: 'msg_1',
      model: 'claude-opus-4-6',
      role: 'assistant',
      content: [
        { type: 'text', text: 'A' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
      ],
      usage,
    },
  }
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }
  const returned = user(ORIGINAL, 'ad', 1, { message: { role: 'user', content: [result] } })
  const path = project({
    [ORIGINAL]: [undated(user(ORIGINAL, 'aa', 1)), undated(answer), undated(returned)],
    [FORK]: [undated(user(FORK, 'ba', 1)), user(FORK, 'bb', 2)],
  })
  const db = await importInto(temporaryFolder(), [path('')])
  expect(get(db, ORIGINAL)).toMatchObject({
    time_basis: 'file',
    started_at: WRITTEN,
    last_event_at: WRITTEN,
    active_ms: 0,
    total_tokens: 15,
  })
  expect(get(db, FORK)).toMatchObject({ time_basis: 'line', started_at: `2026-02-02${TIME}` })
  const summary = (span: { since?: string; until?: string }) =>
    reading(db, (reader) => readerHandlers['stats.summary'](reader, span))
  expect(summary({})).toMatchObject({ total_tokens: 15, total_prompts: 3 })
  expect(summary({ since: '2026-09-01T00:00:00.000Z' })).toMatchObject({ total_tokens: 0, total_prompts: 0 })
  expect(summary({ until: '2027-01-01T00:00:00.000Z' })).toMatchObject({ total_tokens: 0, total_prompts: 2 })
  expect(summary({}).by_tool).toMatchObject([{ tool: 'Bash', calls: 1, success_rate: 1 }])
  expect(summary({ since: '2026-09-01T00:00:00.000Z' }).by_tool).toEqual([])
  expect(summary({ until: '2027-01-01T00:00:00.000Z' }).by_tool).toEqual([])
  const series = reading(db, (reader) =>
    readerHandlers['costs.series'](reader, { bucket: 'day', utc_offset_minutes: 0 }),
  )
  expect(series.items).toEqual([])
})

test('a notice that an agent finished is the same event in a copy of the file at another path', async () => {
  const notice = (id: string, day: number) =>
    user(ORIGINAL, id, day, {
      message: {
        role: 'user',
        content:
          '<task-notification><task-id>a1</task-id><status>completed</status><summary>Agent "Look" finished</summary></task-notification>',
      },
    })
  const lines = { [ORIGINAL]: [user(ORIGINAL, 'aa', 1), notice('ab', 2), notice('ac', 3)] }
  const db = new Database(await importInto(temporaryFolder(), [project(lines)(''), project(lines)('')]), {
    readonly: true,
  })
  const notices = db.prepare("SELECT ts_wall FROM events WHERE kind = 'notification' ORDER BY 1").pluck().all()
  db.close()
  expect(notices).toEqual([`2026-02-02${TIME}`, `2026-02-03${TIME}`])
})

/** A session whose agent's only answer is in a progress line, and that agent's own file, which may be written. */
function sessionWithAgent(more: readonly Line[] = []) {
  const asked = { type: 'tool_use', id: 'toolu_agent', name: 'Task', input: { prompt: 'Look', description: 'd' } }
  const usage = { input_tokens: 3, cache_creation_input_tokens: 50, cache_read_input_tokens: 0, output_tokens: 4 }
  const answer = {
    id: 'msg_agent',
    role: 'assistant',
    model: 'claude-haiku-4-5-20251001',
    content: [{ type: 'text', text: 'Looked.' }],
    usage,
  }
  const call = {
    ...user(ORIGINAL, 'ab', 1, { parentUuid: 'aa000-0000-4000-8000-000000000009' }),
    type: 'assistant',
    message: { ...answer, id: 'msg_main', model: 'claude-opus-4-6', content: [asked] },
  }
  const own: Line = user(ORIGINAL, 'ba', 1, { type: 'assistant', message: answer, requestId: 'req_1' })
  const progress = user(ORIGINAL, 'ac', 1, {
    type: 'progress',
    parentToolUseID: 'toolu_agent',
    data: { type: 'agent_progress', agentId: 'a1b2c3', message: own, normalizedMessages: [] },
  })
  const path = project({ [ORIGINAL]: [user(ORIGINAL, 'aa', 1), call, progress, ...more] })
  const folder = join(path(''), ORIGINAL, 'subagents')
  const file = join(folder, 'agent-a1b2c3.jsonl')
  const writeAgent = () => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, `${JSON.stringify({ ...own, agentId: 'a1b2c3', isSidechain: true })}\n`)
  }
  const dataDir = temporaryFolder()
  const spent = async (file: string) => {
    const db = new Database(await importInto(dataDir, [file]), { readonly: true })
    const rows = db.prepare("SELECT agent_id, cost_usd FROM api_usage WHERE model LIKE 'claude-haiku%'").raw().all()
    const agents = db.prepare('SELECT agent_id, call_id FROM agents').raw().all()
    const texts = db.prepare("SELECT count(*) FROM events WHERE kind = 'assistant_text'").pluck().get()
    db.close()
    return { rows, agents, texts }
  }
  // 3 tokens at $1, 50 at $1.25 and 4 at $5 per million.
  const once = { rows: [['a1b2c3', expect.closeTo(8.55e-5, 12)]], agents: [['a1b2c3', 'toolu_agent']], texts: 1 }
  return { path, file, writeAgent, spent, once }
}

test('an agent that only progress lines repeat is priced once, in its tree, also if its own file comes later', async () => {
  const { path, file, writeAgent, spent, once } = sessionWithAgent()
  expect(await spent(path(ORIGINAL))).toEqual(once)
  writeAgent()
  expect(await spent(file)).toEqual(once)
  expect(await spent(path(''))).toEqual(once)
})

test.each([
  ['is still there', false],
  ['is gone by then', true],
])(
  'an agent imported from its own file before its session is priced once, in its tree, if that file %s',
  async (_, isGone) => {
    const result = { type: 'tool_result', tool_use_id: 'toolu_agent', content: [{ type: 'text', text: 'Looked.' }] }
    const ended = user(ORIGINAL, 'ad', 1, {
      message: { role: 'user', content: [result] },
      toolUseResult: { status: 'completed', agentId: 'a1b2c3', content: result.content },
    })
    const { path, file, writeAgent, spent, once } = sessionWithAgent([ended])
    writeAgent()
    expect((await spent(file)).rows).toEqual(once.rows)
    if (isGone) rmSync(file)
    expect(await spent(path(ORIGINAL))).toEqual(once)
  },
)
