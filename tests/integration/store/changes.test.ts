import { expect, test } from 'vitest'
import { openStore } from '../../../src/main/store/open-store.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { join } from 'node:path'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import type { AnyEvent } from '../../../src/shared/event.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

/** The change log holds each change of the log once, in order, by id, and nothing of its content. */
test('events, sightings and deletions are entries of the change log, in the order they were made', () => {
  using folder = makeTempFolder()
  const limits = { store_thinking: true, store_tool_io: true, max_thinking_size: 100_000, max_prompt_size: 1_000_000 }
  const store = openStore({ dataDir: folder.path, hashKey: Buffer.alloc(32, 7), limits })
  const changes = () => {
    const db = openReader(join(folder.path, 'lifestats.db'))
    try {
      return db.prepare('SELECT kind, event_id, name FROM changes ORDER BY position').all()
    } finally {
      db.close()
    }
  }
  const at = '2026-11-20T10:00:00.000Z'
  const result = (source: 'wire' | 'hook', more: object) => ({
    ...draftOf(
      'tool_result',
      { call_id: 'c1', tool_name: 'Bash', output: 'done', is_error: false, rejected: false },
      { at, keys: ['result:c1'] },
    ),
    source,
    ...more,
  })
  store.ingest.append([draftOf('user_prompt', { text: 'hello' }, { at, keys: ['prompt:1'] }), result('wire', {})])
  const events = [
    { kind: 'event', event_id: 1, name: null },
    { kind: 'event', event_id: 2, name: null },
  ]
  expect(changes()).toEqual(events)
  store.ingest.append([result('hook', { duration_ms: 12 })])
  const sighting = { kind: 'sighting', event_id: 2, name: null }
  expect(changes()).toEqual([...events, sighting])
  store.removal.deleteSession('s1')
  const after = changes()
  expect(after.slice(0, 3)).toEqual([...events, sighting])
  expect(after.filter((one) => (one as { kind: string }).kind === 'tombstone')).toEqual([
    { kind: 'tombstone', event_id: null, name: 's1' },
  ])
  expect(JSON.stringify(after)).not.toContain('hello')
  store.close()
})

test('an event has its entry before those that follow in its transaction, and none if it was rolled back', () => {
  using folder = makeTempFolder()
  const { store, dbPath } = openTestStore({ dataDir: folder.path })
  const at = '2026-11-20T10:00:00.000Z'
  const prompt = (text: string) => draftOf('user_prompt', { text }, { at, keys: [`prompt:${text}`] })
  const result = (source: 'wire' | 'hook', more: object) => ({
    ...draftOf(
      'tool_result',
      { call_id: 'c1', tool_name: 'Bash', output: 'done', is_error: false, rejected: false },
      { at, keys: ['result:c1'] },
    ),
    source,
    ...more,
  })
  const failOn = (text: string) => (event: AnyEvent) => {
    if (event.kind === 'user_prompt' && event.payload.text === text) throw new Error('a step failed')
    return event
  }
  store.ingest.append([prompt('one')])
  expect(() => store.ingest.append([prompt('two'), prompt('three')], failOn('three'))).toThrow('a step failed')
  store.ingest.append([result('wire', {}), result('hook', { duration_ms: 12 }), prompt('four')], undefined, {
    staysOpen: true,
  })
  store.ingest.append([prompt('five')], undefined, { staysOpen: true })
  store.ingest.settle()
  const db = openReader(dbPath)
  expect(db.prepare('SELECT kind, event_id FROM changes ORDER BY position').raw().all()).toEqual([
    ['event', 1],
    ['event', 2],
    ['sighting', 2],
    ['event', 3],
    ['event', 4],
    ['event', 5],
    ['event', 6],
  ])
  expect(db.prepare('SELECT kind FROM events ORDER BY id').pluck().all()).toEqual([
    'user_prompt',
    'tool_result',
    'user_prompt',
    'turn_ended',
    'user_prompt',
    'turn_ended',
  ])
  db.close()
  store.close()
})
