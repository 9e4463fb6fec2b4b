import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { importExport } from '../../../src/main/recorder/thread/upkeep/import-export.ts'
import { restoreRequest } from '../../../src/main/requests/restore-request.ts'
import { unpackArchive } from '../../../src/main/store/archive/unpack-archive.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { searchArchives } from '../../../src/main/store/read/archives.ts'
import { exportPage, type ExportedEvent } from '../../../src/main/store/read/export.ts'
import { storedRequestOf } from '../../../src/main/store/read/requests.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import { restoreBackup } from '../../../src/main/store/restore.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { Store } from '../../../src/main/store/store.ts'
import type { ForeignEvent } from '../../../src/main/store/transfer/restore-events.ts'
import { readableSecretsIn, secretsIn, unpackFrames } from '../../support/store/byte-scan.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'
import { HASH_KEY, LIMITS, openTestStore, temporaryFolder } from '../../support/store/folder.ts'
import { blockFact, promptFact, resultFact, seeded, sessionFacts, timeAt } from '../../support/store/history.ts'
import { requestDrafts } from '../../support/store/requests.ts'

const DAY = 86_400_000
const START = Date.parse(timeAt(0))
/** Sessions of day 0 are older than 90 days; data of day 100 is not. */
const now = () => START + 120 * DAY
const RULES = { retention_days: 90, archive_days: 0, delete_days: 0 }
const LATER = 100 * DAY

const OUTPUT = 'wallabyoutputword7'
const LONG = 'numbatoutputword77'
const BLOCK = 'quollrequestword77'

const drafts = (facts: readonly { readonly reports: readonly AnyDraft[] }[]) => facts.flatMap((fact) => fact.reports)

/** Stores two old sessions, a pinned one and a new one, with requests. */
function fill(store: Store): void {
  for (const [at, session] of ['old', 'pinned', 'other'].entries()) {
    store.ingest.append(drafts(sessionFacts(session, 12, seeded(at), at * DAY)))
    const words = session === 'old' ? [OUTPUT, LONG, BLOCK] : [`a-${session}`, `b-${session}`, `c-${session}`]
    store.ingest.append([
      ...drafts([promptFact(session, `p-${session}`, 'show the words', 2 * DAY)]),
      ...drafts([resultFact(session, `c-${session}`, `it says ${words[0]}`, 2 * DAY + 1000)]),
      ...drafts([resultFact(session, `l-${session}`, `${words[1]} `.repeat(300), 2 * DAY + 2000)]),
      ...drafts([resultFact(session, `e-${session}`, `error: ${session} has no such file`, 2 * DAY + 3000)]),
    ])
    store.ingest.append(requestDrafts(store, session, 6, 2 * DAY + 4000, words[2] ?? ''))
  }
  store.ingest.append(drafts(sessionFacts('new', 8, seeded(9), LATER)))
  store.ingest.append(requestDrafts(store, 'new', 4, LATER, 'fresh'))
  store.people.run('sessions.label', { session_id: 'pinned', pinned: true })
}

/** Runs archiving to the end; returns the number of moved events. */
function archive(store: Store, rules: Partial<typeof RULES> = {}): number {
  const steps = store.maintenance.archive({ ...RULES, ...rules })
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value.events
  }
}

function pagesOf(reader: Reader): ExportedEvent[] {
  const items: ExportedEvent[] = []
  for (let cursor: string | undefined; ;) {
    const page = exportPage(reader, { limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    items.push(...page.items)
    if (page.next === null) return items
    cursor = page.next
  }
}

/** Returns everything in an export, and every request as it was sent. */
const exported = (dbPath: string) =>
  reading(dbPath, (reader) => {
    const source = { storedRequest: (id: string) => storedRequestOf(reader, id), getContent: reader.content }
    return pagesOf(reader).map((item) => ({
      ...item,
      contents: null,
      body: item.event.payload['request'] ? restoreRequest(source, item.event.uuid) : null,
    }))
  })

const archiveText = (folder: string): string =>
  readdirSync(join(folder, 'archive'))
    .map((name) => unpackFrames(readFileSync(join(folder, 'archive', name))).toString())
    .join('')

/** Returns the data that archiving leaves unchanged: everything except the full text of tool traffic. */
function lastingRows(dbPath: string): Record<string, unknown[]> {
  return withWriter(dbPath, (db) => {
    const rows = contentsOfProjections(db)
    const without = (column: string, ...tables: readonly string[]) =>
      Object.fromEntries(
        tables.map((table) => [table, (rows[table] ?? []).map((row) => ({ ...(row as object), [column]: null }))]),
      )
    const { tool_texts: _, long_tool_texts: __, ...rest } = rows
    return {
      ...rest,
      ...without('input_json', 'tool_calls', 'tool_call_rows'),
      ...without('output_json', 'tool_results', 'tool_result_rows'),
    }
  })
}

test('payloads move to monthly archives; exports, totals, chains and texts are the same as before', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  fill(store)
  store.close()
  const [before, rows] = [exported(dbPath), lastingRows(dbPath)]
  const { store: again } = openTestStore({ now, dataDir: folder })
  const moved = archive(again)
  expect(moved).toBeGreaterThan(50)
  expect(archive(again)).toBe(0)
  again.close()

  expect(exported(dbPath)).toEqual(before)
  expect(lastingRows(dbPath)).toEqual(rows)
  const files = readdirSync(join(folder, 'archive'))
  expect(files).toHaveLength(1)
  expect(files[0]).toMatch(/^2026-11-[0-9a-f]{8}\.jsonl\.zst$/)
  expect(statSync(join(folder, 'archive', files[0] ?? '')).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'archive')).mode & 0o777).toBe(0o700)
  const lines = archiveText(folder).trimEnd().split('\n')
  expect(lines[0]).toBe('{"aspy_archive":1,"month":"2026-11"}')
  expect(lines.filter((line) => line.startsWith('{"id"'))).toHaveLength(moved)
  expect(archiveText(folder)).toContain(BLOCK)
  // The database keeps no output of the old session, long or short, but all output of the pinned one.
  withWriter(dbPath, (db) => {
    const held = (word: string) =>
      Number(db.prepare('SELECT count(*) FROM tools_fts WHERE tools_fts MATCH ?').pluck().get(word))
    expect([held(OUTPUT), held(LONG), held('"a pinned"')]).toEqual([0, 0, 1])
    const error = db.prepare("SELECT error FROM tool_results WHERE call_id = 'e-old'").pluck().get()
    expect(error).toBe('error: old has no such file')
    const followed = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(contentsOfProjections(db)).toEqual(followed)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  })
  expect(secretsIn(folder, [OUTPUT]).filter((found) => found.includes('table'))).toEqual([])
})

test('importing an export again adds nothing, and requests still continue archived ones', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  fill(store)
  archive(store)
  const counts = () =>
    withoutLock(store, folder, (db) => [
      db.prepare('SELECT count(*) FROM events').pluck().get(),
      db.prepare('SELECT count(*) FROM sightings').pluck().get(),
    ])
  const before = counts()
  for (const [at, session] of ['old', 'other'].entries()) {
    const seed = session === 'old' ? 0 : 2
    const facts = drafts(sessionFacts(session, 12, seeded(seed), (at === 0 ? 0 : 2) * DAY))
    // An event without a key is a new fact each time it is reported.
    const again = store.ingest.append(facts.filter(({ keys }) => keys.length > 0))
    expect(again.added).toEqual([])
  }
  expect(counts()).toEqual(before)
  const taken = store.ingest.restoreEvents(reading(dbPath, pagesOf) as unknown as ForeignEvent[])
  expect(taken).toMatchObject({ added: 0, rest: [] })
  expect(counts()).toEqual(before)
})

function withoutLock<T>(store: Store, folder: string, read: (db: ReturnType<typeof openReader>) => T): T {
  store.maintenance.checkpoint()
  const db = openReader(join(folder, 'lifestats.db'))
  try {
    return read(db)
  } finally {
    db.close()
  }
}

test('a run that ends between any two steps neither loses nor duplicates data', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  fill(store)
  store.close()
  const [before, rows] = [exported(dbPath), lastingRows(dbPath)]
  let moved = 0
  for (let steps = 1; ; steps += 1) {
    const { store: next } = openTestStore({ now, dataDir: folder })
    const run = next.maintenance.archive(RULES)
    let ended = false
    for (let at = 0; at < steps && !ended; at += 1) {
      const { done, value } = run.next()
      ended = done === true
      if (at === steps - 1 || ended) moved += value.events
    }
    // As after a kill: the generator is not closed.
    next.close()
    expect(exported(dbPath)).toEqual(before)
    if (ended && steps > 3) break
  }
  expect(lastingRows(dbPath)).toEqual(rows)
  const ids = archiveText(folder)
    .split('\n')
    .flatMap((line) => /^\{"id":(\d+)/.exec(line)?.[1] ?? [])
  expect(ids).toHaveLength(new Set(ids).size)
  expect(ids).toHaveLength(moved)
})

test('nothing that can be read keeps the text of a deleted session, archives included; other sessions are unchanged', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  fill(store)
  archive(store)
  const others = () => exported(dbPath).filter(({ event }) => event.session_id !== 'old')
  const before = others()
  expect(secretsIn(folder, [OUTPUT, LONG, BLOCK]).length).toBeGreaterThan(2)
  store.removal.deleteSession('old')
  for (const _ of store.maintenance.scrub() ?? []);
  expect(readableSecretsIn(folder, [OUTPUT, LONG, BLOCK])).toEqual([])
  for (const _ of store.maintenance.rewrite());
  expect(secretsIn(folder, [OUTPUT, LONG, BLOCK])).toEqual([])
  expect(others()).toEqual(before)
  expect(store.ingest.append(drafts(sessionFacts('old', 12, seeded(0), 0)))).toMatchObject({ added: [], joined: 0 })

  store.removal.deleteSession('other')
  for (const _ of store.maintenance.scrub() ?? []);
  expect(existsSync(join(folder, 'archive')) ? readdirSync(join(folder, 'archive')) : []).toEqual([])
})

test('an expired archive is removed, and opening its events says so', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  fill(store)
  archive(store)
  store.close()
  const rows = lastingRows(dbPath)
  const { store: later } = openTestStore({ now: () => now() + 400 * DAY, dataDir: folder })
  const steps = later.maintenance.archive({ retention_days: 0, archive_days: 365, delete_days: 0 })
  let removed = 0
  for (let step = steps.next(); ; step = steps.next())
    if (step.done) {
      removed = step.value.archives_removed
      break
    }
  expect(removed).toBe(1)
  expect(readdirSync(join(folder, 'archive'))).toEqual([])
  later.close()
  expect(lastingRows(dbPath)).toEqual(rows)
  const result = exported(dbPath).find(({ keys }) => keys.includes('result:c-old'))
  expect(result?.event.payload).toMatchObject({
    call_id: 'c-old',
    output: null,
    archive_missing: expect.stringContaining('archive of 2026-11, which expired'),
  })
  withWriter(dbPath, (db) => {
    const followed = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(contentsOfProjections(db)).toEqual(followed)
  })
})

test('a backup contains the archives: restored elsewhere, it holds all data except what was deleted since', async () => {
  const { store, folder, dbPath } = openTestStore({ now })
  fill(store)
  archive(store)
  const backup = join(folder, 'copy.aspy')
  await store.maintenance.backup(backup, () => undefined)
  const before = exported(dbPath)
  const elsewhere = temporaryFolder()
  const stages: string[] = []
  const restoreInto = (dataDir: string) =>
    restoreBackup({
      backup,
      dataDir,
      databasePath: join(dataDir, 'lifestats.db'),
      limits: LIMITS,
      onStage: (stage) => stages.push(stage),
    })
  restoreInto(elsewhere)
  expect(stages).toHaveLength(4)
  expect(exported(join(elsewhere, 'lifestats.db'))).toEqual(before)

  store.removal.deleteSession('old')
  store.close()
  expect(restoreInto(folder)).toMatchObject({ left_out: 1 })
  expect(exported(dbPath)).toEqual(before.filter(({ event }) => event.session_id !== 'old'))
  expect(secretsIn(join(folder, 'archive'), [OUTPUT, LONG, BLOCK])).toEqual([])
  // The previous data was set aside; the next deletion removes it.
  expect(readdirSync(folder).filter((name) => name.startsWith('archive.before-restore-'))).toHaveLength(1)
  const { store: again } = openTestStore({ now, dataDir: folder })
  again.removal.deleteSession('other')
  for (const _ of again.maintenance.scrub() ?? []);
  expect(readdirSync(folder).filter((name) => name.startsWith('archive.'))).toEqual([])
})

test('an archive outlives its database: importing its lines restores requests and tool traffic', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  fill(store)
  archive(store)
  store.close()
  const before = exported(dbPath).filter(({ event }) => ['old', 'other'].includes(event.session_id))
  const [file = ''] = readdirSync(join(folder, 'archive'))
  const plain = join(folder, 'plain.jsonl')
  unpackArchive(join(folder, 'archive', file), plain)
  expect(readFileSync(plain, 'utf8')).toBe(archiveText(folder))

  const lines = before.filter(isHeavy)
  const byUuid = (items: ReturnType<typeof exported>) => new Map(items.map((item) => [item.event.uuid, item]))
  // Whole, and where one event of many cannot be stored.
  for (const refused of [undefined, lines[5]?.event.uuid]) {
    const { store: fresh, dbPath: freshPath } = openTestStore({ now })
    const restoreEvents: Store['ingest']['restoreEvents'] = (records) => {
      if (records.some(({ event }) => event.uuid === refused)) throw new Error('not this one')
      return fresh.ingest.restoreEvents(records)
    }
    const picky = { ...fresh, ingest: { restoreEvents } } as unknown as Store
    const steps = importExport({ path: plain, store: () => picky, redact: (value) => value })
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    const stored = lines.filter(({ event }) => event.uuid !== refused)
    expect(step.value).toMatchObject({ lines_bad: lines.length - stored.length, events_added: stored.length })
    fresh.close()
    expect(byUuid(exported(freshPath))).toEqual(byUuid(stored))
  }
})

const isHeavy = ({ event }: { readonly event: { readonly kind: string } }) =>
  ['tool_call', 'tool_result', 'model_request', 'model_response'].includes(event.kind)

test('archives are searched on request, page by page, without deleted data', () => {
  const { store, dbPath } = openTestStore({ now })
  fill(store)
  archive(store)
  const search = (words: string[], more = {}) =>
    reading(dbPath, (reader) => {
      reader.budget.begin(1, 60_000)
      return searchArchives(reader, { words, limit: 20, ...more })
    })
  expect(search([OUTPUT])).toMatchObject({
    items: [{ session_id: 'old', kind: 'tool_result', content: expect.stringContaining(OUTPUT) }],
    next: null,
  })
  expect(search([OUTPUT, 'says']).items).toHaveLength(1)
  expect(search([OUTPUT, 'nowhere']).items).toEqual([])
  expect(search([OUTPUT], { session_id: 'other' }).items).toEqual([])
  expect(search([OUTPUT], { since: timeAt(50 * DAY) }).items).toEqual([])
  const first = search(['parser'], { limit: 1 })
  expect(first.items.length).toBeGreaterThan(0)
  const rest = first.next === null ? [] : search(['parser'], { cursor: first.next, limit: 1000 }).items
  expect([...first.items, ...rest]).toEqual(search(['parser'], { limit: 1000 }).items)
  // If time runs out, the answer holds the results so far and a cursor to continue.
  const late = reading(dbPath, (reader) => {
    reader.budget.begin(1, -1)
    return searchArchives(reader, { words: [OUTPUT], limit: 20 })
  })
  expect(late).toMatchObject({ items: [], partial: true })
  expect(search([OUTPUT], { cursor: late.next ?? '' }).items).toHaveLength(1)
  store.removal.deleteSession('old')
  expect(search([OUTPUT]).items).toEqual([])
})

test('data added to an event while it is being archived is kept, and the event moves in the next run', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  fill(store)
  const late = {
    ...(blockFact('old', 'msg-old-1-0', 1, 500, { call: 'call-old-1-0', input: { command: 'as the hook has it' } }, [])
      .reports[0] as AnyDraft),
    source: 'hook',
  } as AnyDraft
  const steps = store.maintenance.archive(RULES)
  // The first frame is collected and written; the log still holds its events.
  steps.next()
  expect(store.ingest.append([late])).toMatchObject({ added: [], joined: 1 })
  while (!steps.next().done);
  const call = () => exported(dbPath).find(({ keys }) => keys.includes('call:call-old-1-0'))
  const before = call()
  expect(JSON.stringify(before?.sightings)).toContain('as the hook has it')
  expect(archive(store)).toBe(1)
  expect(call()).toEqual(before)
  const ids = archiveText(folder)
    .split('\n')
    .flatMap((line) => /^\{"id":(\d+)/.exec(line)?.[1] ?? [])
  expect(ids).toHaveLength(new Set(ids).size)
  // Once the event is archived, further reports add nothing.
  expect(store.ingest.append([{ ...late, source: 'api' } as AnyDraft])).toMatchObject({ added: [], joined: 1 })
  expect(JSON.stringify(call()?.sightings.filter(({ source }) => source === 'api'))).not.toContain('as the hook has it')
})
