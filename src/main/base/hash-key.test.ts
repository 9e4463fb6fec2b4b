import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadHashKey } from './hash-key.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-hash-key-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the key is created once, readable by its owner only, and stays the same', () => {
  const made = loadHashKey(folder)
  expect(made).toHaveLength(32)
  expect(statSync(join(folder, 'hash.key')).mode & 0o777).toBe(0o600)
  expect(loadHashKey(folder)).toEqual(made)
  expect(readFileSync(join(folder, 'hash.key'))).toEqual(made)
})

test('a damaged key is reported, never replaced', () => {
  writeFileSync(join(folder, 'hash.key'), 'short')
  expect(() => loadHashKey(folder)).toThrow('is damaged (not 32 bytes)')
  expect(readFileSync(join(folder, 'hash.key'), 'utf8')).toBe('short')
})
