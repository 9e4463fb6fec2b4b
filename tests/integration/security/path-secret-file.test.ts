import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withoutPathSecret } from '../../../src/shared/path-secret.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { baseUrlOf, loadPathSecret, PathSecretCheck, rotatePathSecret } from '../../../src/main/base/path-secret.ts'

test('a secret is made once, for its owner only, with 256 random bits that are safe in a URL', () => {
  using folder = makeTempFolder()
  const secret = loadPathSecret(folder.path)
  expect(secret).toMatch(/^aspy-path-[A-Za-z0-9_-]{43}$/)
  expect(loadPathSecret(folder.path)).toBe(secret)
  expect(readFileSync(join(folder.path, 'path-secret'), 'utf8')).toBe(`${secret}\n`)
  expect(statSync(join(folder.path, 'path-secret')).mode & 0o777).toBe(0o600)
  using other = makeTempFolder()
  expect(loadPathSecret(other.path)).not.toBe(secret)
})

test('a running check accepts a rotated secret after a second, and the previous one no longer', () => {
  using folder = makeTempFolder()
  let now = 0
  const check = new PathSecretCheck(folder.path, () => now)
  const before = loadPathSecret(folder.path)
  expect([check.matches(before), check.matches(`${before}x`), check.matches('')]).toEqual([true, false, false])
  const after = rotatePathSecret(folder.path)
  expect(after).not.toBe(before)
  expect(statSync(join(folder.path, 'path-secret')).mode & 0o777).toBe(0o600)
  now = 1001
  expect([check.matches(after), check.matches(before)]).toEqual([true, false])
})

test('a file that holds no secret is refused with the command that replaces it', () => {
  using folder = makeTempFolder()
  writeFileSync(join(folder.path, 'path-secret'), 'v1\n')
  expect(() => loadPathSecret(folder.path)).toThrow(/path-secret is damaged; make a new one with aspy setup --rotate/)
  expect(rotatePathSecret(folder.path)).toMatch(/^aspy-path-/)
})

test('a base URL is shown without its secret', () => {
  const url = baseUrlOf('http://127.0.0.1:2779', `aspy-path-${'k'.repeat(43)}`)
  expect(url).toBe(`http://127.0.0.1:2779/aspy-path-${'k'.repeat(43)}`)
  expect(withoutPathSecret(url)).toBe('http://127.0.0.1:2779')
  expect(withoutPathSecret(`${url}/v1?x`)).toBe('http://127.0.0.1:2779/v1?x')
  expect(withoutPathSecret('https://gateway.example/v1')).toBe('https://gateway.example/v1')
})
