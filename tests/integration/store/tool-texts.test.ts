import Database from 'better-sqlite3'
import { assert, jsonValue, property } from 'fast-check'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { charClass } from '../../../src/main/redaction/char-class.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { keyFormat } from '../../../src/main/redaction/rule.ts'
import { migrate } from '../../../src/main/store/database/migrate.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { blockFact, promptFact, resultFact, timeAt, commonFields } from '../../support/store/history.ts'

/** Returns the strings of a JSON value in order, except values of a field `type`. */
function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) =>
    name === 'type' && typeof item === 'string' ? [] : stringsOf(item),
  )
}

test('the view derives the strings of a call and of a result, whatever their content', () => {
  const db = new Database(':memory:')
  try {
    migrate(db, ':memory:')
    db.exec(`
      INSERT INTO events (id, uuid, session_id, turn_id, seq, kind, source, ts_wall, schema_version, payload)
      VALUES (1, 'u1', 's', 1, 1, 'tool_call', 'wire', 't', 1, '{}'), (2, 'u2', 's', 1, 2, 'tool_result', 'wire', 't', 1, '{}');
      INSERT INTO tool_call_rows (event_id, call_id, timestamp, tool_name) VALUES (1, 'c', 't', 'Bash');
      INSERT INTO tool_result_rows (event_id, call_id, timestamp) VALUES (2, 'c', 't');
      INSERT INTO tools_fts (tools_fts) VALUES ('rebuild')`)
    const call = db.prepare('UPDATE tool_call_rows SET input_json = ?')
    const result = db.prepare('UPDATE tool_result_rows SET output_json = ?')
    /** Leaves the values to the payloads of the events. */
    const inPayloads = db.prepare<[string, string]>(
      "UPDATE events SET payload = CASE kind WHEN 'tool_call' THEN ? ELSE ? END",
    )
    db.exec("INSERT INTO metadata (key, value) VALUES ('log_open', 'test')")
    const drawn = db.prepare('SELECT content FROM tool_texts ORDER BY id').pluck()
    const shown = db.prepare('SELECT input_json FROM tool_calls UNION ALL SELECT output_json FROM tool_results').pluck()
    const check = (value: unknown): void => {
      const json = JSON.stringify(value)
      call.run(json)
      result.run(json)
      const strings = stringsOf(JSON.parse(json))
      const texts = [['Bash', ...strings].join('\n'), strings.join('\n')]
      expect(drawn.all(), json).toEqual(texts)
      inPayloads.run(`{"input":${json}}`, `{"output":${json}}`)
      call.run(null)
      result.run(null)
      expect(shown.all(), json).toEqual([json, json])
      expect(drawn.all(), json).toEqual(texts)
      db.exec("INSERT INTO tools_fts (tools_fts, rank) VALUES ('integrity-check', 1)")
    }
    check({ type: 'text', '': 'no name', 'a"b\\': 'c\\"d\\\\', deep: [{ type: { type: ['x'] } }, [], {}, '', 'type'] })
    check('a \\ "quoted"\nline\u0001 with 🦊 and :"x":')
    check({ command: 'echo \\\\n "$(ls)"', list: ['a:', ':', '",":"'], no: null, n: -1.5e3, yes: true })
    for (const bare of [null, 1, true, [], {}, '', [''], { a: '' }]) check(bare)
    assert(
      property(jsonValue({ stringUnit: 'grapheme' }), (value) => check(value)),
      { numRuns: 300 },
    )
    const long = Array.from({ length: 300 }, (_, at) => `näme ${at} of many`)
    result.run(JSON.stringify(long))
    const text = long.join('\n')
    expect(drawn.all()[1]).toBe(`${text.slice(0, 3000)} … ${text.slice(-1000)}`)
    // Input that a rule left as invalid JSON is text.
    result.run('"cut off')
    expect(drawn.all()[1]).toBe('"cut off')
  } finally {
    db.close()
  }
})

/** Checks that the index has a row for each row of the view; FTS5's own check fails on any difference. */
function checkIndex(dbPath: string): void {
  withWriter(dbPath, (db) => {
    db.exec("INSERT INTO tools_fts (tools_fts, rank) VALUES ('integrity-check', 1)")
    const [texts, docs] = ['tool_texts', 'tools_fts_docsize'].map((table) =>
      db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    )
    expect(docs).toBe(texts)
    expect(db.pragma('quick_check', { simple: true })).toBe('ok')
  })
}

const found = (dbPath: string, word: string): unknown[] =>
  withWriter(dbPath, (db) =>
    db.prepare('SELECT rowid FROM tools_fts WHERE tools_fts MATCH ? ORDER BY rowid').pluck().all(word),
  )

/** Returns ids whose texts are stored, since they cannot be derived from their rows. */
const kept = (dbPath: string): unknown[] =>
  withWriter(dbPath, (db) => db.prepare('SELECT id FROM long_tool_texts ORDER BY id').pluck().all())

/** Checks that a rebuild reproduces the rows and leaves nothing behind. */
function repeats(dbPath: string, only?: readonly string[]): void {
  withWriter(dbPath, (db) => {
    const before = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY, only })
    expect(contentsOfProjections(db)).toEqual(before)
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'rebuild%'").all()).toEqual([])
  })
}

const LONG = 'wallaby '.repeat(4000)
const MANY = Array.from({ length: 800 }, (_, at) => ({ name: `numbat${at}`, at }))

/** Runs `work` on a folder's store and checks the index. */
function during(folder: string, work: (store: Store) => void, now?: () => number): void {
  const { store } = openTestStore({ dataDir: folder, ...(now === undefined ? {} : { now }) })
  work(store)
  store.close()
}

const lines = (session: string): readonly AnyDraft[] =>
  [
    promptFact(session, `p-${session}`, 'show the words', 0),
    blockFact(session, `m-${session}`, 0, 1000, { call: `a-${session}`, input: { command: 'ls quokka' } }, []),
    resultFact(session, `a-${session}`, 'potoroo.css', 2000),
    blockFact(session, `m-${session}`, 1, 3000, { call: `b-${session}`, input: { path: 'x', body: LONG } }, []),
    resultFact(session, `b-${session}`, LONG, 4000),
    blockFact(session, `m-${session}`, 2, 5000, { call: `c-${session}`, input: { list: MANY } }, []),
    resultFact(session, `c-${session}`, '', 6000),
  ].flatMap(({ reports }) => reports.slice(0, 1))

test('texts that cannot be derived from their rows are stored; all are found, and a rebuild reproduces them', () => {
  const { store, folder, dbPath } = openTestStore()
  store.ingest.append(lines('s'))
  store.close()
  checkIndex(dbPath)
  expect([
    found(dbPath, 'quokka'),
    found(dbPath, 'potoroo'),
    found(dbPath, 'wallaby'),
    found(dbPath, 'numbat799'),
  ]).toEqual([[2], [3], [4, 5], [6]])
  expect(kept(dbPath)).toEqual([4, 5, 6])
  for (const only of [undefined, ['tool_calls'], ['tool_texts'], ['tool_results']]) {
    repeats(dbPath, only)
    checkIndex(dbPath)
    expect(found(dbPath, 'wallaby')).toEqual([4, 5])
  }
  during(folder, (again) => void again.removal.deleteSession('s'))
  checkIndex(dbPath)
  expect([found(dbPath, 'quokka'), kept(dbPath)]).toEqual([[], []])
})

test.each([
  ['of one unit per character', 'quoll '.repeat(1500)],
  ['of two, not cut at all', '🦘 '.repeat(1500)],
  ['of two, cut', '🦘 '.repeat(2500)],
])('a text is cut where the view cuts it, also between two halves of a character: %s', (_, text) => {
  const { store, dbPath } = openTestStore()
  const result = resultFact('s', 'c', `${text}end`, 1000)
  store.ingest.append([...promptFact('s', 'p', 'hello', 0).reports.slice(0, 1), ...result.reports.slice(0, 1)])
  store.close()
  checkIndex(dbPath)
  expect(kept(dbPath)).toEqual([])
  repeats(dbPath)
  checkIndex(dbPath)
})

test('a better sighting replaces a text, short or long, in the same transaction or later', () => {
  const report = (source: 'hook' | 'transcript' | 'wire', call: string, output: string): AnyDraft => {
    const fact = resultFact('s', call, output, 1000).reports[0]
    if (fact === undefined) throw new Error('no source reports it')
    return { ...fact, ...commonFields(source, 's', 1000) } as AnyDraft
  }
  const outputs = ['bandicoot', LONG, 'potoroo', 'quokka quokka']
  for (const [call, [first = '', second = '', third = '']] of [
    outputs.slice(0, 3),
    outputs.slice(1, 4),
    [...outputs.slice(2, 4), LONG],
  ].entries()) {
    const reports = [
      report('hook', `c${call}`, first),
      report('transcript', `c${call}`, second),
      report('wire', `c${call}`, third),
    ]
    for (const batches of [[reports], reports.map((one) => [one])]) {
      const { store, dbPath } = openTestStore()
      store.ingest.append(promptFact('s', 'p', 'hello', 0).reports.slice(0, 1))
      for (const batch of batches) store.ingest.append(batch)
      store.close()
      checkIndex(dbPath)
      const words = [first, second, third].map((text) => text.slice(0, 7).trim())
      expect(words.map((word) => found(dbPath, word).length)).toEqual([0, 0, 1])
      repeats(dbPath)
    }
  }
})

test('after a later redaction or archiving, the index still matches the view', () => {
  const DAY = 86_400_000
  const now = () => Date.parse(timeAt(0)) + 120 * DAY
  const { store, folder, dbPath } = openTestStore({ now })
  const secret = 'codeword~ax7919Harbour1'
  const spoiled = (
    JSON.parse(
      JSON.stringify([lines('old'), lines('other')]).replaceAll(
        /potoroo|quokka|numbat79|wallaby wallaby/g,
        `$& ${secret}`,
      ),
    ) as AnyDraft[][]
  ).flat()
  store.ingest.append(spoiled)
  // Just short enough to be derived, until the replacement of a secret makes it longer.
  store.ingest.append(resultFact('other', 'd', `${secret} `.repeat(680), 7000).reports.slice(0, 1))
  store.close()
  checkIndex(dbPath)
  const before = kept(dbPath)
  expect(found(dbPath, `"${secret}"`)).toHaveLength(11)

  const rule = keyFormat('codeword', 'codeword~', charClass('a-zA-Z0-9'), 6)
  during(
    folder,
    (again) => {
      const past = again.maintenance.pastRedaction(
        createRedactor({ hashKey: HASH_KEY, enabled: true, extraRules: [rule] }),
      )
      past.begin('rules')
      while (['events', 'tables'].includes(past.state()?.phase ?? '')) past.slice(3)
      past.finish()
    },
    now,
  )
  checkIndex(dbPath)
  expect(found(dbPath, `"${secret}"`)).toEqual([])
  expect(found(dbPath, 'potoroo')).toHaveLength(2)
  expect(kept(dbPath)).toEqual([...before, 15])
  repeats(dbPath)

  during(
    folder,
    (again) => {
      for (const _ of again.maintenance.archive({ retention_days: 90, archive_days: 0, delete_days: 0 }));
    },
    now,
  )
  checkIndex(dbPath)
  // Calls keep what their rows show, results nothing.
  expect([found(dbPath, 'quokka').length, found(dbPath, 'potoroo'), kept(dbPath)]).toEqual([2, [], []])
  repeats(dbPath)
})
