import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { latestVersion, migrate, type MigrateOptions } from '../../../src/main/store/database/migrate.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../src/main/store/database/migrations', import.meta.url))

const PUBLIC = {
  lineage: 'SELECT uuid, parent_uuid, root_uuid, depth FROM lineage ORDER BY uuid',
  sightings: 'SELECT id, uuid, source, session_id, seen_at, payload FROM sightings ORDER BY id',
  event_keys: 'SELECT key, uuid FROM event_keys ORDER BY key',
  session_events: 'SELECT event_id, parent_event_id, root_event_id, depth FROM session_events ORDER BY id',
}

test('lineage, sightings and keys of an older database read as before', () => {
  using folder = makeTempFolder()
  const older = join(folder.path, 'older')
  using made = makeTempFolder()
  for (const name of readdirSync(MIGRATIONS).filter((file) => file < '015'))
    copyFileSync(join(MIGRATIONS, name), join(made.path, name))
  const db = new Database(older)
  try {
    migrate(db, older, { folder: made.path })
    const event = db.prepare(
      `INSERT INTO events (uuid, session_id, turn_id, seq, parent_uuid, kind, source, ts_wall, schema_version, payload)
       VALUES (?, 's', 1, ?, ?, 'assistant_text', 'wire', '2026-11-01T10:00:00.000Z', 1, '{}')`,
    )
    const node = db.prepare('INSERT INTO lineage (uuid, parent_uuid, root_uuid, depth, cut) VALUES (?, ?, ?, ?, ?)')
    const sighting = db.prepare(
      "INSERT INTO sightings (uuid, source, session_id, seen_at, payload) VALUES (?, ?, 's', '2026-11-01T10:00:00.000Z', ?)",
    )
    const key = db.prepare('INSERT INTO event_keys (key, uuid) VALUES (?, ?)')
    const rows = [
      ['z', 'gone', 'z', 0, 0],
      ['b', 'z', 'z', 1, 0],
      ['a', null, 'a', 0, 1],
      ['c', 'b', 'z', 2, 0],
    ] as const
    for (const [seq, [uuid, parent, ...rest]] of rows.entries()) {
      event.run(uuid, seq, parent)
      node.run(uuid, parent, ...rest)
      sighting.run(uuid, 'wire', uuid === 'b' ? '{"more":1}' : null)
      for (const form of ['line', 'block']) key.run(`${form}:${uuid}`, uuid)
    }
    sighting.run('z', 'hook', null)
    const read = () => Object.fromEntries(Object.entries(PUBLIC).map(([name, sql]) => [name, db.prepare(sql).all()]))
    const before = read()
    expect(before['sightings']).toHaveLength(5)

    migrate(db, older)
    expect(read()).toEqual(before)
    for (const sql of [
      "SELECT uuid FROM lineage WHERE parent_uuid = 'z'",
      "SELECT key FROM event_keys WHERE uuid = 'z' ORDER BY key",
    ]) {
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
      expect(steps.filter(({ detail }) => detail.startsWith('SCAN'))).toEqual([])
    }
    expect(db.prepare('SELECT event_id FROM ancestry WHERE cut = 1').pluck().all()).toEqual([3])
  } finally {
    db.close()
  }
})

test('long texts of an older database move to their events, unless the row or another field says otherwise', () => {
  using folder = makeTempFolder()
  const older = join(folder.path, 'older')
  using made = makeTempFolder()
  for (const name of readdirSync(MIGRATIONS).filter((file) => file < '053'))
    copyFileSync(join(MIGRATIONS, name), join(made.path, name))
  const db = new Database(older)
  try {
    migrate(db, older, { folder: made.path })
    const event = db.prepare(
      `INSERT INTO events (id, uuid, session_id, turn_id, seq, kind, source, ts_wall, schema_version, payload)
       VALUES (?, 'u' || ?, 's', 1, ?, ?, 'wire', 't', 1, ?)`,
    )
    const content = db.prepare(
      "INSERT INTO contents (hash, refs, bytes, encoding, data) VALUES (unhex(?), ?, 1, 'plain', x'78')",
    )
    const add = (id: number, kind: string, payload: object) => event.run(id, id, id, kind, JSON.stringify(payload))
    const [own, shared, cut, root] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(32))
    for (const [hash, refs] of [
      [own, 1],
      [shared, 2],
      [cut, 2],
      [root, 1],
    ])
      content.run(hash, refs)
    const long = (word: string) => `${word} "quoted" `.repeat(200)
    add(1, 'thinking', { text: { $content: own }, message_id: 'm' })
    add(2, 'tool_result', { call_id: 'c', output: { $content: shared }, detail: { stdout: { $content: shared } } })
    add(3, 'tool_call', { call_id: 'c', input: { a: 1, b: [{ $content: shared }] } })
    add(4, 'tool_result', { call_id: 'd', output: { $content: cut } })
    add(5, 'assistant_text', { $content: root })
    add(6, 'thinking', { text: 'short', signature: { $content: cut } })
    db.prepare("INSERT INTO sighting_rows (event_id, source, seen_at, payload) VALUES (4, 'hook', 't', ?)").run(
      JSON.stringify({ output: 'another' }),
    )
    const rows = {
      thinking_rows: [
        [1, long('wallaby')],
        [6, 'short'],
      ],
      response_rows: [[5, long('numbat')]],
    }
    for (const [table, texts] of Object.entries(rows))
      for (const text of texts) db.prepare(`INSERT INTO ${table} VALUES (?, ?)`).run(...text)
    const call = JSON.stringify({ a: 1, b: [long('potoroo')] })
    db.prepare("INSERT INTO tool_call_rows VALUES (3, 'c', 't', 'Bash', ?)").run(call)
    const result = db.prepare(
      "INSERT INTO tool_result_rows (event_id, call_id, timestamp, output_json) VALUES (?, 'c', 't', ?)",
    )
    result.run(2, JSON.stringify(long('quokka')))
    result.run(4, JSON.stringify(long('settled')))
    const views = ['thinking_blocks', 'assistant_responses', 'tool_calls', 'tool_results', 'tool_texts']
    const shown = () => views.map((view) => db.prepare(`SELECT * FROM ${view} ORDER BY id`).all())
    for (const [index, view] of [
      ['thinking', views[0]],
      ['responses', views[1]],
      ['tools', views[4]],
    ])
      db.exec(`INSERT INTO ${index}_fts (rowid, content, timestamp) SELECT id, content, timestamp FROM ${view}`)
    const before = shown()
    const changes = db.prepare('SELECT count(*) FROM changes').pluck()
    const changed = changes.get()

    migrate(db, older)
    expect(shown()).toEqual(before)
    for (const index of ['thinking', 'responses', 'tools'])
      db.exec(`INSERT INTO ${index}_fts (${index}_fts, rank) VALUES ('integrity-check', 1)`)
    const payloads = db.prepare('SELECT payload FROM events ORDER BY id').pluck().all() as string[]
    expect(payloads.map((json) => JSON.parse(json) as unknown)).toEqual([
      { text: long('wallaby'), message_id: 'm' },
      { call_id: 'c', output: long('quokka'), detail: { stdout: { $content: shared } } },
      { call_id: 'c', input: { a: 1, b: [long('potoroo')] } },
      { call_id: 'd', output: { $content: cut } },
      { $content: root },
      { text: 'short', signature: { $content: cut } },
    ])
    const left = db.prepare('SELECT lower(hex(hash)), refs FROM contents ORDER BY 1').raw().all()
    expect(left).toEqual([
      [shared, 1],
      [cut, 2],
      [root, 1],
    ])
    const kept = ['thinking_rows WHERE content', 'response_rows WHERE content', 'tool_call_rows WHERE input_json']
    const copies = [...kept, 'tool_result_rows WHERE output_json'].map((table) =>
      db.prepare(`SELECT event_id FROM ${table} IS NOT NULL`).pluck().all(),
    )
    expect(copies).toEqual([[], [5], [], [4]])
    expect(changes.get()).toBe(changed)
    expect(() => db.exec("UPDATE events SET payload = '{}'")).toThrow('append-only')
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  } finally {
    db.close()
  }
})

test('texts of tool traffic in an older database are found as before and stored once', () => {
  using folder = makeTempFolder()
  const older = join(folder.path, 'older')
  using made = makeTempFolder()
  for (const name of readdirSync(MIGRATIONS).filter((file) => file < '020'))
    copyFileSync(join(MIGRATIONS, name), join(made.path, name))
  const db = new Database(older)
  try {
    migrate(db, older, { folder: made.path })
    const call = db.prepare(
      `INSERT INTO tool_calls (id, event_uuid, call_id, session_id, turn_id, timestamp, tool_name, input_json)
       VALUES (?, 'u' || ?, 'c', 's', 1, 't', 'Bash', ?)`,
    )
    const result = db.prepare(
      `INSERT INTO tool_results (id, event_uuid, call_id, session_id, timestamp, turn_id, output_json)
       VALUES (?, 'u' || ?, 'c', 's', 't', 1, ?)`,
    )
    const event = db.prepare(
      `INSERT INTO events (id, uuid, session_id, turn_id, seq, kind, source, ts_wall, schema_version, payload)
       VALUES (?, 'u' || ?, 's', 1, ?, 'tool_call', 'wire', 't', 1, '{}')`,
    )
    for (const id of [1, 2, 3, 4, 5, 6]) event.run(id, id, id)
    const text = db.prepare("INSERT INTO tool_texts (id, session_id, timestamp, content) VALUES (?, 's', 't', ?)")
    call.run(1, 1, '{"command":"ls quokka","type":"x"}')
    result.run(2, 2, '[{"type":"text","text":"potoroo"}]')
    call.run(3, 3, '{"body":{"$content":"0123"}}')
    result.run(4, 4, '""')
    call.run(5, 5, '{"command":"the digest of an archived numbat"}')
    result.run(6, 6, '"cut within a character: wallaby"')
    for (const [id, content] of [
      [1, 'Bash\nls quokka'],
      [2, 'potoroo'],
      [3, 'Bash\nbandicoot'],
      [6, 'wallaby, written otherwise'],
    ])
      text.run(id, content)
    db.exec('INSERT INTO tools_fts (rowid, content, timestamp) SELECT id, content, timestamp FROM tool_texts')

    migrate(db, older)
    const found = (word: string) =>
      db.prepare('SELECT rowid, content FROM tools_fts WHERE tools_fts MATCH ?').raw().all(word)
    expect(['quokka', 'potoroo', 'bandicoot', 'otherwise'].map(found)).toEqual([
      [[1, 'Bash\nls quokka']],
      [[2, 'potoroo']],
      [[3, 'Bash\nbandicoot']],
      [[6, 'wallaby, written otherwise']],
    ])
    expect(db.prepare('SELECT id FROM long_tool_texts ORDER BY id').pluck().all()).toEqual([3, 6])
    const check = () => db.exec("INSERT INTO tools_fts (tools_fts, rank) VALUES ('integrity-check', 1)")
    check()
    expect(db.prepare('SELECT count(*) FROM tools_fts_docsize').pluck().get()).toBe(6)
    db.exec('DELETE FROM tool_result_rows WHERE event_id = 6')
    db.exec('DELETE FROM tool_call_rows')
    check()
    expect(db.prepare('SELECT count(*) FROM long_tool_texts').pluck().get()).toBe(0)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    const kept = db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'new%' OR name LIKE 'old%'").all()
    expect(kept).toEqual([])
  } finally {
    db.close()
  }
})

/** Creates a database of version 14. */
function olderDatabase(folder: string): { readonly path: string; readonly bytes: () => Buffer } {
  const path = join(folder, 'older')
  using made = makeTempFolder()
  for (const name of readdirSync(MIGRATIONS).filter((file) => file < '015'))
    copyFileSync(join(MIGRATIONS, name), join(made.path, name))
  const db = new Database(path)
  migrate(db, path, { folder: made.path })
  db.close()
  return { path, bytes: () => readFileSync(path) }
}

function migrationError(path: string, options: MigrateOptions): unknown {
  const db = new Database(path)
  try {
    migrate(db, path, options)
    return null
  } catch (error) {
    return error
  } finally {
    db.close()
  }
}

test('a database older than the oldest supported version is refused and left untouched', () => {
  using folder = makeTempFolder()
  const { path, bytes } = olderDatabase(folder.path)
  const before = bytes()
  expect(migrationError(path, { oldest: 20 })).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(/older Aspy \(version 14 .* opens 20 and newer\)\. It was not changed/),
  })
  expect(bytes()).toEqual(before)
  expect(readdirSync(folder.path)).toEqual(['older'])
  expect(migrationError(path, { oldest: 14 })).toBeNull()
})

test('without space for its copy, a migration is refused and changes nothing', () => {
  using folder = makeTempFolder()
  const { path, bytes } = olderDatabase(folder.path)
  const before = bytes()
  const needed = before.length + 64 * 1024 * 1024
  expect(migrationError(path, { freeBytes: () => needed - 3 * 1024 * 1024 })).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('Free at least 3 MB on its disk and start Aspy again'),
  })
  expect(bytes()).toEqual(before)
  expect(readdirSync(folder.path)).toEqual(['older'])
  expect(migrationError(path, { freeBytes: () => needed })).toBeNull()
  expect(readdirSync(folder.path)).toContain(`older.before-${latestVersion()}`)
})

test.each([
  ['an older version than its tables', 'PRAGMA user_version = 5', 'version 5, but its '],
  ['no version', 'PRAGMA user_version = 0', 'has tables of Aspy but no version'],
  ['a table that it does not have', 'DROP TABLE turns', `version ${latestVersion()}, but its turns is not that`],
  ['a version whose tables have other columns', 'PRAGMA user_version = 21', 'version 21, but its '],
])('a database that claims %s is refused and left untouched', (_, spoil, message) => {
  using folder = makeTempFolder()
  const path = join(folder.path, 'spoiled')
  const db = new Database(path)
  migrate(db, path)
  db.exec(spoil)
  db.close()
  const before = readFileSync(path)
  expect(migrationError(path, {})).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining(message),
  })
  expect(readFileSync(path)).toEqual(before)
  expect(readdirSync(folder.path)).toEqual(['spoiled'])
})

test('a reader says how far the update of a database is, also if it was interrupted', () => {
  using folder = makeTempFolder()
  using parts = makeTempFolder()
  const path = join(folder.path, 'lifestats.db')
  const latest = latestVersion()
  for (const name of readdirSync(MIGRATIONS).filter((file) => file < '015'))
    copyFileSync(join(MIGRATIONS, name), join(parts.path, name))
  const reading = () => {
    try {
      openReader(path).close()
      return 'opened'
    } catch (error) {
      return (error as Error).message
    }
  }
  const db = new Database(path)
  try {
    chmodSync(path, 0o600)
    migrate(db, path, { folder: parts.path })
    expect(reading()).toMatch(/written by an older Aspy: start Aspy once/)
    writeFileSync(`${path}.before-${latest}`, Buffer.alloc(readFileSync(path).length / 2))
    expect(reading()).toMatch(/is being updated .*\(50 % of the copy/)
    // The update ends in the middle.
    for (const name of readdirSync(MIGRATIONS)) copyFileSync(join(MIGRATIONS, name), join(parts.path, name))
    writeFileSync(join(parts.path, '040.sql'), 'SELECT 1 FROM nothing')
    expect(() => migrate(db, path, { folder: parts.path })).toThrow('nothing')
    expect(reading()).toMatch(`is being updated to this version of Aspy (step 39 of ${latest} is done): try again`)
    migrate(db, path)
    expect(reading()).toBe('opened')
  } finally {
    db.close()
  }
})

test('the update of an older database announces how long it may take', () => {
  using folder = makeTempFolder()
  const { path } = olderDatabase(folder.path)
  const announced: number[] = []
  expect(migrationError(path, { onAway: (ms) => void announced.push(ms) })).toBeNull()
  expect(announced).toEqual([expect.any(Number), 0])
  expect(announced[0]).toBeGreaterThan(5000)
  expect(migrationError(path, { onAway: (ms) => void announced.push(ms) })).toBeNull()
  expect(announced).toHaveLength(2)
})
