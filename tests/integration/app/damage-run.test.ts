import { existsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { isHeavy, runs } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { pagesOf, readableEvents, storeOf400Pages, writeDamaged } from '../../support/store/damaged-store.ts'
import { HASH_KEY, readStore } from '../../support/store/folder.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const TIME_LIMIT_MS = isHeavy ? 60 * 60_000 : 480_000

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Yes.' }] }))
})
afterAll(() => upstream.close())

/** A way to damage the database file. */
interface Spoiled {
  readonly name: string
  readonly spoil: (path: string) => void
}

function spoiledFiles(whole: Buffer, count: number): readonly Spoiled[] {
  const pages = pagesOf(whole)
  const torn = Array.from({ length: count - 3 }, (_, at): Spoiled => {
    const first = 2 + Math.floor((at * (pages - 1)) / (count - 3))
    const both = at % 3 === 2 ? [first, 2 + ((first * 7) % (pages - 1))] : [first]
    const damage = at % 2 === 0 ? 'zeros' : 'garbage'
    return {
      name: `${both.length} ${damage}: ${both.join('+')}`,
      spoil: (path) => writeDamaged(path, whole, both, damage),
    }
  })
  const other = (name: string, spoil: (path: string) => void): Spoiled => ({
    name,
    spoil(path) {
      writeFileSync(path, whole)
      spoil(path)
    },
  })
  return [
    ...torn,
    other('the first page', (path) => writeDamaged(path, whole, [1], 'zeros')),
    other('cut', (path) => truncateSync(path, 4096 * Math.floor(pages / 2))),
    other('zeros', (path) => writeFileSync(path, Buffer.alloc(whole.length))),
  ]
}

const uuids = (path: string) =>
  readStore(
    path,
    (db) => new Set(db.prepare<[], string>("SELECT uuid FROM events WHERE session_id <> 'new'").pluck().all()),
  )

/** True if SQLite finds nothing wrong with the file, and all events are in it. */
function isWhole(path: string, all: number): boolean {
  const db = new Database(path, { readonly: true })
  try {
    return db.pragma('integrity_check(1)', { simple: true }) === 'ok' && uuids(path).size === all
  } finally {
    db.close()
  }
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

test(
  'whatever is torn, recording goes on, all that can be read is back, and Health says so',
  async () => {
    const whole = storeOf400Pages()
    using sound = makeTempFolder()
    writeFileSync(join(sound.path, 'whole.db'), whole)
    const all = uuids(join(sound.path, 'whole.db')).size
    const account = { files: 0, unharmed: 0, repaired: 0, salvaged_whole: 0, salvaged_part: 0, unreadable: 0 }
    const figures = { events: 0, kept: 0, slowest_ms: 0 }
    const problems: string[] = []
    for (const { name, spoil } of spoiledFiles(whole, runs(5, 400))) {
      using folder = makeTempFolder()
      const path = join(folder.path, 'lifestats.db')
      const copy = join(folder.path, 'copy.db')
      for (const file of [path, copy]) spoil(file)
      writeFileSync(join(folder.path, 'hash.key'), HASH_KEY, { mode: 0o600 })
      const readable = readableOrNull(copy)
      await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
      account.files += 1
      figures.slowest_ms = Math.max(figures.slowest_ms, await recordedAfterMs(app))
      await until('the check has ended', () => Promise.resolve(existsSync(join(folder.path, 'last-check'))))
      await app.recorderRuns()
      await until('it is stored', async () => (await app.count({ session_id: 'new' }).catch(() => 0)) > 0)
      const codes = (await app.running.health()).warnings.map(({ code }) => code)
      const found = uuids(path)
      figures.events += all
      figures.kept += found.size
      const lost = [...(readable ?? [])].filter((uuid) => !found.has(uuid)).length
      if (lost > 0) problems.push(`${name}: ${lost} readable events are lost`)
      const isSaid = codes.includes('database_set_aside')
      if (!isSaid && !isWhole(path, all)) problems.push(`${name}: Health says ok`)
      if (!isSaid) account[readable !== null && isWhole(copy, all) ? 'unharmed' : 'repaired'] += 1
      else if (found.size === 0) account.unreadable += 1
      else account[found.size === all ? 'salvaged_whole' : 'salvaged_part'] += 1
    }
    if (isHeavy) console.log({ ...account, ...figures })
    expect(problems).toEqual([])
  },
  TIME_LIMIT_MS,
)

function readableOrNull(path: string): ReadonlySet<string> | null {
  try {
    return readableEvents(path, 10_000)
  } catch (error) {
    if (error instanceof Database.SqliteError) return null
    throw error
  }
}
