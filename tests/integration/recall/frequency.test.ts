import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { estimatedFrequencyOf, frequencyOf } from '../../../src/main/store/read/recall-frequency.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { reading } from '../../support/store/reading.ts'
import { fillStore } from '../../support/store/seeded-store.ts'

const TEXTS = 16_000
/** Other events lie between the texts, so the log is long. */
const EVENTS_A_TEXT = 40

/** The words of a text: which texts have each is known from its number. */
const wordsAt = (id: number): string =>
  [
    'every',
    ...(id % 4 > 0 ? ['most'] : []),
    ...(id % 5 === 0 ? ['some'] : []),
    ...(id <= 900 ? ['rare'] : []),
    ...(id > 9000 && id <= 13_500 ? ['burst'] : []),
  ].join(' ')

test('a word is counted up to a bound: exactly below it, and from samples above it', () => {
  using folder = makeTempFolder()
  const path = fillStore(folder.path, [])
  const db = new Database(path)
  const index = db.prepare("INSERT INTO recall_fts (rowid, text, parts, near) VALUES (?, ?, '', '')")
  db.transaction(() => {
    for (let id = 1; id <= TEXTS; id += 1) index.run(id * EVENTS_A_TEXT, wordsAt(id))
  })()
  db.close()
  reading(path, (reader) => {
    const counted = ['every', 'most', 'some', 'rare', 'burst', 'none'].map((word) =>
      frequencyOf(reader, `"${word}"`, 10_000),
    )
    expect(counted).toEqual([10_000, 10_000, 3200, 900, 4500, 0])
    expect(estimatedFrequencyOf(reader, '"some"', 10_000)).toBeCloseTo(3200, -2)
    expect(estimatedFrequencyOf(reader, '"every"', 10_000)).toBe(10_000)
    const limits: unknown[] = []
    const spied: Reader = {
      ...reader,
      cached: (_key, _maxAgeMs, make) => make(),
      get: (sql, ...values) => {
        if (sql.includes('count(*)')) limits.push(values.at(-1))
        return reader.get(sql, ...values)
      },
    }
    expect([frequencyOf(spied, '"every"', 10_000), limits.includes(10_000)]).toEqual([10_000, false])
    expect(frequencyOf(reader, '"every"', 50)).toBe(50)
    expect(frequencyOf(reader, '"rare"', 800)).toBe(800)
  })
})
