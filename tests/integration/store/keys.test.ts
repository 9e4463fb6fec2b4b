import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { openWriter } from '../../../src/main/store/database/connection.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { ForeignEvent } from '../../../src/main/store/transfer/restore-events.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { commonFields } from '../../support/store/history.ts'

const note = (text: string, parents: readonly string[] = []): AnyDraft => ({
  ...commonFields('transcript', 's', 1000),
  kind: 'notification',
  payload: { text },
  keys: [`note:${text}`],
  parents,
})

/** A transcript's line; its event takes its uuid. */
const line = (uuid: string, parents: readonly string[] = []): AnyDraft => ({
  ...note(uuid, parents),
  uuid,
  keys: [`line:${uuid}`, `note:${uuid}`],
})

function read(dbPath: string, sql: string): unknown[] {
  const db = new Database(dbPath, { readonly: true })
  try {
    return db.prepare(sql).raw().all()
  } finally {
    db.close()
  }
}

const ROWS = 'SELECT key FROM key_rows ORDER BY key'
const KEYS = 'SELECT key, uuid FROM event_keys ORDER BY key'
const LINEAGE = `SELECT json_extract(e.payload, '$.text') AS text,
  coalesce((SELECT json_extract(p.payload, '$.text') FROM events p WHERE p.uuid = l.parent_uuid), l.parent_uuid), l.depth
  FROM lineage l JOIN events e ON e.uuid = l.uuid ORDER BY text`

/** Returns the rows after a rebuild in a separate copy. */
function rebuilt(dbPath: string): unknown[] {
  const { db, close } = openWriter(dbPath)
  try {
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY, only: ['lineage'] })
  } finally {
    close()
  }
  return read(dbPath, LINEAGE)
}

test('a line that gives an event its uuid needs no key row: the uuid identifies it, also for its children', () => {
  const { store, folder, dbPath } = openTestStore()
  store.ingest.append([line('a'), line('c', ['line:b'])])
  expect(read(dbPath, ROWS)).toEqual([['note:a'], ['note:c']])
  const keys = [
    ['line:a', 'a'],
    ['line:c', 'c'],
    ['note:a', 'a'],
    ['note:c', 'c'],
  ]
  expect(read(dbPath, KEYS)).toEqual(keys)
  store.close()

  const again = openTestStore({ dataDir: folder }).store
  // Reported again, even by its line alone, it is the same event.
  expect(again.ingest.append([line('a'), { ...line('a'), keys: ['line:a'] }])).toMatchObject({ added: [], joined: 2 })
  expect(read(dbPath, KEYS)).toEqual(keys)
  // Another fact of that line has its own event and key.
  const other = {
    ...line('a'),
    kind: 'state_change',
    payload: { name: 'mode', to: 'plan' },
    keys: ['line:a'],
  } as AnyDraft
  expect(again.ingest.append([other])).toMatchObject({ added: [{ event: { kind: 'state_change' } }], joined: 0 })
  expect(again.ingest.append([other])).toMatchObject({ added: [], joined: 1 })
  expect(read(dbPath, "SELECT key FROM event_keys WHERE key GLOB 'line:a*' ORDER BY key")).toEqual([
    ['line:a'],
    ['line:a#state_change'],
  ])
  again.ingest.append([line('d', ['line:a']), line('b', ['line:a'])])
  const lineage = [
    [null, null, 0],
    ['a', null, 0],
    ['b', 'a', 1],
    ['c', 'b', 2],
    ['d', 'a', 1],
  ]
  expect(read(dbPath, LINEAGE)).toEqual(lineage)
  again.close()
  expect(rebuilt(dbPath)).toEqual(lineage)
})

test('a line that another source reported first keeps its key as a row, whatever event takes its uuid', () => {
  const { store, folder, dbPath } = openTestStore()
  store.ingest.append([{ ...note('x'), uuid: 'wire-x' }])
  store.ingest.append([{ ...line('x'), keys: ['note:x', 'line:x'] }])
  const state = { kind: 'state_change', payload: { name: 'mode', to: 'plan', text: 'state' } }
  store.ingest.append([{ ...line('x'), ...state, keys: ['line:x'] } as AnyDraft])
  expect(read(dbPath, KEYS)).toEqual([
    ['line:x', 'wire-x'],
    ['line:x#state_change', 'x'],
    ['note:x', 'wire-x'],
  ])
  store.close()
  const again = openTestStore({ dataDir: folder }).store
  again.ingest.append([line('y', ['line:x'])])
  expect(read(dbPath, LINEAGE)).toEqual([
    ['state', null, 0],
    ['x', null, 0],
    ['y', 'x', 1],
  ])
  // A uuid that is already taken is not assigned twice.
  again.ingest.append([{ ...note('z'), ...state, uuid: 'y', keys: ['state:z'] } as AnyDraft])
  expect(read(dbPath, "SELECT uuid = 'y' FROM event_keys WHERE key = 'state:z'")).toEqual([[0]])
})

test('an event that waits for a parent is found if it was stored in this run, an earlier one, or another log', () => {
  const taken = (uuid: string, parent_uuid: string | null, awaited: string): ForeignEvent => ({
    event: {
      uuid,
      session_id: 'other',
      turn_id: 1,
      seq: uuid.length,
      agent_id: null,
      parent_uuid,
      kind: 'notification',
      source: 'transcript',
      ts_wall: '2026-11-01T10:00:00.000Z',
      ts_monotonic: null,
      duration_ms: null,
      success: null,
      error_message: null,
      request_id: null,
      user_id: null,
      project: null,
      schema_version: 1,
      payload: { text: uuid },
    },
    keys: [`line:${uuid}`],
    parent_keys: [[awaited, 0]],
    sightings: [{ source: 'transcript', session_id: 'other', seen_at: '2026-11-01T10:00:00.000Z', payload: null }],
    contents: {},
  })
  const first = openTestStore()
  first.store.ingest.append([note('earlier', ['note:p1'])])
  first.store.close()

  const { store, dbPath } = openTestStore({ dataDir: first.folder })
  // Nothing waits for this one, and awaited keys are cached from here on.
  store.ingest.append([note('unrelated')])
  store.ingest.append([note('now', ['note:p2']), note('below', ['line:taken'])])
  store.ingest.append([note('later')])
  store.ingest.append([{ ...note('later', ['note:p4']), source: 'wire' }])
  store.ingest.append([note('p1'), note('p2'), note('p4')])
  store.ingest.restoreEvents([taken('taken', null, 'note:p3'), taken('orphan', 'p5', 'note:never')])
  store.ingest.append([note('p3'), line('p5')])
  const lineage = [
    ['below', 'taken', 2],
    ['earlier', 'p1', 1],
    ['later', 'p4', 1],
    ['now', 'p2', 1],
    ['orphan', 'p5', 1],
    ['p1', null, 0],
    ['p2', null, 0],
    ['p3', null, 0],
    ['p4', null, 0],
    ['p5', null, 0],
    ['taken', 'p3', 1],
    ['unrelated', null, 0],
  ]
  expect(read(dbPath, LINEAGE)).toEqual(lineage)
  store.close()
  expect(rebuilt(dbPath)).toEqual(lineage)
})

test('the keys of new events are those in the log, also those that a later draft of the same transaction adds', () => {
  const { store, dbPath } = openTestStore()
  const batches = [...generateHistory({ seed: 'keys', sessions: 3, events: 300, days: 2 })].map((batch, at) =>
    at > 0 ? batch : [line('a'), { ...line('a'), keys: ['line:a', 'note:later'] }, ...batch],
  )
  for (const batch of batches) {
    const { added } = store.ingest.append(batch)
    for (const { event } of added) {
      const sql = `SELECT key FROM event_keys WHERE uuid = '${event.uuid}' ORDER BY key`
      expect(store.ingest.keysOf(event.uuid).toSorted()).toEqual(read(dbPath, sql).flat())
    }
  }
})

test('keys of a transaction that was rolled back are not shown', () => {
  const { store } = openTestStore()
  const { uuid } = line('a')
  const failing = () => {
    throw new Error('a step failed')
  }
  let calls = 0
  expect(() => store.ingest.append([line('a'), line('b')], (event) => (calls++ === 0 ? event : failing()))).toThrow()
  expect(store.ingest.keysOf(uuid ?? '')).toEqual([])
})
