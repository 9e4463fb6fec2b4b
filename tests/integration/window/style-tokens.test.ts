import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../../src/renderer', import.meta.url))

/** Type sizes in fixed units, and sizes of Tailwind's default scale, which the theme turns off. */
const FOREIGN_SIZE = /\btext-(?:\[[\d.]+(?:rem|px)\]|xs|sm|base|lg|xl|[2-9]xl)(?![\w-])/g
/** A utility class with `!`, which overrides another class of the same element. */
const OVERRIDE = /(?<=["'`\s])[a-z]+-[\w:./[\]%()-]+!(?=["'`\s])/g

const usesOf = (pattern: RegExp, source: string): string[] => [...source.matchAll(pattern)].map(([use]) => use)

test.each([
  ['a type size that is not a token', FOREIGN_SIZE],
  ['a class that overrides another one', OVERRIDE],
])('no component uses %s', (_, pattern) => {
  const found = globSync('**/*.tsx', { cwd: FOLDER }).flatMap((file) =>
    usesOf(pattern, readFileSync(join(FOLDER, file), 'utf8')).map((use) => `${file}: ${use}`),
  )
  expect(found).toEqual([])
})

test('both checks detect their fault', () => {
  const source = 'className="h-7! text-[0.8rem] text-meta" className={`text-sm ${wide} px-0!`}'
  expect(usesOf(FOREIGN_SIZE, source)).toEqual(['text-[0.8rem]', 'text-sm'])
  expect(usesOf(OVERRIDE, source)).toEqual(['h-7!', 'px-0!'])
})
