import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { comparePackageFiles, FILE_LIST, hashFiles } from './package-files.ts'

let root = ''
const write = (name: string, text: string) => writeFileSync(join(root, name), text)
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'aspy-package-'))
  for (const folder of ['out/main/migrations', 'out/renderer']) mkdirSync(join(root, folder), { recursive: true })
  write('out/main/aspy.js', 'run()')
  write('out/main/aspy.js.map', '{}')
  write('out/main/migrations/100.sql', 'CREATE')
  write('out/renderer/index.html', '<html>')
  write(FILE_LIST, JSON.stringify(await hashFiles(root)))
})
afterEach(() => rmSync(root, { recursive: true }))

test('an installed package is intact, also without its maps', async () => {
  rmSync(join(root, 'out/main/aspy.js.map'))
  expect(await comparePackageFiles(root)).toEqual({ state: 'intact', differing: [] })
})

test('names a file that changed, is missing or does not belong to it', async () => {
  write('out/main/aspy.js', 'run() // damaged')
  write('out/main/extra.js', '')
  rmSync(join(root, 'out/main/migrations/100.sql'))
  expect(await comparePackageFiles(root)).toEqual({
    state: 'changed',
    differing: ['out/main/aspy.js', 'out/main/extra.js', 'out/main/migrations/100.sql'],
  })
})

test('a clone, and a build without a list, are no release', async () => {
  mkdirSync(join(root, 'src'))
  expect(await comparePackageFiles(root)).toEqual({ state: 'not_a_release', differing: [] })
  rmSync(join(root, 'src'), { recursive: true })
  rmSync(join(root, FILE_LIST))
  expect((await comparePackageFiles(root)).state).toBe('not_a_release')
})
