import { expect, test } from 'vitest'
import { createGlob } from './glob.ts'

const cases: readonly (readonly [glob: string, fits: readonly string[], others: readonly string[]])[] = [
  ['/home/me', ['/home/me', '/home/me/project'], ['/home/me2', '/home', '/other/home/me']],
  ['/home/*/proj*', ['/home/me/project', '/home/you/projects/deep/er'], ['/home/me/deep/project']],
  ['/home/**/secret', ['/home/me/a/secret', '/home/me/a/secret/b'], ['/home/me/secrets']],
  ['mcp__*', ['mcp__tracker__list', 'mcp__'], ['Bash', 'my_mcp__x']],
  ['Ba?h', ['Bash'], ['Bah', 'Bashh']],
  ['C:\\work\\*', ['C:\\work\\a', 'C:\\work\\a\\b'], ['C:\\play']],
  ['a.b+(c)[d]', ['a.b+(c)[d]'], ['aXb+(c)[d]', 'a.bb(c)d']],
]

test.each(cases)('%s', (glob, fits, others) => {
  const isIn = createGlob(['/never', glob])
  expect(fits.filter((name) => !isIn(name))).toEqual([])
  expect(others.filter(isIn)).toEqual([])
})

test('an empty list matches nothing', () => {
  expect(createGlob([])('')).toBe(false)
})
