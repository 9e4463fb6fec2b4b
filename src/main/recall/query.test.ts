import { describe, expect, test } from 'vitest'
import { parseQuery } from './query.ts'

const raws = (text: string) => parseQuery(text).terms.map((term) => term.raw)

describe('a query as people type it', () => {
  test('understands filters, quotes and minus, and treats everything else as words', () => {
    const query = parseQuery(
      'kind:prompt project:/work/app NOT draft -"old plan" -light "dark mode" theme before:2026-11-02T00:00:00Z http://x.org/a after:never',
    )
    expect(query.kinds).toEqual(['user_prompt'])
    expect(query.project).toEqual(['/work/app'])
    expect(query.before).toBe('2026-11-02T00:00:00.000Z')
    expect(query.after).toBeNull()
    expect(query.phrases.map((term) => term.whole)).toEqual(['"dark mode"'])
    expect(query.excluded.map((term) => term.raw)).toEqual(['draft', 'old plan'])
    expect(query.minusWords).toEqual(['light'])
    expect(query.asText).toEqual([{ name: 'after', value: 'never' }])
    expect(query.terms.map((term) => term.raw)).toEqual(['light', 'theme', 'http', 'x.org/a', 'after:never'])
  })

  test('excludes only by NOT and a quotation, and knows SQL from a wish', () => {
    const excluded = (text: string) => parseQuery(text).excluded.map(({ raw }) => raw)
    expect(excluded('cache NOT redis')).toEqual(['redis'])
    expect(excluded('cache NOT "redis cluster"')).toEqual(['redis cluster'])
    for (const text of [
      'rm -rf dist',
      'git commit -m "fix"',
      'npm ci --no-verify',
      'WHERE name IS NOT NULL',
      'CREATE TABLE IF NOT EXISTS t',
      'DO NOT EDIT',
      'ls -la',
    ]) {
      expect(excluded(text), text).toEqual([])
    }
  })

  test('reads dates of several words, and searches what no filter means', () => {
    const now = new Date(2026, 10, 18, 12).getTime()
    const { after, terms } = parseQuery('deploy after:last Tuesday broke', { now })
    expect(after).toBe(new Date(2026, 10, 17).toISOString())
    expect(terms.map(({ raw }) => raw)).toEqual(['deploy', 'broke'])
    const on = parseQuery('on:4 March', { now })
    expect([on.after, on.before]).toEqual([new Date(2026, 2, 4).toISOString(), new Date(2026, 2, 5).toISOString()])
    const unknown = parseQuery('session:start hook failed', { lookUp: () => [] })
    expect(unknown.terms.map(({ whole }) => whole)).toEqual([
      '("session start" OR "sessionstart")',
      '"hook"',
      '"failed"',
    ])
    expect(unknown.session).toBeNull()
  })

  test('finds identifiers whole, joined and by their humps', () => {
    expect(parseQuery('getUserById').terms[0]?.whole).toBe('("getUserById" OR "get user by id")')
    expect(parseQuery('foo_bar').terms[0]?.whole).toBe('("foo bar" OR "foobar")')
    expect(parseQuery("can't").terms[0]?.whole).toBe('("can t" OR "cant")')
    expect(parseQuery('C++').terms[0]?.whole).toBe('"cplusplus"')
    expect(parseQuery('src/main.rs').terms[0]?.whole).toBe('("src main rs" OR "srcmainrs")')
    expect(parseQuery('getUserById').terms[0]?.pieces).toEqual(['"user"'])
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
    expect(parseQuery('solariz', { prefix: true }).terms[0]?.whole).toBe('("solariz" * OR "solar")')
    // No longer word that begins with "theme" has the stem "them".
    expect(parseQuery('theme', { prefix: true }).terms[0]?.whole).toBe('"theme" *')
    expect(parseQuery('deploymen', { prefix: true }).terms[0]?.whole).toContain('"deploy"')
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

describe('filters, one by one', () => {
  test('two of a name select either, and so do two that exclude', () => {
    const query = parseQuery('project:a project:b -tool:Read -tool:Bash x')
    expect(query.project).toEqual(['a', 'b'])
    expect(query.not.tool).toEqual(['Read', 'Bash'])
  })

  test('several days select any of them: all from the first to the last, without what is between', () => {
    const days = (...of: readonly number[]) => {
      const query = parseQuery(`x ${of.map((day) => `on:2026-03-0${day}`).join(' ')}`, { zone: 'UTC' })
      const left = (query.not.spans ?? []).map(({ from, to }) => [from?.slice(8, 10), to?.slice(8, 10)])
      return [query.after?.slice(8, 10), query.before?.slice(8, 10), left]
    }
    expect(days(3)).toEqual(['03', '04', []])
    expect(days(3, 4)).toEqual(['03', '05', []])
    expect(days(7, 1, 4, 1)).toEqual([
      '01',
      '08',
      [
        ['02', '04'],
        ['05', '07'],
      ],
    ])
  })

  test('not and a dash exclude a filter, and nothing else', () => {
    for (const text of ['x not kind:prompt', 'x –kind:prompt', 'x −kind:prompt', 'IS NOT kind:prompt'])
      expect(parseQuery(text).not.kinds, text).toEqual(['user_prompt'])
    expect(parseQuery('why not redis').excluded).toEqual([])
    expect(parseQuery('he said –"no"').excluded).toEqual([])
    expect(parseQuery('not http://x.org/a').not).toEqual({})
  })

  test('a list of kinds counts only if all of them are known', () => {
    expect(parseQuery('kind:prompt,tool x').kinds).toEqual(['user_prompt', 'tool'])
    const odd = parseQuery('kind:prompt,nonsense x')
    expect([odd.kinds, odd.asText]).toEqual([[], [{ name: 'kind', value: 'prompt,nonsense' }]])
  })

  test('a range ends with its last day, and not after a day means before it', () => {
    const day = (date: number) => new Date(2026, 2, date).toISOString()
    const range = parseQuery('on:2026-03-01..2026-03-04 x')
    expect([range.after, range.before]).toEqual([day(1), day(5)])
    const not = parseQuery('-after:2026-03-02 x')
    expect([not.after, not.before]).toEqual([null, day(2)])
    const since = parseQuery('-before:2026-03-02 x')
    expect([since.after, since.before]).toEqual([day(2), null])
  })

  test('an unclosed quote is ignored, and nothing but exclusions are words', () => {
    expect(parseQuery('dark "mode now').phrases).toEqual([])
    expect(raws('dark "mode now')).toEqual(['dark', 'mode', 'now'])
    const query = parseQuery('-"old plan"')
    expect([query.excluded, query.terms.map(({ raw }) => raw)]).toEqual([[], ['old plan']])
  })

  test('soft quotes rank their words too, and the number of phrases is bounded', () => {
    const soft = parseQuery('"dark mode"', { softQuotes: true })
    expect(soft.phrases).toEqual([])
    expect(soft.terms.map(({ raw }) => raw)).toEqual(['dark mode', 'dark', 'mode'])
    const many = Array.from({ length: 70 }, (_, at) => `"w${at} x"`).join(' ')
    expect(parseQuery(many).phrases).toHaveLength(64)
  })
})

test.each([
  ['redis OR postgres', ['("redis" OR "postgres")'], false],
  ['a cache (redis OR "own queue") now', ['"a"', '"cache"', '("redis" OR "own queue")', '"now"'], false],
  ['redis OR postgres OR sqlite', ['("redis" OR "postgres" OR "sqlite")'], false],
  ['redis or postgres', ['"redis"', '"or"', '"postgres"'], false],
  ['OR redis', ['"OR"', '"redis"'], false],
  ['kind:prompt OR kind:answer', [], false],
  ['(redis cache) OR postgres', ['"redis"', '("cache" OR "postgres")'], true],
  ['(redis OR cache) OR postgres', ['("redis" OR "cache" OR "postgres")'], false],
])('%s joins what is next to OR', (typed, expected, hasGroups) => {
  const query = parseQuery(typed)
  const wholes = query.terms.map(({ whole }) => whole.replaceAll('(("', '("').replaceAll('") OR', '" OR'))
  expect([wholes, query.hasGroups]).toEqual([expected, hasGroups])
})

test('alternatives are as many as words', () => {
  const [term, ...others] = parseQuery(Array.from({ length: 300 }, (_, at) => `w${at}`).join(' OR ')).terms
  expect([term?.either.length, others.length]).toEqual([64, 0])
})
