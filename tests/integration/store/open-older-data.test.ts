import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { undoBaseUrl } from '../../../src/main/clients/claude-code/setup/base-url.ts'
import { undoSetUp } from '../../../src/main/clients/claude-code/setup/setup.ts'
import { loadConfig } from '../../../src/main/config/load-config.ts'
import { restoreBackup } from '../../../src/main/store/restore.ts'
import { EVENT_KINDS } from '../../../src/shared/event.ts'
import { runs } from '../../support/runner/heavy.ts'
import { startSinkReceiver, type SinkReceiver } from '../../support/upstream/sink-receiver.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { accountOfLog, sha256 } from '../../support/store/log-account.ts'
import { copiedUuid, multiplyStore } from '../../support/store/multiply.ts'
import {
  expectedOfOlderData,
  logOfApp,
  logOfExport,
  NEUTRAL_ROOT,
  unpackOlderData,
} from '../../support/store/older-data.ts'
import { accountOfTables } from '../../support/store/table-account.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

/** Opens data of store version 21 (tests/fixtures/store-v1) in this version; nothing may be lost. */

// No upstream is called here.
const UPSTREAM = 'http://127.0.0.1:9'
const expected = expectedOfOlderData()
const spooled = new Set(expected.spooled)

let folder: TempFolder
let places: ReturnType<typeof unpackOlderData>
let webhook: SinkReceiver
let app: TestApp

beforeAll(async () => {
  folder = makeTempFolder('aspy-older-')
  places = unpackOlderData(folder.path)
  webhook = await startSinkReceiver()
  app = await open(places.data, { 'webhook.url': webhook.url })
})
afterAll(async () => {
  await app?.close()
  await webhook?.[Symbol.asyncDispose]()
  folder?.remove()
})

/** Starts the app and waits until it is up to date, including the spool. */
async function open(dataDir: string, settings: Readonly<Record<string, unknown>> = {}): Promise<TestApp> {
  const opened = await startApp({
    upstream: UPSTREAM,
    dataDir,
    settings: { 'webhook.url': '', 'otel.endpoint': '', ...settings },
  })
  await until(
    'the store is up to date',
    async () => {
      const { recorder, spooled } = await opened.running.health()
      return recorder === 'running' && spooled === 0
    },
    240_000,
  )
  return opened
}

/** Creates an empty data folder with a different hash key. */
function emptyFolder(name: string): string {
  const path = join(folder.path, name)
  mkdirSync(path)
  return path
}

function tablesOf(dataDir: string) {
  const db = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  try {
    return accountOfTables(db, { words: Object.keys(expected.tables.search), unnamed: spooled })
  } finally {
    db.close()
  }
}

test('every event has its whole payload, including those from archives and the spool', async () => {
  expect(expected.archived_events).toBeGreaterThan(1000)
  expect(accountOfLog(await logOfApp(app), spooled)).toEqual(expected.log)
})

test('tables are unchanged: sums, texts, costs, lineage, and the number of texts with a word', () => {
  const { people, ...tables } = tablesOf(places.data)
  const { people: before, ...rest } = expected.tables
  expect(tables).toEqual(rest)
  for (const [table, rows] of Object.entries(before)) {
    expect(rows.length, table).toBeGreaterThan(0)
    expect(people[table], table).toEqual(expect.arrayContaining([...rows]))
  }
})

/** What a session has to show, for people to see it. */
const SHOWN = ['prompts', 'total_tokens', 'tool_calls', 'thinking_blocks', 'errors']

test('operations return what was recorded: totals, sessions, labels, memories, saved searches, hits', async () => {
  const { sessions, people, search } = expected.tables
  const sum = (column: string) => sessions.reduce((total, session) => total + Number(session[column]), 0)
  const summary = await app.call<{ total_cost_usd: number }>('stats.summary')
  expect(summary).toMatchObject({
    // Not those that only a client's own requests made.
    total_sessions: sessions.filter((session) => SHOWN.some((column) => Number(session[column]) > 0)).length,
    total_prompts: sum('prompts'),
    total_tokens: sum('total_tokens'),
    total_tool_calls: sum('tool_calls'),
  })
  expect(summary.total_cost_usd).toBeCloseTo(sum('total_cost_usd'), 6)
  for (const { session_id, starred, pinned, title } of people['session_labels'] ?? [])
    expect(await app.call('sessions.get', { session_id })).toMatchObject({
      starred: starred === 1,
      pinned: pinned === 1,
      ...(title === null ? {} : { title }),
    })
  const memories = await app.call<{ items: object[] }>('memories.list')
  expect(memories.items).toHaveLength(people['memories']?.length ?? 0)
  for (const { event_uuid: uuid, fact, category, note } of people['memories'] ?? [])
    expect(memories.items).toContainEqual(expect.objectContaining({ uuid, fact, category, note }))
  expect(await app.call('searches.list')).toEqual({
    items: expect.arrayContaining([...(people['saved_searches'] ?? [])]),
  })
  for (const [word, { prompts = 0, thinking = 0, responses = 0 }] of Object.entries(search)) {
    const found = await app.call<{ total: number }>('recall.search', { query: word })
    expect(found.total, word).toBeGreaterThanOrEqual(prompts + thinking + responses)
  }
})

test('a deleted session stays deleted, and imported transcripts add nothing again', async () => {
  const { session, transcript } = expected.deleted
  expect(existsSync(join(places.transcripts, transcript))).toBe(true)
  expect(await countsOf(app)).toEqual(expected.log.kinds)
  await app.run('transcripts.import', { paths: [places.transcripts] })
  // A notification's only key is its text, which a hook reported milliseconds later: it may appear again.
  // Interruptions, command output and the client's own messages were no events when this data was written.
  const { notification: _, state_change: changes = 0, ...rest } = expected.log.kinds
  const counts = await countsOf(app)
  expect(counts).toMatchObject(rest)
  expect(counts['state_change']).toBeGreaterThanOrEqual(changes)
  expect(await app.count({ session_id: session })).toBe(0)
  await expect(app.call('sessions.get', { session_id: session })).rejects.toMatchObject({ code: 'not_found' })
})

/** Returns the number of events of each kind that the older version knew, and of those it did not if there are any. */
async function countsOf(opened: TestApp): Promise<Record<string, number>> {
  const counts = EVENT_KINDS.map(async (kind) => [kind, await opened.count({ kind })] as const)
  const known = expected.log.kinds
  return Object.fromEntries((await Promise.all(counts)).filter(([kind, count]) => kind in known || count > 0))
}

test('a sink resumes where it was: it receives events restored from the spool, and none twice', async () => {
  const sessions = () =>
    webhook.received
      .flatMap(({ json }) => (json as { events: { session_id: string }[] }).events)
      .map((one) => one.session_id)
  const waiting = expected.spooled.reduce((sum, id) => sum + (expected.log.sessions[id]?.events ?? 0), 0)
  await until('all of the spool is delivered', () => Promise.resolve(sessions().length >= waiting))
  expect(new Set(sessions())).toEqual(spooled)
  expect(sessions()).toHaveLength(waiting)
})

test('keys, settings and session logs are unchanged', () => {
  expect(app.token).toBe(expected.keys['token'])
  for (const [file, key] of Object.entries(expected.keys))
    expect(readFileSync(join(places.data, file), 'utf8')).toBe(`${key}\n`)
  const { config } = loadConfig({ file: join(places.data, 'config.toml') })
  for (const [key, value] of Object.entries(expected.config)) {
    const [section = '', name = ''] = key.split('.')
    expect((config as unknown as Record<string, Record<string, unknown>>)[section]?.[name], key).toEqual(value)
  }
  expect(Object.keys(expected.session_logs).length).toBeGreaterThan(1)
  for (const [file, digest] of Object.entries(expected.session_logs))
    expect(sha256(readFileSync(join(places.data, 'logs', file), 'latin1')), file).toBe(digest)
})

test('its backup is restored completely', async () => {
  const dataDir = emptyFolder('restored')
  const { lifestats: limits } = loadConfig({ file: join(dataDir, 'config.toml') }).config
  const databasePath = join(dataDir, 'lifestats.db')
  expect(restoreBackup({ backup: places.backup, dataDir, databasePath, limits })).toMatchObject({
    events: expected.before.events,
    left_out: 0,
  })
  await using restored = await open(dataDir, { 'lifestats.retention_days': 0, 'lifestats.archive_days': 0 })
  expect(accountOfLog(await logOfApp(restored), spooled)).toEqual(expected.before)
  expect(tablesOf(dataDir).people['tombstones']).toEqual(expected.tables.people['tombstones'])
})

test('its export is imported unchanged', async () => {
  expect(accountOfLog(logOfExport(places.exported), spooled)).toEqual(expected.before)
  await using imported = await open(emptyFolder('imported'), { 'lifestats.retention_days': 0 })
  expect((await imported.run('store.import', { path: places.exported })).at(-1)).toMatchObject({
    events_added: expected.before.events,
    lines_bad: 0,
  })
  expect(accountOfLog(await logOfApp(imported), spooled)).toEqual(expected.before)
})

test('a session exported in the format of Claude Code is imported as a transcript', async () => {
  await using imported = await open(emptyFolder('transcripts'), { 'lifestats.retention_days': 0 })
  await imported.run('transcripts.import', { paths: [places.claudeExport] })
  const { session, kinds } = expected.claude_export
  for (const kind of ['user_prompt', 'thinking', 'assistant_text', 'tool_call', 'tool_result'] as const)
    expect(await imported.count({ session_id: session, kind }), kind).toBe(kinds[kind])
})

test('setup --undo reverts its setup', async () => {
  const root = join(folder.path, 'undone')
  for (const part of ['data', 'claude'] as const) cpSync(places[part], join(root, part), { recursive: true })
  const record = join(root, 'data', 'setup.json')
  writeFileSync(record, readFileSync(record, 'utf8').replaceAll(NEUTRAL_ROOT, root))
  const removed: string[] = []
  await undoBaseUrl(join(root, 'data'), {
    name: 'systemd',
    file: 'aspy.service',
    isReachable: () => Promise.resolve(true),
    install: () => Promise.reject(new Error('nothing is installed')),
    remove: async () => void removed.push('service'),
  })
  undoSetUp(join(root, 'data'))
  expect(removed).toEqual(['service'])
  expect(existsSync(record)).toBe(false)
  expect(readdirSync(join(root, 'claude', 'skills'))).toEqual([])
  expect(JSON.parse(readFileSync(join(root, 'claude', 'settings.json'), 'utf8'))).toEqual({
    permissions: { allow: ['Bash(ls:*)'] },
    env: { ANTHROPIC_BASE_URL: 'https://gateway.example' },
  })
  const { config } = loadConfig({ file: join(root, 'data', 'config.toml') })
  expect(config.proxy).toMatchObject({ upstream: 'https://api.anthropic.com', port: expected.config['proxy.port'] })
})

/** A million events with `npm run test:heavy`. */
const COPIES = runs(2, 125)

test('a large store of its layout opens with every copy complete', async () => {
  using large = makeTempFolder('aspy-older-large-')
  const { data } = unpackOlderData(large.path)
  multiplyStore(data, COPIES)
  await using opened = await open(data)
  const { before, log } = expected
  expect(await opened.count()).toBe(COPIES * before.events + log.events - before.events)
  expect(await opened.count({ kind: 'tool_result' })).toBe(
    COPIES * (before.kinds['tool_result'] ?? 0) + (log.kinds['tool_result'] ?? 0) - (before.kinds['tool_result'] ?? 0),
  )
  for (const session of Object.keys(before.sessions).slice(0, 5)) {
    const original = await saidIn(opened, session)
    expect(original.length).toBe(before.sessions[session]?.events)
    for (const copy of [1, COPIES - 1]) expect(await saidIn(opened, copiedUuid(session, copy) ?? '')).toEqual(original)
  }
  expect(await opened.call('store.check')).toEqual({ damage: [], full_text: [] })
})

/** Returns the complete events of a session in the order of its turns. */
async function saidIn(opened: TestApp, session_id: string): Promise<readonly unknown[]> {
  const batches = await opened.run<{ items: { kind: string; ts_wall: string; payload: object }[] }>('events.replay', {
    session_id,
  })
  return batches.flatMap(({ items }) => items.map(({ kind, ts_wall, payload }) => ({ kind, ts_wall, payload })))
}
