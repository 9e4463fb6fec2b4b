import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { placeFile, statOf } from './place-file.ts'

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aspy-place-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a file is written below the project, and what was there is kept', () => {
  const folder = makeFolder()
  const out = join(folder, 'a', 'b', 'file.ts')
  expect(placeFile(folder, out, 'one', null)).toBe(null)
  expect(placeFile(folder, out, 'two', statOf(out))).toBe(`${out}.before`)
  expect([readFileSync(out, 'utf8'), readFileSync(`${out}.before`, 'utf8')]).toEqual(['two', 'one'])
})

test('a folder that became a link since it was looked at is not written through, and nothing is lost', () => {
  const folder = makeFolder()
  const [project, outside] = [join(folder, 'project'), join(folder, 'outside')]
  mkdirSync(project)
  mkdirSync(outside)
  writeFileSync(join(outside, 'file.ts'), 'kept')
  symlinkSync(outside, join(project, 'a'))
  const present = statOf(join(outside, 'file.ts'))
  expect(() => placeFile(project, join(project, 'a', 'file.ts'), 'one', null)).toThrow(/link/)
  expect(() => placeFile(project, join(project, 'a', 'file.ts'), 'one', present)).toThrow(/link/)
  expect(() => placeFile(project, join(project, 'a', 'new', 'file.ts'), 'one', null)).toThrow(/link/)
  expect([readdirSync(outside), readFileSync(join(outside, 'file.ts'), 'utf8')]).toEqual([['file.ts'], 'kept'])
})
