import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { stem } from '../recall/stem.ts'
import { fold, humpsOf, pairsOf, partsOf } from './words.ts'

test('parts contain humps, joined compounds, signs as letters and CJK pairs', () => {
  expect(partsOf('HTTPServer2Go uses foo_bar in C++, not C#').split(' ')).toEqual([
    'http',
    'server',
    '2',
    'go',
    'foobar',
    'cplusplus',
    'csharp',
  ])
  expect(partsOf('数据库 数据库')).toBe('数据 据库 库')
  expect(humpsOf('plain')).toEqual([])
  expect(pairsOf('𠮷野家')).toEqual(['𠮷野', '野家', '家'])
  expect(fold('Crème')).toBe('creme')
})

test('words are stemmed as the index stems them', () => {
  const db = new Database(':memory:')
  db.exec(`CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE v USING fts5vocab (t, row)`)
  const words =
    'caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling hissing fizzed ' +
    'failing filing happy sky relational conditional rational valency hesitancy digitizer conformably radically differently vilely analogously ' +
    'vietnamization predication operator feudalism decisiveness hopefulness callousness formality sensitivity sensibility triplicate formative ' +
    'formalize electricity electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement ' +
    'adjustment dependent adoption homologou communism activate angularity homologous effective bowdlerize probate rate cease controlling roll ' +
    'migrations caching queries indices databases running decided theme themes solarized retried using'
  const insert = db.prepare('INSERT INTO t (rowid, x) VALUES (?, ?)')
  for (const [index, word] of words.split(' ').entries()) {
    insert.run(index + 1, word)
    const token = db.prepare('SELECT term FROM v').pluck().all()
    expect([word, token]).toEqual([word, [stem(word)]])
    db.exec('DELETE FROM t')
  }
  db.close()
})
