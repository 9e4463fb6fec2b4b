import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { few, isHeavy } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { DAMAGES, type EventsOf, pagesOf, readableEvents, writeDamaged } from '../../support/store/damaged-store.ts'
import { seeded } from '../../support/store/history.ts'
import { HASH_KEY, readStore } from '../../support/store/folder.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const TIME_LIMIT_MS = isHeavy ? 60 * 60_000 : 480_000
/** More than there are events. */
const MOST = 10_000
/** The warnings that something of the file was lost. */
const SAYING: ReadonlySet<string> = new Set(['database_set_aside', 'log_removed'])
/** A check that fails is repeated after a minute. */
const WAIT_MS = 90_000

const random = seeded(38)
const longText = (words: number) =>
  Array.from({ length: words }, () => Math.floor(random() * 1e9).toString(36)).join(' ')

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream((_, at) => ({
    steps: [{ thinking: longText(40) }, { text: longText(at % 5 === 0 ? 900 : 90) }],
    usage: { input_tokens: 1000, output_tokens: 100 },
    deltaLength: 2000,
  }))
})
afterAll(() => upstream.close())

/** Records conversations in a new folder; returns the database, beside which are copies of it and of `app.json` as the app ran. */
async function recordTraffic(dataDir: string): Promise<string> {
  writeFileSync(join(dataDir, 'hash.key'), HASH_KEY, { mode: 0o600 })
  const path = join(dataDir, 'lifestats.db')
  const app = await startApp({ upstream: upstream.url, dataDir })
  let asked = 0
  for (let session = 0; session < 6; session += 1) {
    const history: object[] = []
    for (let turn = 0; turn < 5; turn += 1) {
      const prompt = longText(turn === 2 ? 500 : 50)
      await (await ask(app.proxy, { prompt, session: `session-${session}`, history: [...history] })).text()
      history.push({ role: 'user', content: [{ type: 'text', text: prompt }] }, { role: 'assistant', content: 'Yes.' })
      asked += 1
    }
  }
  await until('all is recorded', async () => (await app.count({ kind: 'model_response' })) === asked)
  copyFileSync(path, `${path}.live`)
  copyFileSync(join(dataDir, 'app.json'), `${path}.app.json`)
  await app.close()
  const db = new Database(path)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  return path
}

/** A way to damage the database file. */
interface Spoiled {
  readonly name: string
  readonly spoil: (path: string) => void
}

/** Every page once, with each kind of damage in turn; pairs; the root of every index; the whole file. */
function spoiledFiles(recorded: string): readonly Spoiled[] {
  const whole = readFileSync(recorded)
  const pages = pagesOf(whole)
  const damagedPages = (numbers: readonly number[], at: number): Spoiled => {
    const damage = DAMAGES[at % DAMAGES.length] ?? 'zeros'
    return { name: `${damage} ${numbers.join('+')}`, spoil: (path) => writeDamaged(path, whole, numbers, damage) }
  }
  const other = (name: string, spoil: (path: string) => void): Spoiled => ({
    name,
    spoil(path) {
      writeFileSync(path, whole)
      spoil(path)
    },
  })
  const roots = readStore(recorded, (db) =>
    db.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE type = 'index'").pluck().all(),
  )
  return [
    ...Array.from({ length: pages }, (_, at) => damagedPages([at + 1], at)),
    ...Array.from({ length: 40 }, (_, at) => {
      const first = 1 + Math.floor((at * pages) / 40)
      return damagedPages([first, 1 + ((first * 7 + at) % pages)], at)
    }),
    ...roots.map((page, at) => damagedPages([page], at)),
    other('a removed log', (path) => {
      copyFileSync(`${recorded}.live`, path)
      copyFileSync(`${recorded}.app.json`, join(dirname(path), 'app.json'))
    }),
    other('cut to half', (path) => truncateSync(path, 4096 * Math.floor(pages / 2))),
    other('cut within a page', (path) => truncateSync(path, Math.floor(whole.length * 0.7) - 1000)),
    other('zeros', (path) => writeFileSync(path, Buffer.alloc(whole.length))),
    other('empty', (path) => truncateSync(path, 0)),
  ]
}

/** Returns what is there unchanged, and whether SQLite finds nothing wrong with the file. */
function stateOf(path: string, all: EventsOf): { readonly found: EventsOf; readonly isWhole: boolean } {
  const found = readableEvents(path, MOST, all) ?? new Map<string, string>()
  const isSound = readStore(path, (db) => db.pragma('integrity_check(1)', { simple: true }) === 'ok')
  return { found, isWhole: isSound && found.size === all.size }
}

async function recordedAfterMs(app: TestApp): Promise<number> {
  const begun = performance.now()
  const answer = await ask(app.proxy, { prompt: 'a question after the damage', session: 'new' })
  expect(await answer.text()).toContain('message_stop')
  // Stored, or safe in the spool while the file is salvaged.
  await until('it is recorded', async () => {
    const { spooled, exchanges_recorded: recorded } = await app.running.health()
    return recorded > 0 || spooled > 0
  })
  return performance.now() - begun
}

type Outcome = 'unharmed' | 'repaired' | 'salvaged whole' | 'salvaged in part' | 'unreadable'

interface Result {
  readonly outcome: Outcome
  readonly kept: number
  readonly recordedMs: number
  readonly problems: readonly string[]
}

/** Starts an app over a damaged file, asks it something, and compares what Health says with what is there. */
async function startOver(spoil: Spoiled['spoil'], all: EventsOf): Promise<Result> {
  using folder = makeTempFolder()
  const path = join(folder.path, 'lifestats.db')
  const copy = join(folder.path, 'copy.db')
  for (const file of [path, copy]) spoil(file)
  writeFileSync(join(folder.path, 'hash.key'), HASH_KEY, { mode: 0o600 })
  const readable = readableOrNull(copy, all)
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  const recordedMs = await recordedAfterMs(app)
  const said = async () => (await app.running.health()).warnings.find(({ code }) => SAYING.has(code))
  // A check that meets a file which is just set aside ends without a note, and is repeated after a minute.
  const isChecked = async () => existsSync(join(folder.path, 'last-check')) || (await said()) !== undefined
  await until('the check has ended', isChecked, WAIT_MS)
  await until('it is stored', async () => (await app.count({ session_id: 'new' }).catch(() => 0)) > 0, WAIT_MS)
  await app.recorderRuns()
  const warning = await said()
  const { found, isWhole } = stateOf(path, all)
  const lost = [...(readable?.keys() ?? [])].filter((uuid) => !found.has(uuid)).length
  const isSalvaged = warning?.code === 'database_set_aside' && found.size > 0
  const problems = [
    ...(lost > 0 ? [`${lost} readable events are lost`] : []),
    ...(warning === undefined && !isWhole ? [`Health says ok, with ${found.size} of ${all.size} events`] : []),
    ...(isSalvaged && !/It has \d+ events/.test(warning.message) ? [warning.message] : []),
  ]
  const outcome = ((): Outcome => {
    if (warning === undefined) return readable !== null && stateOf(copy, all).isWhole ? 'unharmed' : 'repaired'
    if (found.size === 0) return 'unreadable'
    return found.size === all.size ? 'salvaged whole' : 'salvaged in part'
  })()
  return { outcome, kept: found.size, recordedMs, problems }
}

test(
  'whatever is damaged, recording goes on, all that can be read is back, and Health says so',
  async () => {
    using recorded = makeTempFolder()
    const source = await recordTraffic(recorded.path)
    const all = readableEvents(source, MOST) ?? new Map<string, string>()
    const results: Result[] = []
    const problems: string[] = []
    for (const { name, spoil } of few(spoiledFiles(source), 9)) {
      try {
        const result = await startOver(spoil, all)
        results.push(result)
        problems.push(...result.problems.map((problem) => `${name}: ${problem}`))
      } catch (error) {
        problems.push(`${name}: ${String(error)}`)
      }
    }
    if (isHeavy) console.log(accountOf(results, all.size))
    expect(problems).toEqual([])
  },
  TIME_LIMIT_MS,
)

function accountOf(results: readonly Result[], events: number): object {
  const times = results.map(({ recordedMs }) => recordedMs).sort((one, other) => one - other)
  return {
    files: results.length,
    ...Object.fromEntries([...Map.groupBy(results, ({ outcome }) => outcome)].map(([name, of]) => [name, of.length])),
    events: results.length * events,
    kept: results.reduce((sum, { kept }) => sum + kept, 0),
    median_ms: times[Math.floor(times.length / 2)],
    slowest_ms: times.at(-1),
    over_2_s: times.filter((ms) => ms > 2000).length,
  }
}

function readableOrNull(path: string, all: EventsOf): EventsOf | null {
  try {
    return readableEvents(path, MOST, all)
  } catch (error) {
    if (error instanceof Database.SqliteError) return null
    throw error
  }
}
