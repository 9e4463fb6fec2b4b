import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { blockFact, promptFact } from '../../support/store/history.ts'
import { withWriter } from '../../support/store/projection-rows.ts'

const LONG = 'a word of a long answer '.repeat(500)

/** Prompts and answers of two sessions in turn, some of them too long to stay in memory. */
function conversations(): AnyDraft[] {
  return Array.from({ length: 12 }, (_, at) => {
    const session = `s${at % 2}`
    const text = `answer${at} in src/part_${at}.ts ${at % 5 === 0 ? LONG : ''}`
    return [
      ...promptFact(session, `p-${at}`, `prompt${at} about camelCase${at}`, at * 1000).reports,
      ...blockFact(session, `m-${at}`, 0, at * 1000 + 500, { text }, []).reports,
    ]
  }).flat()
}

/** Every word of recall's index with its document and place. */
function wordsOf(db: Database.Database): readonly unknown[] {
  db.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'recall_fts', 'instance')")
  const words = db.prepare('SELECT term, doc, col, "offset" FROM words ORDER BY term, doc, col, "offset"').all()
  db.exec('DROP TABLE temp.words')
  return words
}

function expectAsRebuilt(dbPath: string): void {
  withWriter(dbPath, (db) => {
    const followed = wordsOf(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(followed.length).toBeGreaterThan(1000)
    expect(followed).toEqual(wordsOf(db))
  })
}

test('texts that arrive one by one complete the index rows before them as a rebuild does', () => {
  const { store, dbPath } = openTestStore()
  for (const draft of conversations()) store.ingest.append([draft])
  store.close()
  expectAsRebuilt(dbPath)
})

test('a rollback leaves nothing in the index rows of later texts', () => {
  const { store, dbPath } = openTestStore()
  const drafts = conversations()
  const isGone = blockFact('s0', 'm-gone', 0, 900, { text: 'nobodyshouldfindthis' }, []).reports
  const refused = { ...promptFact('s1', 'p-bad', 'bad', 950).reports[0], kind: null } as unknown as AnyDraft
  for (let at = 0; at < drafts.length; at += 7) {
    for (const draft of drafts.slice(at, at + 7)) store.ingest.append([draft])
    expect(() => store.ingest.append([...isGone, refused])).toThrow()
  }
  store.close()
  expectAsRebuilt(dbPath)
})
