import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { endInterrupted } from '../../../src/main/recorder/thread/write/replay-spool.ts'
import { LIMITS, openTestStore, readStore } from '../../support/store/folder.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

const SECRET = 'a thought that must not be kept'
const at = '2026-11-20T10:00:00.000Z'
const thought = draftOf('thinking', { text: SECRET, message_id: 'm1', index: 0 } as never, { at, keys: ['block:m1:0'] })
const answer = draftOf('assistant_text', { text: 'begun', message_id: 'm1', index: 1 } as never, {
  at,
  keys: ['block:m1:1'],
})
/** A process that has ended: ids of processes are not negative. */
const ENDED = { pid: 2 ** 30, startedAt: 1 }

test('what the settings exclude is not kept of an answer in progress either', () => {
  const { store, dbPath } = openTestStore({ limits: { ...LIMITS, store_thinking: false } })
  store.answersInProgress.keep({ exchangeId: 'x1', sessionId: 's1', drafts: [thought, answer] })
  const kept = readStore(dbPath, (db) => db.prepare('SELECT drafts FROM answers_in_progress').pluck().all())
  expect(kept).toEqual([expect.stringContaining('begun')])
  expect(String(kept[0])).not.toContain(SECRET)
})

const requested = (exchange: string) =>
  draftOf('user_prompt', { text: exchange } as never, { at, keys: [`exchange:${exchange}:prompt:0`] })

test('an app that was killed before it stored a request leaves no end of it', () => {
  const first = openTestStore({ run: ENDED })
  first.store.answersInProgress.keep({ exchangeId: 'x1', sessionId: 's1', drafts: [answer] })
  first.store.answersInProgress.keep({ exchangeId: 'x10', sessionId: 's1', drafts: [thought] })
  first.store.ingest.append([requested('x10')])
  first.store.close()
  const { store } = openTestStore({ dataDir: first.folder })
  expect(store.answersInProgress.interrupted().map(({ exchangeId }) => exchangeId)).toEqual(['x10'])
  const left = readStore(first.dbPath, (db) => db.prepare('SELECT exchange_id FROM answers_in_progress').pluck().all())
  expect(left).toEqual(['x10'])
})

test('a row that cannot be read is counted and removed, and the others are recorded', () => {
  const first = openTestStore({ run: ENDED })
  first.store.answersInProgress.keep({ exchangeId: 'x1', sessionId: 's1', drafts: [answer] })
  first.store.answersInProgress.keep({ exchangeId: 'x2', sessionId: 's1', drafts: [thought] })
  first.store.ingest.append(['x1', 'x2'].map(requested))
  first.store.close()
  const db = new Database(first.dbPath)
  db.prepare("UPDATE answers_in_progress SET drafts = '[{' WHERE exchange_id = 'x1'").run()
  db.close()

  const { store } = openTestStore({ dataDir: first.folder })
  const lost: number[] = []
  const options = {
    accept: <T>(event: T) => event,
    onStored: () => undefined,
    onLost: (count: number) => void lost.push(count),
  }
  endInterrupted(store, options)
  expect(lost).toEqual([1])
  const found = (sql: string) => readStore(first.dbPath, (read) => read.prepare(sql).pluck().all())
  expect(found("SELECT kind FROM events WHERE kind <> 'turn_ended' ORDER BY id")).toEqual([
    'user_prompt',
    'user_prompt',
    'thinking',
  ])
  expect(found('SELECT 1 FROM answers_in_progress')).toEqual([])
})
