import { cpSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { recordedFacts } from '../../support/transcripts/recorded-count.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/transcripts')

/** A copy of a fixture whose files are a minute apart, in the order of their names or against it. */
function copyOf(fixture: string, order: 'forwards' | 'backwards'): { folder: string; files: readonly string[] } {
  const folder = join(temporaryFolder(), 'projects')
  mkdirSync(folder)
  cpSync(join(FIXTURES, fixture), folder, { recursive: true })
  const names = readdirSync(folder).toSorted()
  const files = (order === 'forwards' ? names : names.toReversed()).map((name) => join(folder, name))
  for (const [at, file] of files.entries()) utimesSync(file, 1_790_000_000 + 60 * at, 1_790_000_000 + 60 * at)
  return { folder, files }
}

const facts = (db: string) => Object.fromEntries([...recordedFacts(db)].toSorted(([a], [b]) => (a < b ? -1 : 1)))

test.each(['fork-copied', 'fork-named'])(
  '%s: one import gives the original its history, whatever the files’ times',
  async (fixture) => {
    const forwards = facts(await importInto(temporaryFolder(), [copyOf(fixture, 'forwards').folder]))
    const backwards = facts(await importInto(temporaryFolder(), [copyOf(fixture, 'backwards').folder]))
    expect(backwards).toEqual(forwards)
    expect(
      Object.values(forwards)
        .map(({ entered }) => entered.length)
        .toSorted(),
    ).toEqual(fixture === 'fork-copied' ? [1, 2] : [1, 1])
  },
)

test('a fork that names its original may be imported before it', async () => {
  const first = facts(await importInto(temporaryFolder(), copyOf('fork-named', 'forwards').files))
  const second = facts(await importInto(temporaryFolder(), copyOf('fork-named', 'backwards').files))
  expect(second).toEqual(first)
})
