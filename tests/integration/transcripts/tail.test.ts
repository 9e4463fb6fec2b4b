import { appendFileSync, openSync, closeSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { ImportCheckpoint } from '../../../src/main/store/log/import-checkpoint.ts'
import type { Store } from '../../../src/main/store/store.ts'
import type { Batcher } from '../../../src/main/transcripts/thread/batcher.ts'
import { createTranscriptReader } from '../../../src/main/transcripts/thread/transcript-reader.ts'
import type { TranscriptReader } from '../../../src/main/transcripts/thread/transcript-reader.ts'
import { openTestStore, readStore, temporaryFolder } from '../../support/store/folder.ts'
import { answered, said, transcriptLines } from '../../support/store/transcript-lines.ts'

/** One reading of a file: its facts go to the store, as the recorder would take it. */
async function readInto(store: Store, reader: TranscriptReader) {
  const drafts: AnyDraft[] = []
  let checkpoint: ImportCheckpoint | undefined
  const batcher: Pick<Batcher, 'take' | 'note' | 'isFull' | 'unknownField'> = {
    take: (taken) => void drafts.push(...taken),
    note: (noted) => void (checkpoint = noted),
    isFull: () => false,
    unknownField: () => undefined,
  }
  const read = { lines: 0, bad: 0 }
  await reader.read({
    batcher: batcher as Batcher,
    isCancelled: () => false,
    onRead({ lines, bad }) {
      read.lines += lines
      read.bad += bad
    },
  })
  store.ingest.append(drafts)
  return { ...read, checkpoint }
}

const readerOf = (path: string, known?: ImportCheckpoint) =>
  createTranscriptReader({ path, known, hash: (text) => `hash of ${text.length}` })

const rows = (dbPath: string, session: string) =>
  readStore(dbPath, (db) =>
    db
      .prepare<[string], [string, string | null]>(
        "SELECT kind, json_extract(payload, '$.text') FROM events WHERE session_id = ? ORDER BY id",
      )
      .raw()
      .all(session),
  )

/**
 * Positions at which the last line is cut: after its first byte, in its middle, in a character, before its brace and
 * its line end.
 */
const CUTS = { 'first byte': 1, middle: 0.5, 'half of a character': 'ü', 'last brace': -2, 'line end': -1 } as const

function cutOf(line: Buffer, cut: (typeof CUTS)[keyof typeof CUTS]): number {
  if (typeof cut === 'string') return line.indexOf(cut) + 1
  if (cut === 0.5) return line.length >> 1
  return cut > 0 ? cut : line.length + cut
}

test.each(
  Object.entries(CUTS).flatMap(([where, cut]) => [
    { where, cut, goesOn: 'the same reader' },
    { where, cut, goesOn: 'a reader of the next run' },
  ]),
)('a last line cut at its $where is recorded once, when complete, by $goesOn', async ({ cut, goesOn }) => {
  const { store, dbPath } = openTestStore()
  const path = join(temporaryFolder(), 's.jsonl')
  const lines = transcriptLines('s', [
    said('first'),
    ...answered('m1', { type: 'text', text: 'an answer' }),
    said('in Zürich'),
  ]).map((line) => Buffer.from(line))
  const [last = Buffer.alloc(0)] = lines.slice(-1)
  const at = cutOf(last, cut)
  writeFileSync(path, Buffer.concat([...lines.slice(0, -1), last.subarray(0, at)]))
  const reader = readerOf(path)
  const { checkpoint } = await readInto(store, reader)
  const before = [
    ['user_prompt', 'first'],
    ['assistant_text', 'an answer'],
  ]
  const taken = rows(dbPath, 's').filter(([kind]) => kind === 'user_prompt' || kind === 'assistant_text')
  // A line that lacks only its end is one.
  expect(taken).toEqual(at === last.length - 1 ? [...before, ['user_prompt', 'in Zürich']] : before)

  const next = goesOn === 'the same reader' ? reader : readerOf(path, checkpoint)
  appendFileSync(path, last.subarray(at))
  await readInto(store, next)
  appendFileSync(path, transcriptLines('s', [said('and one more')])[0] ?? '')
  await readInto(store, next)
  const whole = rows(dbPath, 's')
  expect(whole.filter(([kind]) => kind === 'user_prompt')).toEqual([
    ['user_prompt', 'first'],
    ['user_prompt', 'in Zürich'],
    ['user_prompt', 'and one more'],
  ])
  expect(whole.filter(([kind]) => kind === 'assistant_text' || kind === 'unknown')).toEqual([
    ['assistant_text', 'an answer'],
  ])
})

test('a cut line that nobody goes on with is kept as it is, once', async () => {
  const { store, dbPath } = openTestStore()
  const path = join(temporaryFolder(), 's.jsonl')
  writeFileSync(path, `${transcriptLines('s', [said('first')])[0] ?? ''}{"type":"user","message":{"ro`)
  const reader = readerOf(path)
  expect(await readInto(store, reader)).toMatchObject({ lines: 2, bad: 1 })
  expect(
    readStore(dbPath, (db) => db.prepare("SELECT count(*) FROM events WHERE kind = 'unknown'").pluck().get()),
  ).toBe(0)
  utimesSync(path, 1_790_000_000, 1_790_000_000)
  for (const one of [reader, reader, readerOf(path)]) expect(await readInto(store, one)).toMatchObject({ bad: 1 })
  expect(
    readStore(dbPath, (db) => db.prepare("SELECT count(*) FROM events WHERE kind = 'unknown'").pluck().get()),
  ).toBe(1)
})

test.each([
  ['glued together', '', ''],
  ['between the line ends of an old Mac', '\r', '\r'],
  ['before NULs', '', '\0'.repeat(600)],
])('records %s at the end of a new file are read, with or without a line end', async (_, between, end) => {
  const { store, dbPath } = openTestStore()
  const path = join(temporaryFolder(), 's.jsonl')
  const lines = transcriptLines('s', [said('first'), said('second'), said('third')]).map((line) => line.trimEnd())
  writeFileSync(path, lines.join(between) + end)
  const reader = readerOf(path)
  const told = () =>
    readStore(dbPath, (db) => db.prepare('SELECT content FROM user_prompts ORDER BY timestamp').pluck().all())
  await readInto(store, reader)
  expect(told()).toEqual(['first', 'second', 'third'])
  appendFileSync(path, '\n')
  await readInto(store, reader)
  expect(told()).toEqual(['first', 'second', 'third'])
})

test('a line over 64 MB is counted as bad, and its neighbours are recorded', async () => {
  const { store, dbPath } = openTestStore()
  const path = join(temporaryFolder(), 's.jsonl')
  const [first = '', second = ''] = transcriptLines('s', [said('before'), said('after')])
  const file = openSync(path, 'w')
  writeSync(file, first)
  writeSync(file, Buffer.alloc(64 * 1024 * 1024 + 1, 'x'))
  writeSync(file, `\n${second}`)
  closeSync(file)
  expect(await readInto(store, readerOf(path))).toMatchObject({ lines: 3, bad: 1 })
  expect(rows(dbPath, 's')).toEqual([
    ['user_prompt', 'before'],
    ['user_prompt', 'after'],
    ['turn_ended', null],
  ])
})
