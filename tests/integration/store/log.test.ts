import { execFileSync } from 'node:child_process'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { openReader, openWriter } from '../../../src/main/store/database/connection.ts'
import { contentReader } from '../../../src/main/store/log/contents.ts'
import { unpackPayload } from '../../../src/main/store/log/payload.ts'
import { openTestStore } from '../../support/store/folder.ts'
import {
  blockFact,
  promptFact,
  resultFact,
  seeded,
  sessionFacts,
  commonFields,
  usageFact,
  usageOf,
} from '../../support/store/history.ts'

const first = (reports: readonly AnyDraft[]) => reports.slice(0, 1)
const block = (parts: Parameters<typeof blockFact>[4], index = 0) =>
  first(blockFact('s', 'm1', index, 1000, parts, []).reports)

test('the log refuses changes from any connection', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(sessionFacts('s', 3, seeded(1)).flatMap((fact) => fact.reports))
  const wait = commonFields('hook', 's', 0)
  store.ingest.append([{ ...wait, kind: 'notification', payload: { text: 'n' }, keys: [], parents: ['line:not-yet'] }])
  const db = new Database(dbPath)
  for (const table of ['events', 'event_keys', 'sightings', 'parent_keys']) {
    expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBeGreaterThan(0)
    expect(() => db.exec(`UPDATE ${table} SET uuid = 'other'`)).toThrow(`${table} is append-only`)
    expect(() => db.exec(`DELETE FROM ${table}`)).toThrow(`${table} is append-only`)
  }
  db.close()
})

test('the SQL in the documentation works in the plain sqlite3 shell', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append([
    ...first(promptFact('s', 'p1', 'hello', 0).reports),
    ...block({ thinking: 'the theme should be solarized' }),
  ])
  const sql = `SELECT content, timestamp FROM thinking_fts WHERE thinking_fts MATCH '"theme" AND "solarized"' ORDER BY bm25(thinking_fts) LIMIT 5`
  const row = { content: 'the theme should be solarized', timestamp: '2026-11-20T10:00:01.000Z' }
  const db = openReader(dbPath)
  expect(db.prepare(sql).all()).toEqual([row])
  db.close()
  let shell: string
  try {
    shell = execFileSync('sqlite3', ['-readonly', dbPath, sql], { encoding: 'utf8' }).trim()
  } catch (error) {
    // A missing shell is fine; a shell that fails on our file is not.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return
  }
  expect(shell).toBe(`${row.content}|${row.timestamp}`)
})

describe('rows written for each kind of event', () => {
  const PROMPT = promptFact('s', 'p1', 'hello', 0).reports
  /** The first event of a kind creates its counter row. */
  const FIRST = { event_counts: 1 }
  const kinds: readonly (readonly [string, readonly AnyDraft[], Record<string, number>])[] = [
    [
      'thinking',
      block({ thinking: 'a thought' }),
      { ...FIRST, key_rows: 2, thinking_rows: 1, recall_docs: 1, day_rollups: 1, model_totals: 1, rollups: 1 },
    ],
    ['assistant_text', block({ text: 'an answer' }), { ...FIRST, key_rows: 2, response_rows: 1, recall_docs: 1 }],
    [
      'tool_call',
      block({ call: 'c1', input: { command: 'ls' } }),
      {
        ...FIRST,
        key_rows: 2,
        tool_call_rows: 1,
        day_rollups: 1,
        model_totals: 1,
        rollups: 1,
        tool_rollups: 1,
        tool_totals: 1,
      },
    ],
    [
      'tool_result',
      first(resultFact('s', 'c1', 'a.css', 0).reports),
      { ...FIRST, key_rows: 1, parent_keys: 1, tool_result_rows: 1, tool_rollups: 1, tool_totals: 1 },
    ],
    [
      'api_usage',
      first(usageFact('s', 'm1', 'block:m1:0', 0, usageOf({ input_tokens: 1 }), 'claude-opus-5-5').reports),
      { ...FIRST, key_rows: 1, parent_keys: 1, api_usage: 1, day_rollups: 1, model_totals: 1, rollups: 1 },
    ],
    [
      'a prompt',
      first(promptFact('s', 'p2', 'bye', 60_000).reports),
      // With the end of the turn before it.
      {
        ...FIRST,
        events: 2,
        changes: 2,
        ancestry: 2,
        key_rows: 3,
        user_prompts: 1,
        recall_docs: 1,
        day_rollups: 1,
        model_totals: 1,
        rollups: 1,
        turns: 1,
      },
    ],
  ]
  test.each(kinds)('%s', (_, drafts, rows) => {
    const { store, dbPath } = openTestStore()
    store.ingest.append(PROMPT)
    const count = (): Record<string, number> => {
      const db = openReader(dbPath)
      const tables = db
        .prepare(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql LIKE '%STRICT%'",
        )
        .pluck()
        .all() as string[]
      const counts = tables.map((table) => [table, db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()] as const)
      db.close()
      return Object.fromEntries(counts) as Record<string, number>
    }
    const before = count()
    store.ingest.append(drafts)
    const added = Object.entries(count())
      .map(([table, n]) => [table, n - (before[table] ?? 0)] as const)
      .filter(([, n]) => n !== 0)
    expect(Object.fromEntries(added)).toEqual({ events: 1, changes: 1, ancestry: 1, ...rows })
  })
})

test('long texts are stored once and read whole; text that looks like a reference stays unchanged', () => {
  const { store, dbPath } = openTestStore()
  const long = 'ünïcode '.repeat(5000)
  const input = {
    $content: 'not ours',
    $$content: 1,
    text: long,
    list: [long, { $content: { deep: true } }],
    lone: `\ud800${long}`,
  }
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field_${at}`, `value ${at}`]))
  store.ingest.append([
    ...block({ call: 'c1', input }),
    ...block({ call: 'c2', input: many }, 1),
    ...block({ call: 'c3', input: { text: long } }, 2),
  ])
  const db = openReader(dbPath)
  const payloads = db.prepare('SELECT payload FROM events ORDER BY id').pluck().all() as string[]
  const read = payloads.map((json) => unpackPayload(json, contentReader(db)).input)
  expect(read).toEqual([input, many, { text: long }])
  // What the view shows in full stays in the row; larger JSON has its long texts in `contents`, compressed.
  expect(db.prepare('SELECT input_json FROM tool_calls WHERE id = 2').pluck().get()).toBe(JSON.stringify(many))
  expect(db.prepare('SELECT count(input_json) FROM tool_call_rows WHERE event_id > 1').pluck().get()).toBe(1)
  expect(payloads[2]?.length).toBeLessThan(1100)
  const texts = db
    .prepare('SELECT refs, bytes, length(data) AS stored FROM contents WHERE bytes = ?')
    .all(Buffer.byteLength(long))
  expect(texts).toEqual([{ refs: 2, bytes: Buffer.byteLength(long), stored: expect.any(Number) }])
  expect((texts[0] as { stored: number }).stored).toBeLessThan(500)
  db.close()
})

test('a long text that a view shows is stored once, in the row of its event', () => {
  const { store, dbPath } = openTestStore()
  const texts = ['a thought about the quokka '.repeat(900), 'an answer about the numbat '.repeat(900)] as const
  const unclear = `no shell can read this: \u0000 ${'x'.repeat(2000)}`
  store.ingest.append([
    ...block({ thinking: texts[0] }),
    ...block({ text: texts[1] }, 1),
    ...block({ call: 'c', input: { command: 'y'.repeat(9000) } }, 2),
    ...block({ text: unclear }, 3),
  ])
  const db = openReader(dbPath)
  const all = (sql: string) => db.prepare(sql).pluck().all()
  expect(all('SELECT content FROM thinking_blocks')).toEqual(texts.slice(0, 1))
  expect(all('SELECT content FROM assistant_responses')).toEqual([texts[1], unclear])
  expect(all("SELECT rowid FROM responses_fts WHERE responses_fts MATCH 'numbat'")).toEqual([2])
  expect(all('SELECT input_json FROM tool_calls')).toEqual([JSON.stringify({ command: 'y'.repeat(9000) })])
  expect(all('SELECT count(*) FROM contents')).toEqual([0])
  const copies = ['thinking_rows WHERE content', 'response_rows WHERE content', 'tool_call_rows WHERE input_json']
  expect(copies.map((rows) => all(`SELECT event_id FROM ${rows} IS NOT NULL`))).toEqual([[], [4], []])
  db.close()
})

test('requests store only additions; the last one is read whole, after a restart too', () => {
  const { store, folder } = openTestStore()
  const tools = Array.from({ length: 3 }, (_, at) => store.ingest.putContent(JSON.stringify({ name: `tool${at}` })))
  const block = (text: string) => store.ingest.putContent(JSON.stringify({ type: 'text', text }))
  const request = (
    n: number,
    base: string | null,
    keep: number,
    add: readonly string[],
    kind: 'prompt' | 'side_call' = 'prompt',
  ): AnyDraft => ({
    ...commonFields('wire', 's', n * 1000),
    kind: 'model_request',
    uuid: `00000000-0000-7000-8000-00000000000${n}`,
    keys: [naturalKey.exchange(`x${n}`, 'request')],
    parents: [],
    payload: {
      exchange_id: `x${n}`,
      request_kind: kind,
      method: 'POST',
      path: '/v1/messages',
      model: 'claude-opus-5-5',
      headers: [],
      request: {
        base,
        keep,
        add: add.map((text) => ({ role: 'user', blocks: [block(text)] })),
        system: [],
        tools,
        parameters: {},
      },
      message_count: keep + add.length,
      body_bytes: 100,
    },
  })
  const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
  expect(store.ingest.lastRequest('s', null)).toBeNull()
  store.ingest.append([request(1, null, 0, ['one', 'two'])])
  store.ingest.append([request(2, uuid(1), 2, ['three']), request(3, null, 0, ['a title?'], 'side_call')])
  store.ingest.append([request(4, uuid(2), 1, ['two, in other words'])])
  const expected = {
    uuid: uuid(4),
    messages: ['one', 'two, in other words'].map((text) => ({ role: 'user', blocks: [block(text)] })),
  }
  expect(store.ingest.lastRequest('s', null)).toEqual(expected)
  expect(store.ingest.lastRequest('s', 'some-agent')).toBeNull()
  store.close()
  const again = openTestStore({ dataDir: folder })
  expect(again.store.ingest.lastRequest('s', null)).toEqual(expected)
  expect(again.store.ingest.getContent(tools[1] ?? '')).toBe('{"name":"tool1"}')
  const db = openReader(again.dbPath)
  // The list of tools is one content that four requests refer to; only the list refers to the tools.
  const refs = (text: string) =>
    db.prepare('SELECT refs FROM contents WHERE bytes = ?').pluck().all(Buffer.byteLength(text))
  expect(refs(JSON.stringify(tools))).toEqual([4])
  expect(
    db
      .prepare('SELECT refs FROM contents WHERE hash = ?')
      .pluck()
      .get(Buffer.from(tools[0] ?? '', 'hex')),
  ).toBe(1)
  db.close()
})

test('no write statement scans a large table', () => {
  const { store, folder, dbPath } = openTestStore()
  store.close()
  const scans: string[] = []
  const prepare = Database.prototype.prepare
  const seen = new Set<string>()
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    seen.add(sql)
    return prepare.call(this, sql) as never
  }
  try {
    openTestStore({ dataDir: folder }).store.close()
  } finally {
    Database.prototype.prepare = prepare
  }
  const { db, close } = openWriter(dbPath)
  for (const sql of seen) {
    if (!/^\s*(SELECT|UPDATE|DELETE|WITH|INSERT)/i.test(sql) || /sqlite_version|max\(id\)/.test(sql)) continue
    // Whether a table has any row: one step.
    if (/^SELECT 1 FROM \w+ LIMIT 1$/.test(sql)) continue
    const explain = prepare.call(db, `EXPLAIN QUERY PLAN ${sql}`) as Database.Statement
    const names = [...sql.matchAll(/[@:$]([a-z_]\w*)/g)].map(([, name]) => [name, 1])
    const values = sql.includes('?')
      ? Array.from({ length: sql.split('?').length - 1 }, () => 1)
      : names.length === 0
        ? []
        : [Object.fromEntries(names) as Record<string, number>]
    const plan = explain.all(...values) as { detail: string }[]
    for (const { detail } of plan)
      if (
        // Exempt: sqlite_sequence has one row, sqlite_schema those of its tables, `literal` the strings of a value, `occurrence` at most some thousand; full text is
        // searched by word; some are bounded by their condition. Awaited keys are read up to a limit, lines whose sums change
        // are at most some hundred, previews are looked through after a restore only, and an answer in progress is a row.
        /^SCAN (?!below|chain|literal|occurrence|whole|CONSTANT|sqlite_sequence|sqlite_schema|parent_keys USING COVERING INDEX|carry_active|answers_in_progress|preview_items USING COVERING INDEX|\w+ VIRTUAL TABLE INDEX (?:0:=|\d+:M))/.test(
          detail,
        ) &&
        !/USING (COVERING )?INDEX (ancestry_cut|rollups_unpriced|carry_weeks_empty)/.test(detail)
      )
        scans.push(`${detail}: ${sql}`)
  }
  close()
  expect(seen.size).toBeGreaterThan(40)
  expect(scans).toEqual([])
})

test('caps and switches apply before log, index, contents, sinks and pipeline steps', () => {
  const limits = { store_thinking: false, store_tool_io: false, max_thinking_size: 10, max_prompt_size: 12 }
  const { store, dbPath } = openTestStore({ limits })
  const seen: string[] = []
  const drafts = [
    ...first(promptFact('s', 'p1', 'prömpt of many words', 0).reports),
    ...block({ thinking: 'secret thought '.repeat(200) }),
    ...block({ call: 'c1', input: { command: 'secret command' } }, 1),
    ...first(resultFact('s', 'c1', 'error: secret output '.repeat(200), 2000).reports),
  ]
  const blockHash = store.ingest.putContent(
    JSON.stringify({ type: 'tool_result', tool_use_id: 'c1', content: 'secret output' }),
  )
  const { added } = store.ingest.append(drafts, (event) => {
    seen.push(JSON.stringify(event.payload))
    return event
  })
  expect(store.ingest.getContent(blockHash)).toBe('{"type":"tool_result","tool_use_id":"c1","content":[]}')
  expect(added.map(({ summary }) => summary.text)[0]).toBe('prömpt of m... [truncated, 21 bytes total]')
  expect(JSON.stringify([seen, added])).not.toContain('secret')
  const db = openReader(dbPath)
  const everything = [
    'events',
    'user_prompts',
    'thinking_blocks',
    'tool_calls',
    'tool_results',
    'tool_texts',
    'contents',
    'sightings',
  ]
  for (const table of everything)
    expect(JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all()), table).not.toContain('secret')
  expect(db.prepare('SELECT tool_name, input_json FROM tool_calls').all()).toEqual([
    { tool_name: 'Bash', input_json: 'null' },
  ])
  db.close()
})

test('a step may change or drop an event; a dropped event takes no id', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(first(promptFact('s', 'p1', 'hello', 0).reports))
  const drafts = [...block({ text: 'drop me' }), ...block({ text: 'keep me' }, 1)]
  const result = store.ingest.append(drafts, (event) => {
    if (event.kind !== 'assistant_text') return event
    return event.payload.text === 'drop me' ? 'drop' : { ...event, id: 99, payload: { ...event.payload, text: 'kept' } }
  })
  expect(result).toMatchObject({
    added: [{ summary: { id: 2, turn_id: 1, seq: 1, text: 'kept' } }],
    joined: 0,
    dropped: 1,
  })
  const db = openReader(dbPath)
  expect(db.prepare('SELECT content FROM responses_fts').pluck().all()).toEqual(['kept'])
  db.close()
})

test('an import stores its checkpoint in the same transaction', () => {
  const { store } = openTestStore()
  const checkpoint = { path: '/t/a.jsonl', identity: 'dev:1', offset: 120, size: 400, mtime_ms: 17.5 }
  store.ingest.append(promptFact('s', 'p1', 'hello', 0).reports, undefined, { checkpoints: [checkpoint] })
  expect(store.ingest.importCheckpoint('/t/a.jsonl')).toEqual(checkpoint)
  const broken = {
    ...commonFields('wire', 's', 0),
    kind: 'notification',
    payload: { text: 1n },
    keys: [],
    parents: [],
  } as unknown as AnyDraft
  expect(() => store.ingest.append([broken], undefined, { checkpoints: [{ ...checkpoint, offset: 240 }] })).toThrow(
    /BigInt/,
  )
  expect(store.ingest.importCheckpoint('/t/a.jsonl')).toEqual(checkpoint)
  expect(store.ingest.importCheckpoint('/t/b.jsonl')).toBeNull()
})

test.each([
  ['its SessionEnd', { kind: 'session_ended', payload: { reason: 'exit' } }],
  ['the turn of print mode', { kind: 'turn_ended', payload: { reason: 'end_turn', ends_session: true } }],
] as const)('a session ends with %s or after half an hour of silence; a resume reopens it', (_, fact) => {
  let now = Date.parse('2026-11-20T10:00:00.000Z')
  const { store, dbPath } = openTestStore({ now: () => now })
  const ended = (): unknown => {
    const db = openReader(dbPath)
    const value = db.prepare("SELECT ended_at FROM sessions WHERE id = 's'").pluck().get()
    db.close()
    return value
  }
  const end = (atMs: number): AnyDraft => ({
    ...commonFields('hook', 's', atMs),
    ...fact,
    keys: [],
    parents: [],
  })
  store.ingest.append([...promptFact('s', 'p1', 'one', 0).reports, end(5000)])
  expect(ended()).toBe('2026-11-20T10:00:05.000Z')
  store.ingest.append(promptFact('s', 'p2', 'two', 60_000).reports)
  expect(ended()).toBeNull()
  now += 20 * 60_000
  store.maintenance.checkpoint()
  expect(ended()).toBeNull()
  now += 20 * 60_000
  store.maintenance.checkpoint()
  expect(ended()).toBe('2026-11-20T10:01:00.040Z')
})
