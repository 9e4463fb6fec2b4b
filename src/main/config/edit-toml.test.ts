import { describe, expect, test } from 'vitest'
import { editToml } from './edit-toml.ts'

const upstream = (value: string | null) => ({ section: 'proxy', key: 'upstream', value })

describe('a changed line of a TOML file', () => {
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

  test('goes again, and nothing else', () => {
    expect(editToml('[proxy]\n# why\nupstream = "x"\nport = 1\n', upstream(null))).toBe('[proxy]\n# why\nport = 1\n')
    expect(editToml('[proxy]\nport = 1\n', upstream(null))).toBe('[proxy]\nport = 1\n')
  })

  test('is refused where a line cannot change it', () => {
    for (const text of ['proxy = { upstream = "x", port = 1 }\n', '[proxy]\nupstream = """\nx"""\n', 'not [ toml'])
      expect(() => editToml(text, upstream('http://new'))).toThrow(/by hand|not valid TOML/)
  })
})
