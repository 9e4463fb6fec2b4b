import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../src/main/base/fixtures/random.ts'
import { Importer } from '../../../src/main/transcripts/host/importer.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { heavily, runs } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import type { TempFolder } from '../../support/runner/temp-folder.ts'
import { transcriptOf } from '../../support/store/transcript-lines.ts'
import { until } from '../../support/runner/until.ts'
import { look, startRecorder } from '../../support/recorder/harness.ts'

const FILES = runs(80, 10_000)
const TURNS = 4

let folder: TempFolder
let projects: string
beforeEach(() => {
  folder = makeTempFolder()
  projects = join(folder.path, '.claude', 'projects', 'p')
  mkdirSync(projects, { recursive: true })
})
afterEach(() => folder.remove())

type Damage = (file: Buffer, random: Random) => Buffer
const insert = (file: Buffer, at: number, bytes: Buffer) =>
  Buffer.concat([file.subarray(0, at), bytes, file.subarray(at)])
const place = (file: Buffer, random: Random) => random.int(0, file.length - 1)

/** One way a file goes bad, each. */
const DAMAGES: readonly Damage[] = [
  // A piece is missing.
  (file, random) => {
    const at = place(file, random)
    return Buffer.concat([file.subarray(0, at), file.subarray(at + random.int(1, 400))])
  },
  // The end is missing.
  (file, random) => file.subarray(0, place(file, random)),
  // Bytes that are no UTF-8, NULs, half a surrogate.
  (file, random) => insert(file, place(file, random), Buffer.from([0xff, 0, 0xc3, 0x28, 0xed, 0xa0, 0x80])),
  (file, random) => insert(file, place(file, random), Buffer.alloc(random.int(1, 5000))),
  // A line end in the middle of a line; none where one should be.
  (file, random) => insert(file, place(file, random), Buffer.from('\r\n')),
  (file, random) => {
    const at = file.indexOf(0x0a, place(file, random))
    return at < 0 ? file : Buffer.concat([file.subarray(0, at), file.subarray(at + 1)])
  },
  // A byte turned over.
  (file, random) => {
    const copy = Buffer.from(file)
    const at = place(file, random)
    copy[at] = (copy[at] ?? 0) ^ (1 << random.int(0, 7))
    return copy
  },
  // Other JSON, and what only looks like it.
  (file, random) =>
    insert(file, file.indexOf(0x0a, place(file, random)) + 1, Buffer.from('null\n[]\n7\n{}\n{"type":7}\n{"a\n')),
]

const texts = (database: string): Set<string> => {
  const db = new Database(database, { readonly: true })
  try {
    const sql = ['user_prompts', 'thinking_blocks', 'assistant_responses'].map(
      (table) => `SELECT content FROM ${table}`,
    )
    return new Set(db.prepare<[], string>(sql.join(' UNION ALL ')).pluck().all())
  } finally {
    db.close()
  }
}

test(`${FILES} damaged files cost only their damaged records`, { timeout: 3_600_000 }, async () => {
  const random = createRandom('damage')
  const expected: string[] = []
  for (let index = 0; index < FILES; index += 1) {
    const lines = transcriptOf(`damaged-${index}`, TURNS)
    const damaged = DAMAGES[index % DAMAGES.length]?.(Buffer.from(lines.join('')), random) ?? Buffer.alloc(0)
    writeFileSync(join(projects, `damaged-${index}.jsonl`), damaged)
    const left = damaged.toString('latin1')
    for (const line of lines) {
      const said = /damaged-\d+ (?:asks|thinks|answers) \d+/.exec(line)?.[0]
      if (said !== undefined && left.includes(line.trimEnd())) expected.push(said)
    }
  }
  const under = await startRecorder(join(folder.path, 'data'))
  const importer = new Importer({
    dataDir: under.dataDir,
    config: configSchema.parse({ transcripts: { follow: false } }),
    homes: { 'claude-code': [join(folder.path, '.claude')] },
    recorder: under.recorder,
    logger: { warn: () => undefined, error: () => undefined },
  })
  let done = false
  for await (const progress of importer.import(null)) ({ done } = progress)
  expect(done).toBe(true)
  await importer.stop()
  const kept = texts(join(under.dataDir, 'lifestats.db'))
  expect(expected.length).toBeGreaterThan(FILES * TURNS * 2)
  expect(expected.filter((text) => !kept.has(text))).toEqual([])
  expect(
    look(under.dataDir, (db) => db.prepare("SELECT count(*) FROM events WHERE kind = 'unknown'").pluck().get()),
  ).toBeGreaterThan(FILES / 4)
  await under.stop()
})

heavily(test)('an import that is killed again and again: nothing twice, nothing lost', async () => {
  let sessions = 0
  const moreSessions = (count: number) => {
    for (const end = sessions + count; sessions < end; sessions += 1)
      writeFileSync(join(projects, `s${sessions}.jsonl`), transcriptOf(`s${sessions}`, 60).join(''))
  }
  const data = join(folder.path, 'data')
  const database = join(data, 'lifestats.db')
  const count = (sql: string): number => {
    try {
      const db = new Database(database, { readonly: true, fileMustExist: true })
      try {
        return Number(db.prepare(sql).pluck().get())
      } finally {
        db.close()
      }
    } catch {
      // Not there yet.
      return 0
    }
  }
  const events = () => count('SELECT count(*) FROM events')
  for (let kills = 0; kills < 2;) {
    moreSessions(20)
    const before = events()
    const { child, finished } = startAspy(['import', '--data', data], {}, folder.path)
    let isOver = false
    void finished.then(() => (isOver = true))
    await until('some of it is written', async () => isOver || events() > before + 500)
    child.kill('SIGKILL')
    // One that was done before it was killed is none: the next one has more to do.
    const { code, signal } = await finished
    expect(signal ?? code).toBeOneOf(['SIGKILL', 0])
    if (signal === 'SIGKILL') kills += 1
  }
  const read = count('SELECT count(*) FROM transcript_files')
  expect(read).toBeGreaterThan(0)
  const last = startAspy(['import', '--data', data, '--json'], {}, folder.path)
  const progress = JSON.parse(await last.firstLine) as { files_unchanged: number; done: boolean }
  expect((await last.finished).code).toBe(0)
  expect(progress).toMatchObject({ done: true })
  expect(progress.files_unchanged).toBeGreaterThan(0)
  for (const table of ['user_prompts', 'thinking_blocks', 'assistant_responses']) {
    expect(count(`SELECT count(*) FROM ${table}`), table).toBe(sessions * 60)
    expect(count(`SELECT count(DISTINCT content) FROM ${table}`), table).toBe(sessions * 60)
  }
  expect(count('SELECT count(*) FROM api_usage')).toBe(sessions * 60)
})
