import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Importer } from '../../../src/main/transcripts/host/importer.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import type { TempFolder } from '../../support/runner/temp-folder.ts'
import { answered, said, transcriptLines, transcriptOf } from '../../support/store/transcript-lines.ts'
import { countKinds, look, pause, rows, startRecorder, until } from '../../support/recorder/harness.ts'
import type { RecorderUnderTest } from '../../support/recorder/harness.ts'

let folder: TempFolder
let under: RecorderUnderTest
let importer: Importer
let claude: string
let project: string
let troubles: number
beforeEach(async () => {
  folder = makeTempFolder()
  claude = join(folder.path, 'claude')
  project = join(claude, 'projects', '-home-me-project')
  mkdirSync(project, { recursive: true })
  troubles = 0
  under = await startRecorder(join(folder.path, 'data'))
  importer = newImporter()
})
afterEach(async () => {
  await importer.stop()
  await under.stop()
  folder.remove()
})

function newImporter(follow = true): Importer {
  return new Importer({
    dataDir: under.dataDir,
    config: configSchema.parse({ transcripts: { follow } }),
    homes: { 'claude-code': [claude] },
    recorder: under.recorder,
    logger: { warn: () => void (troubles += 1), error: () => void (troubles += 1) },
  })
}

async function importAll(): Promise<void> {
  for await (const _ of importer.import(null)) {
    // The last progress comes when all is committed.
  }
}

const prompts = () =>
  look(under.dataDir, (db) =>
    db.prepare<[], string>('SELECT content FROM user_prompts ORDER BY timestamp, id').pluck().all(),
  )
const hasPrompt = (text: string) => until(() => prompts().includes(text))
const isFollowing = async () => (await importer.find()).following

test('nothing is read before it is asked for; after an import, appended lines come by themselves', async () => {
  const path = join(project, 's.jsonl')
  writeFileSync(path, transcriptOf('s', 1).join(''))
  importer.follow()
  expect(await importer.find()).toMatchObject({ files: 1, sessions: 1, imported_files: 0, following: false })
  expect(rows(under.dataDir)).toEqual([])

  await importAll()
  expect(await importer.find()).toMatchObject({
    files: 1,
    imported_files: 1,
    new_bytes: 0,
    estimate_s: 0,
    following: true,
  })
  appendFileSync(path, transcriptLines('s', [said('what comes next')]).join(''))
  await hasPrompt('what comes next')
  // Readers of the live feed see it come.
  await until(() => under.events.some(({ kind, source }) => kind === 'user_prompt' && source === 'transcript'))
})

test('/context and /cost, which no request carries, are in the live feed as in the log, each with its output', async () => {
  const path = join(project, 's.jsonl')
  writeFileSync(path, transcriptOf('s', 1).join(''))
  await importAll()
  const command = (name: string) =>
    `<command-name>/${name}</command-name>\n<command-message>${name}</command-message>\n<command-args></command-args>`
  const output = (text: string) => `<local-command-stdout>${text}</local-command-stdout>`
  const at = Date.UTC(2026, 10, 20, 12)
  // Clients to 2.0 write lines of the user, later ones lines of the system.
  const system = (content: string) => ({ type: 'system', subtype: 'local_command', content, level: 'info' })
  const lines = [
    said(command('context')),
    said(output('Context: 22 %')),
    system(command('cost')),
    system(output('Total cost: $0.10')),
  ]
  const before = under.events.length
  appendFileSync(path, transcriptLines('s', lines, { at }).join(''))
  await until(() => under.events.length >= before + lines.length)
  const live = under.events.slice(before).map(({ kind, source, text }) => [kind, source, text])
  expect(live).toEqual([
    ['user_prompt', 'transcript', '/context'],
    ['notification', 'transcript', 'Context: 22 %'],
    ['user_prompt', 'transcript', '/cost'],
    ['notification', 'transcript', 'Total cost: $0.10'],
  ])
  expect(prompts()).toEqual(['s asks 0', '/context', '/cost'])
})

test('where it is switched off, nothing is followed', async () => {
  await importer.stop()
  importer = newImporter(false)
  writeFileSync(join(project, 's.jsonl'), transcriptOf('s', 1).join(''))
  await importAll()
  expect(await isFollowing()).toBe(false)
})

test('a new app goes on following, and reads what came meanwhile', async () => {
  const path = join(project, 's.jsonl')
  writeFileSync(path, transcriptOf('s', 2).join(''))
  await importAll()
  await importer.stop()
  appendFileSync(path, transcriptLines('s', [said('while nobody looked')], { at: Date.UTC(2026, 10, 20, 11) }).join(''))
  mkdirSync(join(project, 's', 'subagents'), { recursive: true })
  importer = newImporter()
  // Whoever asks at the same time does not end it.
  const found = importer.find()
  importer.follow()
  await found
  await hasPrompt('while nobody looked')
  expect(prompts()).toEqual(['s asks 0', 's asks 1', 'while nobody looked'])
})

test('new files, new folders and subagents are found', async () => {
  await importAll()
  expect(await isFollowing()).toBe(true)
  writeFileSync(join(project, 'new.jsonl'), transcriptOf('new', 1).join(''))
  await hasPrompt('new asks 0')
  const other = join(claude, 'projects', '-home-me-other')
  mkdirSync(join(other, 'deep', 'subagents'), { recursive: true })
  writeFileSync(join(other, 'deep.jsonl'), transcriptOf('deep', 1).join(''))
  const side = answered('msg_side', { type: 'text', text: 'looked' }).map((line) => ({
    ...line,
    agentId: 'a1',
    isSidechain: true,
  }))
  writeFileSync(join(other, 'deep', 'subagents', 'agent-a1.jsonl'), transcriptLines('deep', side).join(''))
  await until(() => (countKinds(under.dataDir, 'deep')['agent_started'] ?? 0) === 1)
  await hasPrompt('deep asks 0')
})

test('a message whose blocks come one by one is one message, and a line in two halves is one line', async () => {
  const path = join(project, 's.jsonl')
  const lines = transcriptLines('s', [
    said('go'),
    ...answered(
      'm1',
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'first' },
      { type: 'text', text: 'second' },
    ),
  ])
  writeFileSync(path, lines[0] ?? '')
  await importAll()
  for (const line of lines.slice(1)) {
    const middle = Math.floor(line.length / 2)
    appendFileSync(path, line.slice(0, middle))
    await pause(250)
    appendFileSync(path, line.slice(middle))
    await pause(250)
  }
  await until(() => countKinds(under.dataDir, 's')['turn_ended'] === 1)
  expect(countKinds(under.dataDir, 's')).toEqual({
    user_prompt: 1,
    thinking: 1,
    assistant_text: 2,
    api_usage: 1,
    turn_ended: 1,
  })
  const usage = look(under.dataDir, (db) => db.prepare('SELECT output_tokens FROM api_usage').pluck().all())
  expect(usage).toEqual([7])
})

test('a file that is cut, replaced, moved or deleted: what was said stays, once; what is new comes', async () => {
  const path = join(project, 's.jsonl')
  const lines = transcriptOf('s', 3)
  writeFileSync(path, lines.join(''))
  await importAll()
  const before = rows(under.dataDir)

  truncateSync(path, Buffer.byteLength(lines.slice(0, 3).join('')))
  appendFileSync(path, transcriptLines('s', [said('after the cut')], { at: Date.UTC(2026, 10, 20, 11) }).join(''))
  await hasPrompt('after the cut')

  const aside = join(folder.path, 'aside')
  writeFileSync(
    aside,
    [...lines, ...transcriptLines('s', [said('in its place')], { at: Date.UTC(2026, 10, 20, 12) })].join(''),
  )
  renameSync(aside, path)
  await hasPrompt('in its place')

  renameSync(path, join(project, 'moved.jsonl'))
  appendFileSync(
    join(project, 'moved.jsonl'),
    transcriptLines('s', [said('under another name')], { at: Date.UTC(2026, 10, 20, 13) }).join(''),
  )
  await hasPrompt('under another name')

  rmSync(join(project, 'moved.jsonl'))
  writeFileSync(join(project, 'other.jsonl'), transcriptOf('other', 1).join(''))
  await hasPrompt('other asks 0')
  expect(rows(under.dataDir).slice(0, before.length)).toEqual(before)
  expect(prompts().toSorted()).toEqual([
    'after the cut',
    'in its place',
    'other asks 0',
    's asks 0',
    's asks 1',
    's asks 2',
    'under another name',
  ])
})

test('what the recorder could not store is read again', async () => {
  const path = join(project, 's.jsonl')
  writeFileSync(path, transcriptOf('s', 1).join(''))
  await importAll()
  expect(under.mayFollow()).toBe(false)
  await under.recorder.restart()
  await until(under.mayFollow)
  appendFileSync(path, transcriptLines('s', [said('through a restart')], { at: Date.UTC(2026, 10, 20, 11) }).join(''))
  await hasPrompt('through a restart')
  expect(prompts()).toEqual(['s asks 0', 'through a restart'])
})

heavily(test)('what a locked database refused is read again when it is free', async () => {
  const path = join(project, 's.jsonl')
  writeFileSync(path, transcriptOf('s', 1).join(''))
  await importAll()
  const holder = new Database(join(under.dataDir, 'lifestats.db'))
  holder.exec('BEGIN IMMEDIATE')
  appendFileSync(path, transcriptLines('s', [said('while it was locked')], { at: Date.UTC(2026, 10, 20, 11) }).join(''))
  await until(() => troubles > 0)
  holder.exec('ROLLBACK')
  holder.close()
  await hasPrompt('while it was locked')
  expect(prompts()).toEqual(['s asks 0', 'while it was locked'])
})

test('our own data among the transcripts is left out', async () => {
  await importer.stop()
  await under.stop()
  under = await startRecorder(join(claude, 'projects', 'aspy'))
  importer = newImporter()
  writeFileSync(join(project, 's.jsonl'), transcriptOf('s', 1).join(''))
  mkdirSync(join(under.dataDir, 'logs'), { recursive: true })
  writeFileSync(join(under.dataDir, 'logs', 'session-x.jsonl'), transcriptOf('x', 1).join(''))
  expect(await importer.find()).toMatchObject({ files: 1 })
  await importAll()
  appendFileSync(join(under.dataDir, 'logs', 'session-x.jsonl'), transcriptOf('y', 1).join(''))
  appendFileSync(
    join(project, 's.jsonl'),
    transcriptLines('s', [said('mine')], { at: Date.UTC(2026, 10, 20, 11) }).join(''),
  )
  await hasPrompt('mine')
  expect(prompts()).toEqual(['s asks 0', 'mine'])
})
