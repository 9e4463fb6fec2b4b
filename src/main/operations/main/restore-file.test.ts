import type nodeFs from 'node:fs'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { Read } from '../../session-page/page-facts.ts'
import { createFileHandlers, type Post } from './restore-file.ts'

/** A file that may not be read: who runs as root may read any. */
const closed = vi.hoisted(() => ({ path: '' }))
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>()
  const readFileSync = ((...asked: Parameters<typeof fs.readFileSync>) => {
    if (asked[0] === closed.path) throw Object.assign(new Error('closed'), { code: 'EACCES' })
    return fs.readFileSync(...asked)
  }) as typeof fs.readFileSync
  return { ...fs, readFileSync }
})

const folder = mkdtempSync(join(tmpdir(), 'aspy-restore-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A file of two lines, recorded in a project. */
function restoring(project: string, input: object, post: Post | null = null) {
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
    'files.history': { items: [{ path, uuid: 'call', session_id: 'shop', timestamp: '2026-11-28T10:00:00.000Z' }] },
  }
  const read = ((name: string) => Promise.resolve(answers[name])) as unknown as Read
  const restore = createFileHandlers(read, post)['files.restore']
  return (restore as unknown as (input: object) => Promise<{ out: string; is_recorded: boolean }>)({
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

test('over a file with the very text nothing is written, and another one is left alone', async () => {
  const project = mkdtempSync(join(folder, 'same-'))
  const path = join(project, 'plan.md')
  writeFileSync(path, '# Plan\nShip on Friday.\n')
  const kept = { out: path, is_same: true, is_written: false, diff: '' }
  for (const input of [{}, { over: true }, { out: path }, { preview: true }])
    expect(await restoring(project, input)).toMatchObject(kept)
  expect(readdirSync(project)).toEqual(['plan.md'])
  writeFileSync(path, '# Plan\nShip on Monday.\n')
  expect(await restoring(project, {})).toMatchObject({ out: `${path}.restored`, is_same: false, is_written: true })
})

test('what is in the way of a place, and what the system says against it, is named with what helps', async () => {
  const project = mkdtempSync(join(folder, 'way-'))
  const [taken, long] = [join(project, 'docs'), join(project, 'x'.repeat(300))]
  writeFileSync(taken, 'a file where a folder was')
  for (const input of [{ path: join(taken, 'plan.md') }, { out: join(taken, 'in', 'plan.md'), over: true }])
    await expect(restoring(project, input)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/^\S+docs is a link or no folder, .+: name another place with --out$/),
    })
  await expect(restoring(project, { out: long })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/x cannot be written \(ENAMETOOLONG\): name another place with --out/),
  })
  expect(readdirSync(project)).toEqual(['docs'])
})

test('beside a file that may not be read the text is written, and over it without a comparison', async () => {
  const project = mkdtempSync(join(folder, 'closed-'))
  const path = join(project, 'plan.md')
  writeFileSync(path, 'of somebody else')
  closed.path = path
  expect(await restoring(project, {})).toMatchObject({ out: `${path}.restored`, is_written: true, is_same: false })
  const over = { out: path, kept: `${path}.before`, diff: null }
  expect(await restoring(project, { out: path, over: true })).toMatchObject(over)
  closed.path = ''
  expect(readFileSync(`${path}.before`, 'utf8')).toBe('of somebody else')
})

test('what was restored is noted in the session whose text it is, and a record that fails does not undo it', async () => {
  const noted: unknown[] = []
  const [project, other] = [mkdtempSync(join(folder, 'noted-')), mkdtempSync(join(folder, 'failed-'))]
  const { out, is_recorded: isRecorded } = await restoring(project, {}, async (event) => noted.push(event))
  const to = { path: join(project, 'plan.md'), out, kept: null, event: 'call' }
  const payload = { name: 'aspy:file_restored', to }
  expect([isRecorded, noted]).toEqual([
    true,
    [{ session_id: 'shop', parent_uuid: 'call', kind: 'state_change', payload }],
  ])
  const failed = await restoring(other, {}, () => Promise.reject(new Error('recording is off')))
  expect([failed.is_recorded, readFileSync(failed.out, 'utf8')]).toEqual([false, '# Plan\nShip on Friday.\n'])
})
