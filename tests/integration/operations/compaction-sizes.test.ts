import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { promptFact, commonFields, usageFact, usageOf } from '../../support/store/history.ts'

/** A conversation of 90,000 tokens, compacted, that continues with 7,000. */
const usage = (message: string, tokens: number, atMs: number): AnyDraft => {
  const parent = naturalKey.promptId('p')
  const [wire] = usageFact(
    's',
    message,
    parent,
    atMs,
    usageOf({ cache_read_input_tokens: tokens }),
    'claude-opus-5-5',
  ).reports
  if (!wire) throw new Error('no telling')
  return wire
}

const KEY = 'compaction:s:1'
function compaction(source: 'wire' | 'hook' | 'transcript', payload: object, atMs = 2000): AnyDraft {
  const all = {
    trigger: 'unknown',
    summary: 'We spoke of heliotropes.',
    tokens_before: null,
    tokens_after: null,
    ...payload,
  }
  return {
    ...commonFields(source, 's', atMs),
    kind: 'compaction',
    payload: all,
    keys: [KEY],
    parents: [],
    sighting: { ...payload },
  } as AnyDraft
}

const prompt = promptFact('s', 'p', 'Go on.', 0).reports
const before = usage('m1', 90_000, 1000)
const after = usage('m2', 7000, 3000)
const ways: readonly (readonly [string, readonly AnyDraft[], readonly [number, number]])[] = [
  ['a hook, which knows neither', [compaction('hook', { trigger: 'auto' })], [90_000, 7000]],
  ['the request for a summary', [compaction('wire', { tokens_before: 91_000 })], [91_000, 7000]],
  ['the boundary line', [compaction('transcript', { tokens_before: 92_000, tokens_after: 6500 })], [92_000, 6500]],
  ['a history that is suddenly shorter', [compaction('wire', {}, 2900)], [90_000, 7000]],
  [
    'all of them',
    [
      compaction('hook', { trigger: 'auto' }),
      compaction('wire', { tokens_before: 91_000 }),
      compaction('transcript', { tokens_before: 92_000, tokens_after: 6500 }),
    ],
    [92_000, 6500],
  ],
]

describe('how large a conversation was before and after its compaction', () => {
  test.each(ways)('known from %s', (_, reports, sizes) => {
    const { store, dbPath } = openTestStore()
    const [first, ...others] = reports
    if (first) store.ingest.append([...prompt, before, first, after, ...others])
    store.close()
    const db = new Database(dbPath, { readonly: true })
    const rows = db.prepare('SELECT tokens_before, tokens_after, content FROM compactions').all()
    const found = db
      .prepare("SELECT count(*) FROM compactions_fts WHERE compactions_fts MATCH 'heliotropes'")
      .pluck()
      .get()
    db.close()
    expect(rows).toEqual([{ tokens_before: sizes[0], tokens_after: sizes[1], content: 'We spoke of heliotropes.' }])
    expect(found).toBe(1)
  })
})
