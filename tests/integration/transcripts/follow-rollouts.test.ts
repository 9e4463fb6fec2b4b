import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Importer } from '../../../src/main/transcripts/host/importer.ts'
import type { ImportProgress } from '../../../src/main/transcripts/protocol.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { look, rows, startRecorder, until, type RecorderUnderTest } from '../../support/recorder/harness.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'

const THREAD = '01a205b1-d5ef-7212-bafc-c782ff70dae0'
const NAME = `rollout-2026-11-22T23-57-50-${THREAD}.jsonl`

let folder: TempFolder
let under: RecorderUnderTest
let importer: Importer
let path: string
beforeEach(async () => {
  folder = makeTempFolder()
  const codex = join(folder.path, '.codex')
  const day = join(codex, 'sessions', '2026', '11', '22')
  mkdirSync(day, { recursive: true })
  mkdirSync(join(codex, 'archived_sessions'))
  path = join(day, NAME)
  under = await startRecorder(join(folder.path, 'data'))
  importer = new Importer({
    dataDir: under.dataDir,
    config: configSchema.parse({}),
    homes: { codex: [codex] },
    recorder: under.recorder,
    logger: { warn: () => undefined, error: () => undefined },
  })
})
afterEach(async () => {
  await importer.stop()
  await under.stop()
  folder.remove()
})

async function importAll(): Promise<ImportProgress | null> {
  let last: ImportProgress | null = null
  for await (const progress of importer.import(null)) last = progress
  return last
}

let second = 0
const line = (type: string, payload: object) => {
  second += 1
  return `${JSON.stringify({ timestamp: new Date(Date.UTC(2026, 10, 23) + second * 1000).toISOString(), type, payload })}\n`
}
const META = line('session_meta', { id: THREAD, cwd: '/work', cli_version: '0.104.0' })
const turn = (n: number) =>
  line('event_msg', { type: 'user_message', message: `question ${n}`, turn_id: `t${n}` }) +
  line('response_item', {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: `answer ${n}` }],
  }) +
  line('event_msg', { type: 'task_complete', turn_id: `t${n}`, last_agent_message: `answer ${n}` })
const texts = () =>
  look(under.dataDir, (db) =>
    db
      .prepare<[], string>(
        "SELECT json_extract(payload, '$.text') FROM events WHERE kind IN ('user_prompt', 'assistant_text') ORDER BY id",
      )
      .pluck()
      .all(),
  )
const said = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => [`question ${from + at}`, `answer ${from + at}`]).flat()

test('appended lines come by themselves, a cut one when it is complete', async () => {
  writeFileSync(path, META + turn(1))
  await importAll()
  appendFileSync(path, turn(2))
  await until(() => texts().length === 4)
  const third = turn(3)
  appendFileSync(path, third.slice(0, 40))
  appendFileSync(path, third.slice(40))
  await until(() => texts().length === 6)
  expect(texts()).toEqual(said(1, 3))
  rmSync(path)
  expect(texts()).toEqual(said(1, 3))
})

test('what was imported before its file was compressed is not recorded again, and the rest is', async () => {
  writeFileSync(path, META + turn(1))
  await importAll()
  const count = rows(under.dataDir).length
  writeFileSync(`${path}.zst`, zstdCompressSync(readFileSync(path)))
  rmSync(path)
  expect(await importAll()).toMatchObject({ files: 1, lines: 0, events_added: 0, sightings_added: 0, lines_bad: 0 })
  expect(rows(under.dataDir)).toHaveLength(count)
})

test('a compressed file that has more than was imported adds what is new', async () => {
  const whole = META + turn(1) + turn(2)
  writeFileSync(path, whole.slice(0, whole.indexOf('question 2')))
  await importAll()
  rmSync(path)
  writeFileSync(`${path}.zst`, zstdCompressSync(Buffer.from(whole)))
  await importAll()
  expect(texts()).toEqual(said(1, 2))
})

test('a file of another content under the name of one that was imported is read whole', async () => {
  writeFileSync(path, META + turn(1))
  await importAll()
  rmSync(path)
  writeFileSync(`${path}.zst`, zstdCompressSync(Buffer.from(META.replace('/work', '/else') + turn(5))))
  await importAll()
  expect(texts()).toEqual([...said(1, 1), ...said(5, 5)])
})

test('a file that is resumed exists twice: only the plain one is read, also while it is followed', async () => {
  const before = META + turn(1)
  writeFileSync(`${path}.zst`, zstdCompressSync(Buffer.from(before)))
  await importAll()
  writeFileSync(path, before)
  appendFileSync(path, turn(2))
  await until(() => texts().length === 4)
  expect(texts()).toEqual(said(1, 2))
  expect(await importAll()).toMatchObject({ files: 1 })
})

test('damage to a compressed file costs what follows it, and is counted', async () => {
  const lines = META + Array.from({ length: 400 }, (_, n) => turn(n + 1)).join('')
  const packed = zstdCompressSync(Buffer.from(lines))
  writeFileSync(`${path}.zst`, packed.subarray(0, packed.length - 100))
  expect(await importAll()).toMatchObject({ lines_bad: 1, done: true })
  expect(await importAll()).toMatchObject({ files_unchanged: 1, lines_bad: 0 })
  writeFileSync(`${path}.zst`, Buffer.concat([zstdCompressSync(Buffer.from(META + turn(1))), Buffer.from('no frame')]))
  expect(await importAll()).toMatchObject({ lines_bad: 1 })
  expect(texts().slice(0, 2)).toEqual(said(1, 1))
})

test('a file of several frames is read whole', async () => {
  const frames = [META + turn(1), turn(2), turn(3)].map((part) => zstdCompressSync(Buffer.from(part)))
  writeFileSync(`${path}.zst`, Buffer.concat(frames))
  await importAll()
  expect(texts()).toEqual(said(1, 3))
})
