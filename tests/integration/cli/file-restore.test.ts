import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAspy } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { answered, said, transcriptLines, type TranscriptLine } from '../../support/store/transcript-lines.ts'

let folder: TempFolder
let work: string
let calls = 0
beforeAll(async () => {
  folder = makeTempFolder()
  work = join(folder.path, 'work')
  mkdirSync(work)
  const lines = transcriptLines('shop', [
    said('Write them'),
    ...called('Write', { file_path: join(work, 'gone.ts'), content: 'one\n  two\n' }),
    ...called('Write', { file_path: join(work, 'kept.ts'), content: 'recorded\n' }),
    ...called('Write', { file_path: join(work, 'secret.ts'), content: 'a\nkey = [redacted:api-key:12ab]\nb\n' }),
    ...called('Write', { file_path: join(work, 'windows.ts'), content: 'one\r\ntwo\r\n' }),
    ...called('Write', { file_path: join(work, 'open.ts'), content: 'a\u000cb\nno end' }),
    ...called('Read', { file_path: join(work, 'seen.ts') }, '1\tone\n2\ttwo\n3\t'),
    ...called('Write', { file_path: join(work, 'linked.ts'), content: 'const linked = firstOf(all)\n' }),
    ...called('Write', { file_path: join(work, 'brought.ts'), content: 'first\n' }),
    ...called('Write', { file_path: join(work, 'both.ts'), content: 'one\ntwo\nthree\n' }),
    ...called('Edit', { file_path: join(work, 'both.ts'), old_string: 'three', new_string: 'four' }),
    ...called('Bash', { command: 'rm gone.ts' }),
    ...called('Bash', { command: 'cp -p elsewhere.ts brought.ts' }),
  ])
  const transcript = join(folder.path, 'shop.jsonl')
  writeFileSync(transcript, lines.join('').replaceAll('/home/me/project', work))
  expect(await aspy('import', transcript)).toMatchObject({ code: 0 })
  writeFileSync(join(work, 'kept.ts'), 'newer\n')
})
afterAll(() => folder.remove())

function called(name: string, input: object, output = 'done'): TranscriptLine[] {
  const id = `toolu_${++calls}`
  const content = [{ type: 'tool_result', tool_use_id: id, content: output }]
  return [
    ...answered(`msg_${id}`, { type: 'tool_use', id, name, input }),
    { type: 'user', message: { role: 'user', content } },
  ]
}
const aspy = (...args: string[]) =>
  aspyHere([...args, '--data', join(folder.path, 'data')], { HOME: folder.path }, work)
/** What a process writes to its output. */
const show = (name: string) =>
  startAspy(['file', 'show', name, '--data', join(folder.path, 'data')], {}, folder.path, work).finished
const restore = (...args: string[]) => aspy('file', 'restore', ...args)
const read = (name: string) => readFileSync(join(work, name), 'utf8')

test('a deleted file comes back, byte for byte', async () => {
  expect(await restore('gone.ts')).toMatchObject({ code: 0, stderr: '' })
  expect(read('gone.ts')).toBe('one\n  two\n')
})

test('lines end as they did, and if only a read showed them, as in the file that is there', async () => {
  expect(await restore('windows.ts')).toMatchObject({ code: 0, stderr: '' })
  expect(read('windows.ts')).toBe('one\r\ntwo\r\n')
  const unknown = await restore('seen.ts')
  expect([unknown.stdout, read('seen.ts')]).toEqual([expect.stringContaining('not recorded'), 'one\ntwo\n'])
  writeFileSync(join(work, 'seen.ts'), 'one\r\n2\r\n')
  const known = await restore('seen.ts')
  expect([known.stdout, read('seen.ts.restored')]).toEqual([
    expect.not.stringContaining('not recorded'),
    'one\r\ntwo\r\n',
  ])
})

test('what file show writes into a file is the file, byte for byte, also without an end of its last line', async () => {
  const shown = async (name: string) => (await show(name)).stdout
  expect([await shown('gone.ts'), await shown('windows.ts'), await shown('open.ts')]).toEqual([
    'one\n  two\n',
    'one\r\ntwo\r\n',
    'a\u000cb\nno end',
  ])
  const { items } = JSON.parse((await aspy('file', 'history', 'windows.ts', '--json')).stdout)
  expect(items).toMatchObject([{ lines: 2 }])
})

test('lines keep their indentation wherever they are printed', async () => {
  writeFileSync(join(work, 'indented.ts'), 'one\n')
  const preview = await restore('gone.ts', '--out', 'indented.ts', '--over', '--preview')
  expect(preview.stdout).toContain('@@ -1,1 +1,2 @@\n one\n+  two\n')
  expect((await aspy('file', 'show', 'gone.ts')).stdout).toContain('one\n  two')
  expect((await aspy('blame', 'gone.ts')).stdout).toMatch(/ {2} {2}two/)
})

test('a file whose name ends like a line number is blamed by that name', async () => {
  writeFileSync(join(work, 'note:12'), 'one\n')
  expect((await aspy('blame', 'note:12')).stdout).toContain('1  one')
  expect((await aspy('blame', 'note:12:1')).stdout).toContain('1  one')
  rmSync(join(work, 'note:12'))
})

test('blame follows a link to the file that calls named', async () => {
  writeFileSync(join(work, 'linked.ts'), 'const linked = firstOf(all)\n')
  symlinkSync(join(work, 'linked.ts'), join(work, 'link.ts'))
  const { items } = JSON.parse((await aspy('blame', 'link.ts', '--json')).stdout)
  expect(items).toMatchObject([{ text: 'const linked = firstOf(all)', origin: 'proven' }])
  rmSync(join(work, 'link.ts'))
})

test('a project that is known by a link has its files by both names, also for a restore', async () => {
  const link = join(folder.path, 'shop')
  symlinkSync(work, link)
  writeFileSync(
    join(folder.path, 'linked.jsonl'),
    transcriptLines('linked', [
      said('Write it'),
      ...called('Write', { file_path: join(link, 'by-link.ts'), content: 'const linked = byName(1)\n' }),
    ])
      .join('')
      .replaceAll('/home/me/project', link),
  )
  expect(await aspy('import', join(folder.path, 'linked.jsonl'))).toMatchObject({ code: 0 })
  expect(await restore('by-link.ts')).toMatchObject({ code: 0, stderr: '' })
  expect(await restore('by-link.ts', '--out', join(link, 'beside.ts'))).toMatchObject({ code: 0, stderr: '' })
  expect(read('beside.ts')).toBe('const linked = byName(1)\n')
  for (const path of [join(link, 'by-link.ts'), join(work, 'by-link.ts')]) {
    const { items } = JSON.parse((await aspy('blame', path, '--json')).stdout)
    expect(items).toMatchObject([{ text: 'const linked = byName(1)', origin: 'proven' }])
  }
})

test('a file of which the record has nothing is said to be so, with one of a folder of the same name', async () => {
  const other = join(folder.path, 'of-another', 'work')
  mkdirSync(other, { recursive: true })
  for (const name of ['both.ts', 'nobody.ts']) writeFileSync(join(other, name), 'one\n')
  const { stdout, stderr } = await aspy('blame', join(other, 'both.ts'))
  expect([stdout, stderr]).toEqual([
    expect.stringContaining('not known'),
    expect.stringContaining(join(work, 'both.ts')),
  ])
  expect((await aspy('blame', join(other, 'both.ts'), '--json')).stderr).toBe('')
  expect((await aspy('blame', join(other, 'nobody.ts'))).stderr).toBe(
    `aspy: Nothing recorded touched ${join(other, 'nobody.ts')}.\n`,
  )
})

test('a file that is there stays, unless the person says so, and is kept then', async () => {
  expect(await restore('kept.ts')).toMatchObject({ code: 0 })
  expect([read('kept.ts'), read('kept.ts.restored')]).toEqual(['newer\n', 'recorded\n'])
  const refused = await restore('kept.ts', '--out', 'kept.ts')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('exists')])
  expect(await restore('kept.ts', '--out', 'kept.ts', '--over')).toMatchObject({ code: 0 })
  for (const args of [[], ['--out', 'kept.ts', '--over'], ['--preview']])
    expect(await restore('kept.ts', ...args)).toMatchObject({
      code: 0,
      stdout: `${join(work, 'kept.ts')} is already so: nothing is written.\n`,
    })
  expect([read('kept.ts'), read('kept.ts.before')]).toEqual(['recorded\n', 'newer\n'])
  expect(readdirSync(work).filter((name) => name.startsWith('kept'))).toEqual([
    'kept.ts',
    'kept.ts.before',
    'kept.ts.restored',
  ])
})

test('an older file is replaced without being told, and is kept, too', async () => {
  writeFileSync(join(work, 'old.ts'), 'older\n')
  utimesSync(join(work, 'old.ts'), new Date('2020-01-01'), new Date('2020-01-01'))
  expect(await restore('kept.ts', '--out', 'old.ts')).toMatchObject({ code: 0 })
  expect([read('old.ts'), read('old.ts.before')]).toEqual(['recorded\n', 'older\n'])
})

test('an older file keeps its mode, and one that may have more than the record is not older', async () => {
  const aged = (name: string, text: string) => {
    writeFileSync(join(work, name), text)
    chmodSync(join(work, name), 0o775)
    utimesSync(join(work, name), new Date('2020-01-01'), new Date('2020-01-01'))
  }
  aged('run.sh', 'older\n')
  expect(await restore('kept.ts', '--out', 'run.sh')).toMatchObject({ code: 0 })
  expect(statSync(join(work, 'run.sh')).mode & 0o777).toBe(0o775)
  aged('brought.ts', 'copied with its time\n')
  // A person's line was there before the edit, of which the record has nothing.
  writeFileSync(join(work, 'both.ts'), 'one\nmine\ntwo\nfour\n')
  const edited = JSON.parse((await aspy('file', 'history', 'both.ts', '--json')).stdout).items.at(-1)
  const before = new Date(Date.parse(edited.timestamp) - 5)
  utimesSync(join(work, 'both.ts'), before, before)
  for (const [from, out, text] of [
    ['kept.ts', 'brought.ts', 'copied with its time\n'],
    ['both.ts', 'both.ts', 'one\nmine\ntwo\nfour\n'],
  ] as const) {
    const { code, stderr } = await restore(from, '--out', out)
    expect([code, stderr, read(out)]).toEqual([1, expect.stringContaining('newer'), text])
  }
})

test('a place that cannot be written says so, and nothing changes', async () => {
  mkdirSync(join(work, 'folder'))
  for (const [out, why] of [
    ['folder', 'not a plain file'],
    [join('open.ts'.repeat(50)), 'ENAMETOOLONG'],
  ] as const) {
    const { code, stderr } = await restore('kept.ts', '--out', out, '--over')
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
  }
})

test('a preview shows what would change, and writes nothing', async () => {
  writeFileSync(join(work, 'present.ts'), 'present\n')
  const before = readdirSync(work)
  const { code, stdout } = await restore('kept.ts', '--out', 'present.ts', '--over', '--preview')
  expect([code, stdout.split('\n').slice(0, 3)]).toEqual([0, ['@@ -1,1 +1,1 @@', '-present', '+recorded']])
  expect([readdirSync(work), read('present.ts')]).toEqual([before, 'present\n'])
})

test('nothing is written outside the project folders of the record, a link to elsewhere included', async () => {
  const outside = join(folder.path, 'outside')
  mkdirSync(outside)
  symlinkSync(outside, join(work, 'linked'))
  for (const out of [join(outside, 'a.ts'), join('..', 'a.ts'), join('linked', 'a.ts'), join('linked', 'b', 'a.ts')]) {
    const { code, stderr } = await restore('kept.ts', '--out', out, '--over')
    expect([out, code, stderr]).toEqual([out, 1, expect.stringMatching(/in no project folder of the record|is a link/)])
  }
  expect([readdirSync(outside), existsSync(join(folder.path, 'a.ts'))]).toEqual([[], false])
  expect(await restore('kept.ts', '--out', join('new', 'deep', 'a.ts'))).toMatchObject({ code: 0 })
  expect(read('new/deep/a.ts')).toBe('recorded\n')
})

test('a text with holes says so, and replaces nothing', async () => {
  const { code, stdout } = await restore('secret.ts')
  expect([code, stdout, read('secret.ts')]).toEqual([0, expect.stringContaining('1 line (2)'), 'a\n\nb\n'])
  const refused = await restore('secret.ts', '--out', 'secret.ts', '--over')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('incomplete')])
})

test('nothing is written through a link, and an unknown file is named', async () => {
  symlinkSync(join(folder.path, 'elsewhere'), join(work, 'link.ts'))
  expect(await restore('kept.ts', '--out', 'link.ts')).toMatchObject({ code: 1 })
  expect(await restore('kept.ts', '--out', 'link.ts', '--over')).toMatchObject({ code: 1 })
  expect(existsSync(join(folder.path, 'elsewhere'))).toBe(false)
  const unknown = await restore('never.ts')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('never.ts')])
  expect(readdirSync(work).filter((name) => name.startsWith('never'))).toEqual([])
})
