import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { plantedSecrets } from '../../../src/main/redaction/fixtures/planted-secrets.ts'
import type { PastProgress } from '../../../src/shared/contract/redaction.ts'
import type { ConfigInput } from '../../../src/shared/config.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { onTerminal, SCRIPT } from '../../support/app/on-terminal.ts'
import { findSecrets, readableSecretsIn, secretsIn, unpackFrames } from '../../support/store/byte-scan.ts'
import { heavily, runs } from '../../support/runner/heavy.ts'
import { lacks } from '../../support/runner/lacks.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { look, pass, startRecorder, type RecorderUnderTest } from '../../support/recorder/harness.ts'

// Each records, redacts and looks through all bytes.
const KEYS = plantedSecrets('past')
  .flatMap(({ text }) => (text.startsWith(':') || text.includes('\n') ? [] : [text]))
  .slice(0, runs(12, 30))
const NAME = 'Operation Quiet Harbour 4711'
const ENV = ['plainlooking77value91', 'anothervalue55word12']
const ALL = [...KEYS, NAME, ...ENV]
const MORE = { redaction: { patterns: [{ name: 'codename', pattern: 'Operation [A-Z][a-z]+ Harbour \\d+' }] } }
let folder: TempFolder
let recorder: RecorderUnderTest | null = null

beforeEach(() => {
  folder = makeTempFolder('aspy-data-')
})
afterEach(async () => {
  await recorder?.stop()
  recorder = null
  folder.remove()
})

let recorded: TempFolder | null = null
afterAll(() => recorded?.remove())

/** Some turns with secrets everywhere, recorded while nothing was redacted: once, and copied for each test. */
async function recordUnredacted(): Promise<void> {
  if (recorded === null) {
    recorded = makeTempFolder('aspy-data-')
    await recordInto(recorded.path)
  }
  cpSync(recorded.path, folder.path, { recursive: true })
}

async function recordInto(path: string): Promise<void> {
  const recorder = await startRecorder(path, { config: { redaction: { enabled: false } } })
  const messages: { role: 'user' | 'assistant'; content: object[] }[] = []
  for (const [at, key] of KEYS.entries()) {
    messages.push({ role: 'user', content: [{ type: 'text', text: `${NAME}: what is ${key}?` }] })
    const half = Math.floor(key.length / 2)
    const steps = [
      { thinking: `It is ${key}. ${'On and on. '.repeat(at % 3 === 0 ? 200 : 1)}` },
      { text: `Part one ${key.slice(0, half)}` },
      { text: `${key.slice(half)} and the rest, ${NAME}.` },
    ]
    await pass(recorder.tap, { session: `s${at % 4}`, messages, answer: { steps } })
    messages.push({
      role: 'assistant',
      content: steps.map((step) =>
        'text' in step
          ? { type: 'text', text: step.text }
          : { type: 'thinking', thinking: step.thinking, signature: 'x' },
      ),
    })
  }
  const call = { type: 'tool_use', id: 'toolu_env', name: 'Read', input: { file_path: '/work/.env' } }
  const content = ENV.map((value, index) => `NAME_${index}=${value}`).join('\n')
  const result = { type: 'tool_result', tool_use_id: 'toolu_env', content }
  await pass(recorder.tap, {
    session: 'env',
    messages: [
      { role: 'user', content: 'read it' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ],
  })
  await recorder.settled()
  await recorder.stop()
}

function copyDatabase(name: string): void {
  const db = new Database(join(folder.path, 'lifestats.db'))
  db.prepare('VACUUM INTO ?').run(join(folder.path, name))
  db.close()
}

/** Copies that Aspy keeps before a migration, and a person's own. */
function keepCopies(): void {
  copyDatabase('lifestats.db.before-9')
  copyDatabase('lifestats.db.mine')
}

async function redactPast(run?: string, onProgress?: (progress: PastProgress) => void): Promise<PastProgress> {
  const given = run === undefined ? {} : { run }
  return (await recorder?.recorder.call('redaction.past', given, (value) =>
    onProgress?.(value as PastProgress),
  )) as PastProgress
}

const isOurs = (found: string) => !found.startsWith('lifestats.db.mine')
const withoutBackup = () => secretsIn(folder.path, ALL).filter(isOurs)
/** Remnants before the database file is rewritten. */
const readable = () => readableSecretsIn(folder.path, ALL).filter(isOurs)
const textsOf = (column: string, table: string) =>
  look(folder.path, (db) => db.prepare<[], string>(`SELECT ${column} FROM ${table} ORDER BY id`).pluck().all())

test('new rules apply to the log, contents, indexes and session logs; copies and backups are listed but not changed', async () => {
  await recordUnredacted()
  keepCopies()
  expect(new Set(withoutBackup().map((found) => found.split(': ').at(-1))).size).toBe(ALL.length)

  recorder = await startRecorder(folder.path, { config: MORE })
  const phases = new Set<string>()
  const done = await redactPast(undefined, ({ phase }) => phases.add(phase))
  const copy = join(folder.path, 'lifestats.db.before-9')
  expect(done).toMatchObject({ phase: 'done', done: true, copies: [{ path: copy, content: 'unredacted' }] })
  expect(done.backups).toEqual([join(folder.path, 'lifestats.db.mine')])
  expect(done.events_changed).toBeGreaterThan(3 * KEYS.length)
  expect(done.files_changed).toBe(done.files)
  expect([...phases]).toEqual(['events', 'tables', 'archives', 'files', 'clearing'])
  expect(readable().every((found) => found.startsWith('lifestats.db.before-9'))).toBe(true)
  // No other path can be removed.
  const paths = [join(folder.path, 'lifestats.db.mine'), folder.path, copy]
  expect(await recorder.recorder.call('redaction.remove_copies', { paths })).toEqual({ removed: [copy] })
  expect(readable()).toEqual([])
  await recorder.recorder.call('store.vacuum', {})
  await recorder.stop()
  recorder = null

  expect(withoutBackup()).toEqual([])
  expect(existsSync(copy)).toBe(false)
  expect(existsSync(join(folder.path, 'lifestats.db.mine'))).toBe(true)
  expect(textsOf('content', 'user_prompts')[0]).toMatch(
    /^\[redacted:codename:.{4}\]: what is \[redacted:anthropic-key:.{4}\]\?$/,
  )
  const logs = readdirSync(join(folder.path, 'logs'))
  expect(logs.every((name) => /^session-\w+\.jsonl$/.test(name))).toBe(true)
  for (const name of logs)
    for (const line of readFileSync(join(folder.path, 'logs', name), 'utf8')
      .trim()
      .split('\n'))
      JSON.parse(line)

  // Once more: there is nothing left to change. What was deleted is not counted.
  recorder = await startRecorder(folder.path, { config: MORE })
  await recorder.recorder.call('sessions.delete', { session_id: 's1' })
  const stored = Number(look(folder.path, (db) => db.prepare('SELECT count(*) FROM events').pluck().get()))
  expect(stored).toBeLessThan(done.events)
  const counts: number[] = []
  const again = await redactPast(undefined, ({ events_done }) => counts.push(events_done))
  expect([again.events, again.events_done, counts.at(-1)]).toEqual([stored, stored, stored])
  expect(await redactPast()).toMatchObject({ events_changed: 0, rows_changed: 0, files_changed: 0 })
})

/**
 * Redacts what `prepare` stored, and ends the recorder as soon as `isTime`; gives the run. One that was done before its
 * end came is none: all of it is done once more, in another folder.
 */
async function redactHalfWay(
  prepare: () => Promise<void>,
  config: ConfigInput,
  isTime: (progress: PastProgress) => boolean,
): Promise<string> {
  for (;;) {
    await prepare()
    recorder = await startRecorder(folder.path, { config })
    const { recorder: thread } = recorder
    let run = ''
    const done = await redactPast(undefined, (progress) => {
      if (run !== '' || !isTime(progress)) return
      run = progress.run
      void thread.restart()
    }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'store_unavailable' })
      return null
    })
    expect(run).not.toBe('')
    if (done === null) return run
    await recorder.stop()
    folder.remove()
    folder = makeTempFolder('aspy-data-')
  }
}

test('a redaction resumes after a recorder crash, and recording continues meanwhile', async () => {
  const run = await redactHalfWay(recordUnredacted, MORE, ({ events_done }) => events_done > 0)
  if (recorder === null) throw new Error('it was started')
  const { recorder: thread } = recorder
  await expect.poll(() => thread.health().state).toBe('running')
  await pass(recorder.tap, { session: 'late', prompt: 'meanwhile, hello' })
  const done = await redactPast(run)
  expect(done).toMatchObject({ run, done: true })
  await recorder.settled()
  expect(textsOf('content', 'user_prompts')).toContain('meanwhile, hello')
  await recorder.stop()
  recorder = null
  expect(readable()).toEqual([])
})

/** Dates everything recorded a hundred days back, and moves its heavy fields to archives without a rule. */
async function archiveUnredacted(): Promise<void> {
  const db = new Database(join(folder.path, 'lifestats.db'))
  db.exec(`INSERT INTO metadata (key, value) VALUES ('log_open', 'a test');
    UPDATE events SET ts_wall = strftime('%Y-%m-%dT%H:%M:%fZ', ts_wall, '-100 days');
    DELETE FROM metadata WHERE key = 'log_open'`)
  db.close()
  recorder = await startRecorder(folder.path, {
    config: { redaction: { enabled: false }, lifestats: { retention_days: 30 } },
  })
  await recorder.recorder.call('store.archive', {})
  await recorder.stop()
  recorder = null
}

test('archives are redacted too, and that resumes after a recorder crash', async () => {
  const archived = () => new Set(secretsIn(join(folder.path, 'archive'), ALL).map((found) => found.split(': ').at(-1)))
  const prepare = async () => {
    await recordUnredacted()
    await archiveUnredacted()
    // The prompts stay in the log; requests and results, a whole .env file among them, are in the archive.
    expect(archived()).toEqual(new Set(ALL))
  }
  const config = { ...MORE, lifestats: { retention_days: 30 } }
  const run = await redactHalfWay(prepare, config, ({ phase }) => phase === 'archives')
  if (recorder === null) throw new Error('it was started')
  const { recorder: thread } = recorder
  await expect.poll(() => thread.health().state).toBe('running')
  expect(await redactPast(run)).toMatchObject({ run, done: true })
  expect(readable()).toEqual([])
  // Unused bytes of a page may hold what was replaced, until the file is rewritten.
  await recorder.recorder.call('store.vacuum', {})
  await recorder.stop()
  recorder = null
  expect(withoutBackup()).toEqual([])
  expect(readdirSync(join(folder.path, 'archive'))).toHaveLength(1)

  // Archived events can still be read, and nothing is left to change.
  recorder = await startRecorder(folder.path, { config: { ...MORE, lifestats: { retention_days: 30 } } })
  expect(await redactPast()).toMatchObject({ events_changed: 0, rows_changed: 0, archives: 1, archives_done: 1 })
  await recorder.stop()
  recorder = null
  const [archive = ''] = readdirSync(join(folder.path, 'archive'))
  const text = unpackFrames(readFileSync(join(folder.path, 'archive', archive))).toString()
  expect(text).toMatch(/NAME_0=\[redacted:env-value:.{4}\]/)
  expect(text).toMatch(/\[redacted:codename:.{4}\]: what is \[redacted:anthropic-key:.{4}\]/)
})

heavily(test)('an interrupted redaction resumes automatically; starting one requires redaction to be on', async () => {
  await redactHalfWay(recordUnredacted, MORE, () => true)
  const isUnderWay = () =>
    look(folder.path, (db) => db.prepare("SELECT 1 FROM metadata WHERE key = 'redact_past'").get()) !== undefined
  await expect.poll(isUnderWay, { interval: 200 }).toBe(false)
  await recorder?.stop()
  expect(readable()).toEqual([])
  recorder = await startRecorder(folder.path, { config: { redaction: { enabled: false } } })
  await expect(redactPast()).rejects.toMatchObject({ code: 'bad_input' })
})

test('aspy redact --past works without a running app', async () => {
  await recordUnredacted()
  keepCopies()
  const { code, stdout, stderr } = await aspyHere(['redact', '--past', '--yes', '--data', folder.path])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/Changed [\d,]+ of [\d,]+ events, 0 other texts and (\d) of \1 session logs\./)
  expect(stdout).toContain('Not changed, and may contain unredacted data')
  expect(stdout).toMatch(
    /Remnants may stay in unused bytes of the database file until it is rewritten; "\S*aspy vacuum --data \S+" does it now\./,
  )
  // By the rules of this run, the codename is not a secret.
  expect(readable().filter((found) => !found.endsWith(NAME))).toEqual([])
  // A second time, nothing is left to change.
  const again = await aspyHere(['redact', '--past', '--yes', '--json', '--data', folder.path])
  expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(again.stdout)).toMatchObject({ events_changed: 0, rows_changed: 0, files_changed: 0 })
  const rewritten = await aspyHere(['vacuum', '--json', '--data', folder.path])
  expect({ code: rewritten.code, stderr: rewritten.stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(rewritten.stdout)).toEqual({ bytes_before: expect.any(Number), bytes_after: expect.any(Number) })
  expect(withoutBackup().filter((found) => !found.endsWith(NAME))).toEqual([])
  expect(findSecrets([{ where: 'output', text: stdout + stderr }], ALL)).toEqual([])
})

/** The copies that Aspy keeps, without their WALs. */
const copies = () =>
  readdirSync(folder.path).filter((name) =>
    /^(?:lifestats\.db|archive)\.(?:before|damaged)-.*(?<!-wal|-shm)$/.test(name),
  )
const redact = (...flags: string[]) => aspyHere(['redact', '--past', ...flags, '--data', folder.path])

test('after a restore: a copy is removed only if asked for, and only if the rules would change it', async () => {
  await recordUnredacted()
  await archiveUnredacted()
  const backup = join(folder.path, 'mine.aspy')
  expect((await aspyHere(['backup', backup, '--data', folder.path])).code).toBe(0)
  const restored = await aspyHere(['restore', backup, '--data', folder.path])
  expect(restored).toMatchObject({ code: 0 })
  const [aside = ''] = copies().filter((name) => name.startsWith('lifestats.db.before-restore-'))
  expect(copies()).toEqual([aside.replace('lifestats.db', 'archive'), aside])

  // Without a terminal and without --yes, nothing changes.
  expect(await redact()).toEqual(
    expect.objectContaining({ code: 2, stdout: '', stderr: expect.stringContaining('add --yes') }),
  )
  expect(copies()).toHaveLength(2)
  const first = await redact('--yes')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/Changed [1-9]/)
  expect(first.stdout).toContain(`Removed, because it contained unredacted data: ${join(folder.path, aside)}`)
  expect(copies()).toEqual([])

  // A copy of what is redacted by now, and two that are damaged.
  copyDatabase('lifestats.db.before-77')
  writeFileSync(join(folder.path, 'lifestats.db.damaged-1'), 'no database')
  writeFileSync(join(folder.path, 'lifestats.db.damaged-2'), `no database, but ${KEYS[0]}`)
  const after = await redact('--yes', '--json')
  expect(after).toMatchObject({ code: 0, stderr: '' })
  const path = (name: string) => `${folder.path}/${name}`
  expect(JSON.parse(after.stdout)).toMatchObject({
    events_changed: 0,
    copies: expect.arrayContaining([
      { path: path('lifestats.db.before-77'), content: 'nothing' },
      { path: path('lifestats.db.damaged-1'), content: 'unreadable' },
      { path: path('lifestats.db.damaged-2'), content: 'unredacted' },
    ]),
    copies_removed: [path('lifestats.db.damaged-2')],
  })
  expect(copies()).toEqual(['lifestats.db.before-77', 'lifestats.db.damaged-1'])
  const last = await redact('--yes')
  expect(last.stdout).toContain(`Kept, because the rules change nothing in it: ${path('lifestats.db.before-77')}`)
  expect(last.stdout).toContain(
    `Kept, because it cannot be read, and may contain unredacted data: ${path('lifestats.db.damaged-1')}`,
  )
  expect(copies()).toHaveLength(2)

  // With another rule, what only an archive has counts.
  copyDatabase('lifestats.db.before-78')
  cpSync(path('archive'), path('archive.before-78'), { recursive: true })
  writeFileSync(path('config.toml'), "[[redaction.patterns]]\nname = 'setting'\npattern = 'NAME_0'\n")
  const { copies: examined } = JSON.parse((await redact('--yes', '--json')).stdout) as PastProgress
  expect(Object.fromEntries(examined.map((copy) => [copy.path.slice(path('').length), copy.content]))).toEqual({
    'lifestats.db.before-77': 'nothing',
    'lifestats.db.before-78': 'unredacted',
    'lifestats.db.damaged-1': 'unreadable',
  })
})

heavily(test.skipIf(lacks(existsSync(SCRIPT))))(
  'on a terminal it asks about copies; only yes removes them',
  async () => {
    await recordUnredacted()
    keepCopies()
    const path = join(folder.path, 'lifestats.db.before-9')
    const past = ['redact', '--past', '--data', folder.path]
    expect(await onTerminal(past, 'no')).toMatch(
      /Apply the current rules to everything stored\?[^]*Nothing was redacted/,
    )
    const refused = await onTerminal(past, 'yes', 'no')
    expect(refused).toMatch(
      /contain unredacted data:\s+\S+lifestats\.db\.before-9\s+Remove them permanently\? \[y\/N\]/,
    )
    expect(refused).toContain('Kept, although it contains unredacted data')
    expect(existsSync(path)).toBe(true)
    expect(await onTerminal(past, 'yes', 'yes')).toContain('Removed, because')
    expect(existsSync(path)).toBe(false)
  },
)
