import { constantFrom, oneof, sample, string, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { runs } from '../../support/runner/heavy.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const STRINGS = runs(200, 100_000)
const QUARTER_HOUR = 900_000

/** Text of any kind, including query syntax and FTS5 syntax. */
const anyText = oneof(
  string({ unit: 'binary', maxLength: 30 }),
  string({ unit: 'grapheme', maxLength: 30 }),
  stringMatching(/^[-"*^():+a-zA-Z ~{}.,_'/#\\]{0,30}$/),
  constantFrom('NEAR(', 'a AND', 'OR', '"', '""""', 'text:', '-', '--', '*', '^a', 'a*b', '{text}:a', "can't", 'C++'),
  constantFrom(
    'kind:',
    'kind:tool',
    'before:x',
    'after:2026',
    'session:"',
    'tool:*',
    '-"a',
    'in may 99999',
    '\ud800',
    '\0',
  ),
)

test(
  'no string breaks a search, and every document is found by its own words',
  () => {
    const texts = sample(anyText, { numRuns: STRINGS, seed: 7 }).map((text) => text.toWellFormed())
    // Each has a unique word that identifies it.
    const marked = texts.map((text, index) => `${text}\nown${index}x`)
    using folder = makeTempFolder()
    const path = fillStore(
      folder.path,
      marked.map((text, index) =>
        draftOf(
          'user_prompt',
          { text },
          {
            at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
            session_id: `s${index % 50}`,
            uuid: `d${index}`,
            keys: [`line:${index}`],
          },
        ),
      ),
    )
    using db = closing(openReader(path))
    const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
    const reader = createReader(db.value, budget)
    const ask = (query: string, more: object = {}) => {
      budget.begin(1, 20_000)
      return readerHandlers['recall.search'](reader, recallSearch.input.parse({ query, counts: false, ...more })).items
    }
    for (const [index, text] of texts.entries()) {
      const more = index % 10 === 0 ? { prefix: true, tools: true, counts: true } : { limit: 1 }
      expect(Array.isArray(ask(text, more))).toBe(true)
      const words = (marked[index] ?? '').match(/[\p{L}\p{N}]+/gu) ?? []
      // A whole page, since some strings share an equally rare word with shorter ones.
      const found = ask(words.slice(-12).join(' '))
      expect(found.map((hit) => hit.uuid)).toContain(`d${index}`)
    }
  },
  4 * QUARTER_HOUR,
)

const closing = <T extends { close(): void }>(value: T) => ({ value, [Symbol.dispose]: () => value.close() })
