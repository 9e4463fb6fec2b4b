import { describe, expect, test } from 'vitest'
import { parseQuery } from './query.ts'

const raws = (text: string) => parseQuery(text).terms.map((term) => term.raw)

describe('a query as people type it', () => {
  test('understands filters, quotes and minus, and treats everything else as words', () => {
    const query = parseQuery(
      'kind:prompt project:/work/app -draft "dark mode" theme before:2026-11-02 http://x.org/a after:never',
    )
    expect(query.kinds).toEqual(['user_prompt'])
    expect(query.project).toBe('/work/app')
    expect(query.before).toBe('2026-11-02T00:00:00.000Z')
    expect(query.after).toBeNull()
    expect(query.phrases.map((term) => term.whole)).toEqual(['"dark mode"'])
    expect(query.excluded.map((term) => term.raw)).toEqual(['draft'])
    expect(query.terms.map((term) => term.raw)).toEqual(['theme', 'http', 'x.org/a', 'after:never'])
  })

  test('finds identifiers whole, joined and by their humps', () => {
    expect(parseQuery('getUserById').terms[0]?.whole).toBe('("getUserById" OR "get user by id")')
    expect(parseQuery('foo_bar').terms[0]?.whole).toBe('("foo bar" OR "foobar")')
    expect(parseQuery("can't").terms[0]?.whole).toBe('("can t" OR "cant")')
    expect(parseQuery('C++').terms[0]?.whole).toBe('"cplusplus"')
    expect(parseQuery('src/main.rs').terms[0]?.whole).toBe('("src main rs" OR "srcmainrs")')
    expect(parseQuery('getUserById').terms[0]?.pieces).toEqual(['"user"', '"id"'])
  })

  test('adds synonyms when any word may match', () => {
    const [term] = parseQuery('containers').terms
    expect([term?.whole, term?.pieces]).toEqual(['"containers"', ['"docker"', '"image"', '"dockerfile"']])
  })

  test('matches CJK by character pairs, and a single character as a prefix', () => {
    expect(parseQuery('数据库').terms[0]?.whole).toBe('"数据 据库"')
    expect(parseQuery('库').terms[0]?.whole).toBe('"库" *')
  })

  test('tries shorter stems while a word is being typed', () => {
    expect(parseQuery('solariz', { prefix: true }).terms[0]?.whole).toBe(
      '("solariz" * OR "solari" OR "solar" OR "sola")',
    )
  })

  test('matches the last word as a prefix only while it is being typed', () => {
    expect(parseQuery('dark sol', { prefix: true }).terms.map((term) => term.whole)).toEqual(['"dark"', '"sol" *'])
    expect(parseQuery('dark sol ', { prefix: true }).terms.at(-1)?.whole).toBe('"sol"')
  })

  test('treats command-line options and stray punctuation as plain text', () => {
    expect(raws('--max-old-space-size=1152')).toEqual(['max-old-space-size', '1152'])
    expect(raws('-v')).toEqual(['v'])
    expect(raws('- "" * ^ ( ) NEAR "open')).toEqual(['NEAR', 'open'])
    expect(raws('')).toEqual([])
  })

  test('marks the stop words of a question', () => {
    const { terms, phrase } = parseQuery('why did we choose the theme')
    expect(terms.filter((term) => !term.isStopWord).map((term) => term.raw)).toEqual(['choose', 'theme'])
    expect(phrase).toBe('"why did we choose the theme"')
  })
})
