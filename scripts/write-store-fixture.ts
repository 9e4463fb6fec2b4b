import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { stringify } from 'smol-toml'
import { setBaseUrl } from '../src/main/clients/claude-code/setup/base-url.ts'
import { preparePluginPlaces } from '../src/main/clients/claude-code/setup/plugin-places.ts'
import { setUp } from '../src/main/clients/claude-code/setup/setup.ts'
import { EVENT_KINDS } from '../src/shared/event.ts'
import { aspy } from '../tests/support/app/aspy-command.ts'
import { startMessagesUpstream } from '../tests/support/upstream/messages-upstream.ts'
import { startSinkReceiver } from '../tests/support/upstream/sink-receiver.ts'
import { startApp, type TestApp } from '../tests/support/app/start-app.ts'
import { writeHistory } from '../tests/support/store/fixture-history.ts'
import { fixtureAnswer, liveSession, PROJECT, shortSession } from '../tests/support/store/fixture-traffic.ts'
import { accountOfLog, canonical, sha256, type LogAccount } from '../tests/support/store/log-account.ts'
import { logBySql } from '../tests/support/store/log-by-sql.ts'
import {
  EXPECTED_FILE,
  FIXTURE_FILE,
  logOfExport,
  NEUTRAL_ROOT,
  PLACES,
  type Expected,
} from '../tests/support/store/older-data.ts'
import { writeRecordedTranscripts } from '../tests/support/store/recorded-client.ts'
import { accountOfTables, type TableAccount } from '../tests/support/store/table-account.ts'
import { packFolder } from '../tests/support/store/tar-zst.ts'
import { makeTempFolder } from '../tests/support/runner/temp-folder.ts'
import { until } from '../tests/support/runner/until.ts'

/**
 * Writes tests/fixtures/store-v1: everything that the version it runs in writes to a data folder, and an account of it that
 * was taken with plain SQL. `npx node scripts/write-store-fixture.ts COMMIT`; COMMIT is noted as what wrote it. Later versions
 * open what is there: it is not written again when the store changes.
 */

const WORDS = ['quokka', 'basket', 'solarized', 'wombat', 'overloaded', 'ledger']
const SPOOLED = ['5b001ed0-0000-4000-8000-000000000001', '5b001ed0-0000-4000-8000-000000000002']
const LIVE = ['11ce0000-0000-4000-8000-000000000001', '11ce0000-0000-4000-8000-000000000002']
/** A recorded session that is deleted; its transcript stays on the disk. */
const DELETED = '60d80e9c-ff34-4adf-945a-7f5fd342196b'
const HASH_KEY = Buffer.alloc(32, 0x5a)

/** Nothing in here may depend on the day on which the fixture is opened: nothing is archived or removed by its age. */
const CONFIG: { readonly [key: string]: unknown } = {
  'proxy.port': 12_779,
  'proxy.max_queue_bytes': 33_554_432,
  'app.port': 12_780,
  'app.allowed_hosts': ['aspy.example:12780'],
  'app.theme': 'solarized-dark',
  'lifestats.max_thinking_size': 90_000,
  'lifestats.retention_days': 0,
  'lifestats.archive_days': 0,
  'redaction.mask_emails': true,
  'redaction.patterns': [{ name: 'codename', pattern: 'Operation [A-Z][a-z]+ Harbour', ignore_case: true }],
  'filter.drop_tools': ['mcp__secret__*'],
  'pricing.models': [
    { model: 'claude-nobody-knows-1', input: 1, output: 2, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 },
  ],
  'session_log.max_file_bytes': 20_000,
  'session_log.compress': 'zstd',
  'session_log.retention_days': 0,
  'session_log.max_total_bytes': 0,
  'webhook.url': 'https://hooks.example/aspy',
  'webhook.interval_ms': 10,
  'otel.endpoint': 'https://otel.example/v1/traces',
  'notices.long_turn_minutes': 7,
  'budgets.daily_usd': 0.01,
  'budgets.monthly_usd': 500,
  'budgets.projects': [{ project: PROJECT, weekly_usd: 0.02 }],
}

/** Made up; whoever opens the fixture must find the same. */
const KEYS = {
  token: 'fixture-token-AAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  hooks: 'fixture-hooks-BBBBBBBBBBBBBBBBBBBBBBBBBBBBB',
  mcp: 'fixture-mcp-CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC',
  metrics: 'fixture-metrics-DDDDDDDDDDDDDDDDDDDDDDDDDDD',
} as const

const commit = process.argv[2]
if (commit === undefined) throw new Error('usage: npx node scripts/write-store-fixture.ts COMMIT')
using folder = makeTempFolder('aspy-fixture-')
const root = folder.path
const place = (name: keyof typeof PLACES) => join(root, PLACES[name])
const data = place('data')
const database = join(data, 'lifestats.db')
const transcripts = place('transcripts')

await using upstream = await startMessagesUpstream(fixtureAnswer)
await using webhook = await startSinkReceiver()
await using otel = await startSinkReceiver((_, response) => void response.writeHead(200).end('{}'))
const start = (settings: Readonly<Record<string, unknown>> = {}, dataDir = data): Promise<TestApp> =>
  startApp({
    upstream: upstream.url,
    dataDir,
    settings: { 'webhook.url': webhook.url, 'otel.endpoint': otel.url, ...settings },
  })

mkdirSync(data)
writeConfig()
await setUpClaudeCode()
writeHistory(data, HASH_KEY)
writeRecordedTranscripts(root)
await runApp()
neutralize()
await exportAll()
await spool()
await writeFixture()

function writeConfig(): void {
  const sections: Record<string, Record<string, unknown>> = {}
  for (const [key, value] of Object.entries(CONFIG)) {
    const [section = '', name = ''] = key.split('.')
    ;(sections[section] ??= {})[name] = value
  }
  writeFileSync(join(data, 'config.toml'), `# Written by hand.\n${stringify(sections)}`)
}

/** As `aspy setup --thinking --base-url` does, with a service manager that does nothing. */
async function setUpClaudeCode(): Promise<void> {
  const claudeDir = place('claude')
  mkdirSync(claudeDir)
  const settingsFile = join(claudeDir, 'settings.json')
  const settings = { permissions: { allow: ['Bash(ls:*)'] }, env: { ANTHROPIC_BASE_URL: 'https://gateway.example' } }
  writeFileSync(settingsFile, JSON.stringify(settings, null, 4))
  for (const [name, key] of Object.entries(KEYS)) writeFileSync(join(data, name), `${key}\n`, { mode: 0o600 })
  const done = () => Promise.resolve()
  await setBaseUrl({
    dataDir: data,
    settingsFile,
    configFile: join(data, 'config.toml'),
    proxyUrl: 'http://127.0.0.1:12779',
    upstream: 'https://api.anthropic.com',
    env: {},
    services: {
      name: 'systemd',
      file: '/home/dev/.config/systemd/user/aspy.service',
      isReachable: () => Promise.resolve(true),
      install: done,
      remove: done,
    },
    service: { command: ['aspy', 'serve'], env: {}, logFile: join(data, 'serve.log') },
    runningUpstream: null,
    isServed: () => Promise.resolve(true),
  })
  const places = preparePluginPlaces({ dataDir: data, aspy: ['/opt/aspy/bin/aspy'], appPort: 12_780 })
  setUp({ ...places, claudeDir, withThinking: true })
}

/** Everything that only a running app does. */
async function runApp(): Promise<void> {
  await using app = await start({ 'lifestats.retention_days': 45 })
  await app.recorderRuns()
  await app.run('transcripts.import', { paths: [transcripts] })
  for (const [at, session] of LIVE.entries()) await liveSession(app, session, ['wombat', 'numbat'][at] ?? '')
  await until(
    'live sessions are recorded',
    async () => (await app.count({ session_id: LIVE[1] ?? '', kind: 'session_ended' })) === 1,
  )
  await app.call('events.post', { session_id: LIVE[0], kind: 'turn_ended', payload: { reason: 'posted' } })
  await markByHand(app)
  await app.call('sessions.delete', { session_id: DELETED })
  await app.run('store.archive')
  await until('budgets were reported', async () => rowsOf('SELECT * FROM budget_notices').length >= 2)
  await until('stretches of sessions are summed up', async () => rowsOf('SELECT * FROM episodes').length > 5)
  await until('sinks have what they wait for', async () =>
    (await app.running.health()).sinks.every(({ waiting }) => waiting === 0),
  )
}

/** What people make: labels, memories with evidence, saved searches. */
async function markByHand(app: TestApp): Promise<void> {
  const sessions = rowsOf('SELECT id FROM sessions ORDER BY started_at, id').map(({ id }) => String(id))
  await app.call('sessions.label', { session_id: sessions[0], pinned: true, title: 'The first of all, kept whole' })
  await app.call('sessions.label', { session_id: sessions[1], starred: true })
  await app.call('sessions.label', {
    session_id: LIVE[0],
    starred: true,
    pinned: true,
    title: 'Rounding in the basket 🧺',
  })
  const texts = rowsOf(
    "SELECT uuid FROM events WHERE kind IN ('assistant_text', 'user_prompt') ORDER BY id LIMIT 40",
  ).map(({ uuid }) => String(uuid))
  await app.call('memories.add', {
    uuid: texts[3],
    fact: 'Sums are rounded once, at the end',
    category: 'decision',
    confidence: 0.9,
    note: 'Asked twice',
  })
  await app.call('memories.add', { uuid: texts[9], confirms: texts[3] })
  await app.call('memories.add', { uuid: texts[20] })
  await app.call('searches.save', { name: 'Rounding', address: '?q=basket&range=30d' })
  await app.call('searches.save', { name: 'Everything of quokkas', address: '?q=quokka' })
}

/** Removes the paths of the folder that this ran in, then rewrites the file so that no free page has them either. */
function neutralize(): void {
  const db = new Database(database)
  try {
    db.prepare('UPDATE transcript_files SET path = replace(path, ?, ?)').run(root, '')
    db.exec('VACUUM')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
  for (const file of [join(data, 'setup.json'), ...filesBelow(place('claude'))])
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(root, NEUTRAL_ROOT))
}

async function exportAll(): Promise<void> {
  await using app = await start()
  await app.recorderRuns()
  const command = async (...args: string[]) => {
    const { code, stderr } = await aspy([...args, '--data', data])
    if (code !== 0) throw new Error(`aspy ${args.join(' ')}: ${stderr}`)
  }
  await command('export', '--out', place('exported'))
  const folder = join(place('claudeExport'), '-home-dev-shop')
  mkdirSync(folder, { recursive: true })
  const session = demoSession()
  await command('export', '--session', session, '--format', 'claude', '--out', join(folder, `${session}.jsonl`))
  await command('backup', place('backup'))
}

/** While somebody else holds the database, what is recorded waits in the spool; the app ends before it comes back. */
async function spool(): Promise<void> {
  const app = await start()
  await app.recorderRuns()
  const holder = new Database(database)
  holder.exec('BEGIN IMMEDIATE')
  try {
    for (const [at, session] of SPOOLED.entries()) await shortSession(app, session, ['bilby', 'potoroo'][at] ?? '')
    const file = join(data, 'spool.jsonl')
    const ended = () => (existsSync(file) ? readFileSync(file, 'utf8').split('"kind":"turn_ended"').length - 1 : 0)
    await until('all of it is spooled', () => Promise.resolve(ended() === SPOOLED.length))
    await app.close()
  } finally {
    holder.exec('ROLLBACK')
    holder.close()
  }
}

async function writeFixture(): Promise<void> {
  for (const name of ['writer.lock', 'lifestats.db-wal', 'lifestats.db-shm']) rmSync(join(data, name), { force: true })
  const before = accountBySql(data)
  const copy = join(root, '..', `${root.split('/').at(-1)}-opened`)
  cpSync(data, copy, { recursive: true })
  try {
    const app = await start({}, copy)
    await until(
      'the spool is back',
      async () => (await app.count({ session_id: SPOOLED[1] ?? '', kind: 'turn_ended' })) === 1,
    )
    await app.close()
    write(before, accountBySql(copy))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function write(before: Account, after: Account): void {
  for (const [session, account] of Object.entries(before.log.sessions))
    assertSame(`session ${session}`, after.log.sessions[session], account)
  assertSame('the export', accountOfLog(logOfExport(place('exported'))), before.log)
  // The guard acts only with a cap, which would stop the session.
  const missing = EVENT_KINDS.filter((kind) => kind !== 'guard_action' && before.log.kinds[kind] === undefined)
  if (missing.length > 0) throw new Error(`no events of ${missing.join(', ')}`)
  const session = demoSession()
  const expected: Expected = {
    written_by: commit ?? '',
    written_at: new Date().toISOString(),
    user_version: before.version,
    spooled: SPOOLED,
    deleted: { session: DELETED, transcript: `-home-user-project/${DELETED}.jsonl` },
    before: before.log,
    log: after.log,
    tables: after.tables,
    archived_events: before.archived,
    newest_id: before.newest,
    claude_export: { session, kinds: before.log.sessions[session]?.kinds ?? {} },
    session_logs: Object.fromEntries(
      filesBelow(join(data, 'logs')).map((file) => [file.slice(data.length + 6), sha256(readFileSync(file, 'latin1'))]),
    ),
    config: { ...CONFIG, 'proxy.upstream': 'https://gateway.example' },
    keys: KEYS,
  }
  const files = join(root, '..', `${root.split('/').at(-1)}-files`)
  try {
    for (const path of Object.values(PLACES)) cpSync(join(root, path), join(files, path), { recursive: true })
    assertNeutral(files)
    mkdirSync(join(FIXTURE_FILE, '..'), { recursive: true })
    packFolder(files, FIXTURE_FILE)
    writeFileSync(EXPECTED_FILE, `${JSON.stringify(expected, null, 1)}\n`)
  } finally {
    rmSync(files, { recursive: true, force: true })
  }
  const { events, kinds } = after.log
  process.stdout.write(
    `${events} events, ${statSync(FIXTURE_FILE).size} bytes, archived: ${before.archived}\n${JSON.stringify(kinds)}\n`,
  )
}

interface Account {
  readonly version: number
  readonly archived: number
  readonly newest: number
  readonly log: LogAccount
  readonly tables: TableAccount
}

function accountBySql(dataDir: string): Account {
  const db = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  try {
    const unnamed = new Set(SPOOLED)
    const number = (sql: string) => Number(db.prepare(sql).pluck().get())
    return {
      version: Number(db.pragma('user_version', { simple: true })),
      archived: number('SELECT count(*) FROM archived_events'),
      newest: number('SELECT max(id) FROM events'),
      log: accountOfLog(logBySql(db, join(dataDir, 'archive')), unnamed),
      tables: accountOfTables(db, { words: WORDS, unnamed }),
    }
  } finally {
    db.close()
  }
}

function assertSame(what: string, one: unknown, other: unknown): void {
  if (canonical(one) !== canonical(other))
    throw new Error(`${what} differs:\n${JSON.stringify(one, null, 1)}\n${JSON.stringify(other, null, 1)}`)
}

/** Throws where a path or the name of this machine is in any byte. */
function assertNeutral(files: string): void {
  for (const file of filesBelow(files)) {
    const bytes = readFileSync(file)
    for (const word of [root, import.meta.dirname, hostname()])
      if (word.length > 4 && bytes.includes(word)) throw new Error(`${file} holds ${word}`)
  }
}

function rowsOf(sql: string): readonly { readonly [column: string]: unknown }[] {
  const db = new Database(database, { readonly: true, timeout: 5000 })
  try {
    return db.prepare<[], { [column: string]: unknown }>(sql).all()
  } finally {
    db.close()
  }
}

/** The last session of the made-up history: none of it is archived. */
function demoSession(): string {
  return String(
    rowsOf(
      "SELECT id FROM sessions WHERE project LIKE '/home/dev/%' AND project <> '/home/dev/shop' ORDER BY started_at DESC LIMIT 1",
    )[0]?.['id'],
  )
}

function filesBelow(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )
}
