import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { generateHistory } from '../../support/demo/generate-history.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { charClass } from '../../../src/main/redaction/char-class.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { keyFormat } from '../../../src/main/redaction/rule.ts'
import { contentReader } from '../../../src/main/store/log/contents.ts'
import { namedContents, type NamedContent } from '../../../src/main/store/log/release-contents.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { WritableDb } from '../../../src/main/store/database/connection.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { readableSecretsIn, secretsIn } from '../../support/store/byte-scan.ts'
import { copyOfStore, HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

// Each test writes, redacts and rebuilds whole stores.
const NAMES = Array.from(
  { length: 40 },
  (_, index) => `codeword~${'abcdefghij'[index % 10]}x${index * 7919}Harbour${index}`,
)
const rule = keyFormat('codeword', 'codeword~', charClass('a-zA-Z0-9'), 6)
const redactor = () => createRedactor({ hashKey: HASH_KEY, enabled: true, extraRules: [rule] })

/** A history in which every third text, argument and output contains a word that no rule knows yet. */
function history(): AnyDraft[][] {
  let count = 0
  const spoil = (value: unknown): unknown => {
    if (typeof value === 'string') {
      count += 1
      return count % 3 === 0 && / /.test(value)
        ? `${value.slice(0, 30)} ${NAMES[count % NAMES.length]} ${value.slice(30)}`
        : value
    }
    if (Array.isArray(value)) return value.map(spoil)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spoil(item)]))
  }
  return [...generateHistory({ seed: 'past', sessions: 5 })].map((drafts) =>
    drafts.map((draft) => {
      const worded =
        'text' in draft.payload ||
        'tasks' in draft.payload ||
        'input' in draft.payload ||
        'output' in draft.payload ||
        draft.kind === 'error'
      const payload = worded ? (spoil(draft.payload) as typeof draft.payload) : draft.payload
      return {
        ...draft,
        payload,
        ...(draft.error_message ? { error_message: `${draft.error_message} ${NAMES[0]}` } : {}),
      } as AnyDraft
    }),
  )
}

const slices = (store: Store, most = Number.POSITIVE_INFINITY): number => {
  const past = store.maintenance.pastRedaction(redactor())
  past.begin('rules')
  let done = 0
  const isInDatabase = () => ['events', 'tables'].includes(past.state()?.phase ?? '')
  for (; done < most && isInDatabase(); done += 1) past.slice(3)
  return done
}

/** Returns all rows of the tables with text; for indexes, their matches. */
function dump(path: string): Record<string, unknown[]> {
  const db = new Database(path, { readonly: true })
  try {
    const tables = db
      .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
      .pluck()
      .all()
      .filter((name) => !['contents', 'metadata', 'sqlite_schema'].includes(name))
    const rows: Record<string, unknown[]> = Object.fromEntries(
      tables.map((name) => [
        name,
        db
          .prepare(`SELECT * FROM ${name}`)
          .all()
          .map((row) => JSON.stringify(row))
          .sort(),
      ]),
    )
    for (const index of ['prompts_fts', 'thinking_fts', 'responses_fts', 'tools_fts', 'errors_fts', 'recall_fts'])
      rows[index] = db.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH 'redacted' ORDER BY rowid`).all()
    return rows
  } finally {
    db.close()
  }
}

describe('rules added later', () => {
  test('apply to all stored data: nothing that can be read keeps what they match, and projections equal a rebuild', () => {
    const { store, folder, dbPath } = openTestStore()
    for (const drafts of history()) store.ingest.append(drafts)
    const people = new Database(dbPath)
    const session = people.prepare('SELECT id FROM sessions LIMIT 1').pluck().get()
    const [title, note, search] = NAMES
    people.prepare("INSERT INTO session_labels (session_id, title, updated_at) VALUES (?, ?, '')").run(session, title)
    people
      .prepare(
        `INSERT INTO memories (event_uuid, session_id, fact, note, first_confirmed_at, last_confirmed_at, created_at)
         VALUES ('e', ?, '', ?, '', '', '')`,
      )
      .run(session, note)
    people
      .prepare("INSERT INTO saved_searches (name, address, created_at) VALUES (?, ?, '')")
      .run(search, `/recall?q=${search}`)
    people.close()
    expect(secretsIn(folder, NAMES).length).toBeGreaterThan(20)

    expect(slices(store)).toBeGreaterThan(3)
    for (const _ of store.maintenance.scrub() ?? []);
    store.maintenance.pastRedaction(redactor()).finish()
    expect(readableSecretsIn(folder, NAMES)).toEqual([])
    for (const _ of store.maintenance.rewrite());
    expect(secretsIn(folder, NAMES)).toEqual([])

    const redacted = dump(dbPath)
    expect(redacted['prompts_fts']?.length).toBeGreaterThan(0)
    store.close()
    const db = new Database(dbPath) as unknown as WritableDb
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    db.close()
    expect(redacted).toEqual(dump(dbPath))
  })

  test('sums of a project whose name they match move a page at a time, and add up after every step', () => {
    const { store, dbPath } = openTestStore()
    const prompts = Array.from({ length: 900 }, (_, at) =>
      draftOf(
        'user_prompt',
        { text: `question ${at}` },
        {
          session_id: `s${at % 2}`,
          project: `/work/${at % 2 === 0 ? NAMES[0] : 'plain'}`,
          at: new Date(Date.UTC(2026, 0, 1) + at * 900_000).toISOString(),
        },
      ),
    )
    store.ingest.append(prompts)
    const past = store.maintenance.pastRedaction(redactor())
    past.begin('rules')
    const db = new Database(dbPath, { readonly: true })
    const named = () =>
      Number(db.prepare("SELECT count(*) FROM rollups WHERE project LIKE '%codeword~a%'").pluck().get())
    const moved: number[] = []
    for (let phase = past.state()?.phase; phase === 'events' || phase === 'tables'; phase = past.state()?.phase) {
      const before = named()
      past.slice(0)
      moved.push(before - named())
      expect(db.prepare('SELECT sum(prompts) FROM rollups').pluck().get()).toBe(900)
      expect(db.prepare('SELECT sum(prompts) FROM day_rollups').pluck().get()).toBe(900)
    }
    expect(moved.reduce((sum, rows) => sum + rows)).toBe(450)
    expect(Math.max(...moved)).toBeLessThanOrEqual(200)
    db.close()
    const redacted = dump(dbPath)
    store.close()
    const writer = new Database(dbPath) as unknown as WritableDb
    rebuildProjections(writer, { pricing: createPricing(), hashKey: HASH_KEY })
    writer.close()
    expect(redacted).toEqual(dump(dbPath))
  })

  heavily(test)('an interrupted run resumes with the same result, even with a new store in between', () => {
    const first = openTestStore()
    for (const drafts of history()) first.store.ingest.append(drafts)
    first.store.close()
    const copy = copyOfStore(first.dbPath)

    const whole = openTestStore({ dataDir: first.folder })
    const before = slices(whole.store)
    whole.store.close()

    const broken = openTestStore({ dataDir: copy.folder })
    const run = broken.store.maintenance.pastRedaction(redactor()).begin('rules').run
    expect(before).toBeGreaterThan(6)
    slices(broken.store, 4)
    expect(broken.store.maintenance.pastRedaction(redactor()).state()).toMatchObject({ run, phase: 'events' })
    broken.store.close()
    const again = openTestStore({ dataDir: copy.folder })
    slices(again.store)
    expect(again.store.maintenance.pastRedaction(redactor()).state()?.run).toBe(run)
    again.store.close()
    expect(dump(copy.dbPath)).toEqual(dump(first.dbPath))
    // Other rules restart it.
    const restarted = openTestStore({ dataDir: copy.folder }).store.maintenance.pastRedaction(redactor())
    expect(restarted.begin('other rules')).toMatchObject({ phase: 'events', after: 0, events_changed: 0 })
  })

  test('data recorded meanwhile stays, references are counted, and repeated text creates no second event', () => {
    const { store, dbPath } = openTestStore()
    const all = history()
    for (const drafts of all) store.ingest.append(drafts)
    const past = store.maintenance.pastRedaction(redactor())
    past.begin('rules')
    past.slice(3)
    const text = `${'while it runs '.repeat(100)}`
    const prompt = draftOf(
      'user_prompt',
      { text },
      { at: '2026-11-21T10:00:00.000Z', session_id: 'live', keys: ['live:1'] },
    )
    expect(store.ingest.append([prompt]).added).toHaveLength(1)
    slices(store)
    past.finish()
    // A transcript of it, read with the new rules.
    const rules = redactor()
    const redacted = all.flat().map((draft) => rules.draft(draft))
    const again = store.ingest.append(redacted)
    expect(again.added.filter(({ event: { kind } }) => kind === 'user_prompt' || kind === 'assistant_text')).toEqual([])

    const db = new Database(dbPath, { readonly: true })
    const fetch = contentReader(db as unknown as WritableDb)
    const named = new Map<string, number>()
    const count = (contents: readonly NamedContent[]): void => {
      for (const { hash, holds } of contents) {
        const isFirst = !named.has(hash)
        named.set(hash, (named.get(hash) ?? 0) + 1)
        const inner = isFirst ? fetch(hash) : null
        if (inner !== null && holds === 'payload') count(namedContents(inner))
        if (inner !== null && holds === 'list')
          count((JSON.parse(inner) as string[]).map((hash) => ({ hash, holds: 'text' })))
      }
    }
    for (const table of ['events', 'sightings'])
      for (const json of db.prepare<[], string>(`SELECT payload FROM ${table} WHERE payload IS NOT NULL`).pluck().all())
        count(namedContents(json))
    const kept = db
      .prepare<[], { hash: string; refs: number }>('SELECT lower(hex(hash)) hash, refs FROM contents')
      .all()
    expect(kept.length).toBeGreaterThan(20)
    expect(Object.fromEntries(kept.map(({ hash, refs }) => [hash, refs]))).toEqual(Object.fromEntries(named))
    db.close()
  })
})
