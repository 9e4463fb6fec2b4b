import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { linkedFolders, namesOf, otherNames, underName } from './other-names.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'aspy-names-')))
afterAll(() => rmSync(root, { recursive: true }))
const at = (...parts: string[]) => join(root, ...parts)
mkdirSync(at('data', 'shop', 'src'), { recursive: true })
mkdirSync(at('home'))
symlinkSync(at('data', 'shop'), at('home', 'shop'))
symlinkSync(at('data', 'shop', 'src'), at('data', 'shop', 'lib'))

const linked = linkedFolders([at('home', 'shop'), at('data'), at('gone')])
const names = (path: string) => namesOf(path, otherNames(path, linked)).filter((name) => name.startsWith(root))

test.each([
  ['through the link of its project', at('home', 'shop', 'a.ts'), [at('data', 'shop', 'a.ts')]],
  ['where that leads', at('data', 'shop', 'a.ts'), [at('home', 'shop', 'a.ts')]],
  ['that is gone, with its folder', at('data', 'shop', 'old', 'a.ts'), [at('home', 'shop', 'old', 'a.ts')]],
  ['beside the link', at('home', 'a.ts'), []],
  [
    'below a link in the project',
    at('data', 'shop', 'lib', 'a.ts'),
    [at('data', 'shop', 'src', 'a.ts'), at('home', 'shop', 'src', 'a.ts')],
  ],
])('a file %s has all its names', (_, path, others) => {
  expect(new Set(names(path))).toEqual(new Set([path, ...others]))
})

test('a name of another machine has no other', () => {
  expect(otherNames('C:/work/a.ts', linkedFolders(['C:/work']))).toEqual([])
})

test('a step has the name that was asked for, and one of a folder above is a doubt', () => {
  const path = at('home', 'shop', 'a.ts')
  const others = otherNames(path, linked).filter(({ from }) => from.startsWith(root))
  expect([
    underName({ kind: 'deleted', path: at('data', 'shop', 'a.ts') }, others),
    underName({ kind: 'deleted', path: at('data', 'other', 'a.ts') }, others),
    underName({ kind: 'deleted', path: at('data') }, others),
  ]).toEqual([
    { kind: 'deleted', path },
    { kind: 'deleted', path: at('data', 'other', 'a.ts') },
    { kind: 'doubted', path: at('home', 'shop') },
  ])
})

test('a name in the other form of its accents is the same, unless both are there', () => {
  const [one, two] = ['caf\u00e9.ts', 'cafe\u0301.ts'].map((name) => at(name)) as [string, string]
  expect(namesOf(two, otherNames(two, []))).toContain(one)
  expect(namesOf(one, otherNames(one, []))).toContain(two)
  const isOne = process.platform === 'darwin'
  for (const path of [one, two]) writeFileSync(path, '')
  expect(namesOf(two, otherNames(two, [])).includes(one)).toBe(isOne)
})
