import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editToml, valueIn } from './edit-toml.ts'

const upstream = (value: string | null) => ({ section: 'proxy', key: 'upstream', value })

describe('changing a line of a TOML file', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['an empty file', '', '[proxy]\nupstream = "http://new"\n'],
    ['another section', '# mine\n[app]\nport = 1', '# mine\n[app]\nport = 1\n\n[proxy]\nupstream = "http://new"\n'],
    ['its section', '[proxy] # here\nport = 1\n', '[proxy] # here\nupstream = "http://new"\nport = 1\n'],
    [
      'a value with a comment',
      '[proxy]\n  upstream  = "http://old#1" # gateway\n[app]\n',
      '[proxy]\n  upstream  = "http://new" # gateway\n[app]\n',
    ],
    ['a literal string', "[proxy]\nupstream='http://old'\n", '[proxy]\nupstream="http://new"\n'],
    ['a dotted key', 'proxy.upstream = "http://old"\n', 'proxy.upstream = "http://new"\n'],
    ['a string of several lines', '[proxy]\nupstream = """\nx\n#""" # y\n', '[proxy]\nupstream = "http://new" # y\n'],
    [
      'line ends of Windows',
      '[app]\r\nport = 1\r\n',
      '[app]\r\nport = 1\r\n\r\n[proxy]\r\nupstream = "http://new"\r\n',
    ],
  ]
  test.each(cases)('in %s', (_name, before, after) => {
    const edited = editToml(before, upstream('http://new'))
    expect(edited).toBe(after)
    expect(editToml(edited, upstream('http://new'))).toBe(edited)
  })

  test('can be undone, and changes nothing else', () => {
    expect(editToml('[proxy]\n# why\nupstream = "x"\nport = 1\n', upstream(null))).toBe('[proxy]\n# why\nport = 1\n')
    expect(editToml('[proxy]\nport = 1\n', upstream(null))).toBe('[proxy]\nport = 1\n')
  })

  test('is refused if the value cannot be changed line by line', () => {
    for (const text of ['proxy = { upstream = "x", port = 1 }\n', 'not [ toml'])
      expect(() => editToml(text, upstream('http://new'))).toThrow(/by hand|not valid TOML/)
  })
})

describe('a value that is a list or a table', () => {
  const setTools = (text: string, value: unknown) => editToml(text, { section: 'filter', key: 'drop_tools', value })

  test('is written on one line; comments inside it move before it', () => {
    const before = '[filter]\n# tools\ndrop_tools = [\n  "Bash", # loud\n  # and\n  "Read#1",\n] # end\nsample = { }\n'
    expect(setTools(before, ['Web*'])).toBe(
      '[filter]\n# tools\n# loud\n# and\ndrop_tools = ["Web*"] # end\nsample = { }\n',
    )
    expect(setTools(before, null)).toBe('[filter]\n# tools\n# loud\n# and\nsample = { }\n')
  })

  test('patterns keep their backslashes readable', () => {
    const patterns = [{ name: 'order', pattern: String.raw`\bORD-\d{6}\b`, ignore_case: true }]
    const text = editToml('', { section: 'redaction', key: 'patterns', value: patterns })
    expect(text).toBe(
      '[redaction]\npatterns = [{ name = "order", pattern = \'\\bORD-\\d{6}\\b\', ignore_case = true }]\n',
    )
  })

  test('any value can be read back unchanged', () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.string(), fc.boolean(), fc.integer(), fc.array(tie('value')), tie('table')),
      table: fc.dictionary(
        fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
        tie('value'),
      ),
    })).value
    fc.assert(
      fc.property(json, (value) => {
        expect(valueIn(setTools('[filter]\nsample = {}\n', value), 'filter', 'drop_tools')).toStrictEqual(
          structuredClone(value),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('next to dotted keys it becomes a dotted key; a table of its own is not changed', () => {
    expect(setTools('filter.sample = {}\n[app]\n', ['a'])).toBe(
      'filter.sample = {}\nfilter.drop_tools = ["a"]\n[app]\n',
    )
    const tables = '[[redaction.patterns]]\nname = "a"\npattern = "b"\n'
    expect(() => editToml(tables, { section: 'redaction', key: 'patterns', value: [] })).toThrow(/by hand/)
  })
})
