import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { draw, mutantsOf, withMutant } from '../../../scripts/mutate/draw-mutants.ts'
import { EQUIVALENT_MUTANTS } from '../../../scripts/mutate/equivalent-mutants.ts'
import { nearTests } from '../../../scripts/mutate/near-tests.ts'
import { withScore } from '../../../scripts/mutate/score-table.ts'
import { SLICES } from '../../../scripts/mutate/slices.ts'
import { wilson } from '../../../scripts/mutate/wilson.ts'

const text = `export function isOver(used: number): boolean {
  const name = 'ü'
  return used >= 10 && name !== ''
}
`
const files = [{ path: 'src/main/a.ts', text }]
const texts = new Map([['src/main/a.ts', text]])

test('mutants replace what they name, with the rest unchanged', async () => {
  const mutants = await mutantsOf(files)
  const changed = mutants.map((mutant) => withMutant(mutant, text))
  expect(changed).toContain(text.replace('>=', '>'))
  expect(changed).toContain(text.replace('>=', '<'))
  expect(changed).toContain(text.replace('&&', '||'))
  expect(changed).toContain(text.replace("'ü'", '""'))
  expect(changed.filter((one) => one === text)).toEqual([])
  expect(mutants.find(({ kind }) => kind === 'LogicalOperator')).toMatchObject({ file: 'src/main/a.ts', line: 3 })
})

test('a seed draws the same mutants, another seed others, and never one twice', async () => {
  const mutants = await mutantsOf(files)
  const drawn = draw(mutants, texts, 5, '1')
  expect(draw(mutants.toReversed(), texts, 5, '1')).toEqual(drawn)
  expect(new Set(drawn).size).toBe(5)
  expect(draw(mutants, texts, 5, '2')).not.toEqual(drawn)
  expect(draw(mutants, texts, 3, '1')).toEqual(drawn.slice(0, 3))
  const all = draw(mutants, texts, 1000, '1')
  expect(all).toHaveLength(mutants.length)
  expect(new Set(all.map(({ start, end, to }) => `${start} ${end} ${to}`)).size).toBe(mutants.length)
})

test.each([
  [81, 263, '0.2553', '0.3662'],
  [15, 148, '0.0624', '0.1605'],
  [0, 20, '0.0000', '0.1611'],
  [1, 29, '0.0061', '0.1718'],
])('the interval of %d out of %d is that of Newcombe (1998), table I, method 3', (hits, tries, low, high) => {
  expect(wilson(hits, tries).map((bound) => Math.abs(bound).toFixed(4))).toEqual([low, high])
})

test('a score replaces the row of its folder and seed, and keeps the others and the text', () => {
  const head =
    '| folder | mutants | equivalent | tried | killed at first | killed now | seed | date |\n|---|---|---|---|---|---|---|---|\n'
  const at = new Date('2026-11-23T00:00:00Z')
  const score = {
    folder: 'ledger',
    mutants: 900,
    equivalent: 2,
    tried: 60,
    killedAtFirst: 44,
    killed: 54,
    seed: '1',
    at,
  }
  const first = withScore(`# Page\n\n${head}\nText\n`, score)
  expect(first).toMatch(
    /^\| `ledger` \| 900 \| 2 \| 60 \| 44: 73 % \(61 – 83 %\) \| 54: 90 % \(80 – 95 %\) \| 1 \| 2026-11-23 \|\n\nText\n$/m,
  )
  const others = withScore(withScore(first, { ...score, seed: '2' }), { ...score, folder: 'guard' })
  expect(others.match(/^\| `.*/gm)).toHaveLength(3)
  const again = withScore(others, { ...score, killed: 60 })
  expect(again.match(/^\| `ledger` .* \d+: (?=\d+ % [^|]*\| \d \|)/gm)).toEqual([
    '| `ledger` | 900 | 2 | 60 | 44: 73 % (61 – 83 %) | 54: ',
    '| `ledger` | 900 | 2 | 60 | 44: 73 % (61 – 83 %) | 60: ',
  ])
  expect(() => withScore('# Page\n', score)).toThrow('no table')
})

test('the unit tests near a file are those that load it, the nearest first', () => {
  const loads = (from: string, to: string, isValue = true) => ({ from, to, isValue, line: 1 })
  const imports = [
    loads('far.test.ts', 'app.ts'),
    loads('app.ts', 'store.ts'),
    loads('store.ts', 'app.ts'),
    loads('store.test.ts', 'store.ts'),
    loads('shape.test.ts', 'store.ts', false),
    loads('other.test.ts', 'other.ts'),
  ]
  expect(nearTests('store.ts', imports)).toEqual(['store.test.ts', 'far.test.ts'])
  expect(nearTests('app.ts', imports)).toEqual(['far.test.ts', 'store.test.ts'])
  expect(nearTests('lonely.ts', imports)).toEqual([])
})

test('each equivalent mutant still fits its file', () => {
  for (const { file, within, from } of EQUIVALENT_MUTANTS) {
    expect(readFileSync(file, 'utf8').split(within), file).toHaveLength(2)
    expect(within).toContain(from)
  }
})

test('every folder has sources and tests', () => {
  const tests = globSync(['src/**/*.test.ts', 'tests/**/*.test.ts'])
  for (const { folder, quick, thorough } of SLICES) {
    expect(globSync(`src/main/${folder}/**/*.ts`).length, folder).toBeGreaterThan(0)
    for (const path of [...quick, ...thorough])
      expect(tests.filter((file) => file.includes(path)).length, path).toBeGreaterThan(0)
  }
})
