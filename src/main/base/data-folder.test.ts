import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDataDir, defaultDataDir, loadKeys, readKey, type ReplacedFile } from './data-folder.ts'
import { replaceFile } from './replace-file.ts'

let parent: string
let dir: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'aspy-folder-'))
  dir = join(parent, 'deep', 'data')
  createDataDir(dir)
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

test.each([
  ['linux', {}, '/home/me/.local/share/aspy'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/data/aspy'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/me/.local/share/aspy'],
  ['darwin', {}, '/home/me/Library/Application Support/aspy'],
] as const)('on %s with %j it is %s', (platform, env, expected) => {
  expect(defaultDataDir({ platform, env, home: '/home/me' })).toBe(expected)
})

test('a file that cannot be replaced is named, with the reason', () => {
  const file = join(dir, 'nowhere', 'config.toml')
  expect(() => replaceFile(file, '')).toThrow(`${file} was not changed: a folder above it does not exist (ENOENT`)
})

describe('keys', () => {
  test('are created once, 32 random bytes each, readable by their owner only', () => {
    const keys = loadKeys(dir)
    for (const key of Object.values(keys)) expect(Buffer.from(key, 'base64url')).toHaveLength(32)
    expect(new Set(Object.values(keys)).size).toBe(4)
    expect(loadKeys(dir)).toEqual(keys)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    for (const name of ['token', 'hooks', 'mcp', 'metrics']) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600)
  })

  test('a key that others could read is replaced, also after a command has read it', () => {
    const mine = 'mine'.padEnd(43, 'x')
    writeFileSync(join(dir, 'token'), `${mine}\n`, { mode: 0o644 })
    expect(readKey(dir, 'token')).toBe(mine)
    expect(loadKeys(dir).token).not.toBe(mine)
    expect(statSync(join(dir, 'token')).mode & 0o777).toBe(0o600)
  })

  test.each(['', '\n', 'short', 'x'.repeat(44), `${'x'.repeat(42)} `, '../'.padEnd(43, 'x')])(
    'a key of another format (%j) is renamed, and a new one is created',
    (text) => {
      writeFileSync(join(dir, 'token'), text, { mode: 0o600 })
      const replaced: ReplacedFile[] = []
      expect(loadKeys(dir, (file) => replaced.push(file)).token).toMatch(/^[\w-]{43}$/)
      expect(replaced).toEqual([{ name: 'token', movedTo: expect.any(String), why: 'it is not a key' }])
      expect(readFileSync(join(dir, replaced[0]?.movedTo ?? ''), 'utf8')).toBe(text)
    },
  )
})
