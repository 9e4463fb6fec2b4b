import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { countTranscripts } from '../../support/transcripts/independent-reader.ts'
import { differences, recordedFacts } from '../../support/transcripts/recorded-count.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { few } from '../../support/runner/heavy.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/transcripts')
const folders = readdirSync(FIXTURES, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)

/** The facts in which store and reader differ, and why the store is right. Everything else must be equal. */
const EXCEPTIONS: { readonly [folder: string]: readonly { readonly difference: RegExp; readonly why: string }[] } = {
  'commands-and-bash': [
    {
      difference: /entered: \[\] ≠ \["#use tabs"\]$/,
      why: 'a person typed the note; the reader counts what reaches the model',
    },
    {
      difference: /entered: \[\] ≠ \["\/mcp"\]$/,
      why: 'the reader counts commands of `user` lines; this one is a `system` line',
    },
  ],
  plan: [
    {
      difference: /entered: \[\] ≠ \["Implement the following plan:/,
      why: 'an accepted plan is what the person asked for, and its answer needs a turn',
    },
  ],
  'queue-lines-only': [
    {
      difference: /lastTime: "2026-02-10T09:00:21.000Z" ≠ "2026-02-10T09:00:18.000Z"$/,
      why: 'the last lines queue messages that were never sent',
    },
  ],
}

test.each(few(folders, 3))(
  '%s: the store holds what a reader without any code of the product counts',
  async (folder) => {
    const path = join(FIXTURES, folder)
    const db = await importInto(temporaryFolder(), [path])
    const found = differences(countTranscripts(path), recordedFacts(db))
    const exceptions = EXCEPTIONS[folder] ?? []
    expect(found.filter((difference) => !exceptions.some((one) => one.difference.test(difference)))).toEqual([])
    for (const one of exceptions)
      expect(
        found.some((difference) => one.difference.test(difference)),
        one.why,
      ).toBe(true)
  },
)
