import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'
import { lineOfKey } from './toml-lines.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aspy-config-'))
  file = join(dir, 'config.toml')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('the source of a value', () => {
  test('without a file every key has its default', () => {
    const { config, origins } = loadConfig({ file })
    expect(config.proxy).toMatchObject({ port: 2779, upstream: 'https://api.anthropic.com' })
    expect(new Set(origins.values())).toEqual(new Set(['default']))
    expect(origins.has('lifestats.max_thinking_size')).toBe(true)
  })

  test('a flag wins over the environment, the file and the default, in this order', () => {
    writeFileSync(file, '[proxy]\nport = 1\nupstream = "http://file"\nmax_queue_bytes = 5\n[app]\nport = 9\n')
    const { config, origins } = loadConfig({
      file,
      env: { ASPY_PROXY_PORT: '2', ASPY_PROXY_UPSTREAM: 'http://environment', ASPY_LIFESTATS_ENABLED: 'no' },
      flags: { 'proxy.port': 3, 'app.port': undefined },
    })
    expect(config.proxy).toMatchObject({ port: 3, upstream: 'http://environment', max_queue_bytes: 5 })
    expect(config.lifestats.enabled).toBe(false)
    expect(config.app.port).toBe(9)
    expect(origins.get('proxy.port')).toBe('flag')
    expect(origins.get('proxy.upstream')).toBe('environment')
    expect(origins.get('proxy.max_queue_bytes')).toBe('file')
    expect(origins.get('app.theme')).toBe('default')
  })

  test('lists in the environment are separated by commas', () => {
    const { config } = loadConfig({ file, env: { ASPY_APP_ALLOWED_HOSTS: 'box.local:2780, tunnel' } })
    expect(config.app.allowed_hosts).toEqual(['box.local:2780', 'tunnel'])
  })
})

describe('an error names its line', () => {
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    [
      'an unknown key',
      '# my settings\n[proxy]\n\nprot = 1\n',
      /config\.toml:4: unknown key "prot" in \[proxy\]; did you mean "port"\?/,
    ],
    [
      'an unknown section',
      '[proxy]\nport = 1\n[lifestat]\nenabled = true\n',
      /:3: unknown section \[lifestat\]; did you mean "lifestats"\?/,
    ],
    ['a name far from all', '[app]\nzzzzzz = 1\n', /:2: .*valid names: port, allowed_hosts, theme/],
    ['a wrong type', '[app]\ntheme = "dark"\nport = "eighty"\n', /:3: app\.port cannot be "eighty": give a number/],
    ['a dotted key', 'proxy.upstream = "ftp://x"\n', /:1: proxy\.upstream cannot be "ftp:\/\/x": give an address/],
    [
      'a value out of a list',
      '[app]\nallowed_hosts = ["a", 5]\n',
      /:2: app\.allowed_hosts\.1 cannot be 5: give a text/,
    ],
    [
      'a key in the wrong place',
      '[guard]\nprojects = [{ project = "/a", action = "hold" }]\n',
      /:2: unknown key "action" .*; it is a key of \[guard\]$/,
    ],
    ['a project that is not a path', '[guard]\nprojects = [{ project = "shop" }]\n', /:2: .*give the full path/],
    ['a project in short', '[guard]\nprojects = [{ project = "~/shop" }]\n', /:2: .*give the full path/],
    [
      'a project with two caps',
      '[guard]\nprojects = [{ project = "/a", day_usd = 1 }, { project = "/a/", day_usd = 5 }]\n',
      /:2: guard\.projects\.1\.project cannot be "\/a\/": \/a has its caps twice/,
    ],
    ['broken TOML', '[app]\nport = = 3\n', /config\.toml:2: /],
  ]
  test.each(refusals)('%s', (_name, text, message) => {
    writeFileSync(file, text)
    expect(() => loadConfig({ file })).toThrow(
      expect.objectContaining({ code: 'bad_input', message: expect.stringMatching(message) }),
    )
  })

  test('a project of the guard matches with or without a slash at its end', () => {
    writeFileSync(file, '[guard]\nprojects = [{ project = "/a/b/" }, { project = "/" }, { project = "C:\\\\" }]\n')
    expect(loadConfig({ file }).config.guard.projects.map(({ project }) => project)).toEqual(['/a/b', '/', 'C:\\'])
  })

  test('an invalid variable or flag is named', () => {
    expect(() => loadConfig({ file, env: { ASPY_APP_PORT: 'x' } })).toThrow(
      /environment ASPY_APP_PORT: app\.port cannot be "x": give a number/,
    )
    expect(() => loadConfig({ file, flags: { 'proxy.upstream': 'nowhere' } })).toThrow(
      /the command line: proxy\.upstream/,
    )
  })

  test('a file given explicitly must exist', () => {
    expect(() => loadConfig({ file, isFileRequired: true })).toThrow(/cannot read the config file .*config\.toml/)
  })
})

test('text in a multi-line string is not mistaken for a key', () => {
  const text = 'x = """\nport = 1\n"""\n[app]\nport = 2\n'
  expect(lineOfKey(text, ['app', 'port'])).toBe(5)
  expect(lineOfKey(text, ['port'])).toBe(1)
})
