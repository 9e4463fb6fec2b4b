import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Read } from '../../session-page/page-facts.ts'
import { createFileHandlers } from './restore-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'aspy-restore-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A file of two lines, recorded in a project. */
function restoring(project: string, input: object) {
  const path = join(project, 'plan.md')
  const answers: Readonly<Record<string, unknown>> = {
    'files.at': {
      path,
      timestamp: '2026-11-28T10:00:00.000Z',
      doubted_since: null,
      is_whole: true,
      line_ending: 'lf',
      lines: [{ text: '# Plan' }, { text: 'Ship on Friday.' }, { text: '' }],
      holes: [],
    },
    'team.projects': { items: [{ project }] },
  }
  const read = ((name: string) => Promise.resolve(answers[name])) as unknown as Read
  const restore = createFileHandlers(read)['files.restore']
  return (restore as unknown as (input: object) => Promise<{ out: string }>)({
    path,
    over: false,
    preview: false,
    ...input,
  })
}

test('a file that is gone is written to its place', async () => {
  const { out } = await restoring(folder, {})
  expect(readFileSync(out, 'utf8')).toBe('# Plan\nShip on Friday.\n')
})

test('a project whose folder is missing is named, and not called a place outside of the record', async () => {
  const gone = join(folder, 'gone')
  await expect(restoring(gone, {})).rejects.toThrow(`the folder ${gone} is not on this machine`)
  await expect(restoring(folder, { out: join(tmpdir(), 'elsewhere.md') })).rejects.toThrow(
    'is in no project folder of the record',
  )
})
