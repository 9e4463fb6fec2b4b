import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { settled } from '../../../src/main/store/identity/settled.ts'
import { Importer } from '../../../src/main/transcripts/host/importer.ts'
import type { ImportProgress } from '../../../src/main/transcripts/protocol.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { answered, said, transcriptLines, transcriptOf } from '../../support/store/transcript-lines.ts'
import type { TempFolder } from '../../support/runner/temp-folder.ts'
import { countKinds, hookBytes, look, pass, rows, startRecorder, until } from '../../support/recorder/harness.ts'
import type { RecorderUnderTest } from '../../support/recorder/harness.ts'

let folder: TempFolder
let under: RecorderUnderTest
let importer: Importer
let transcripts: string
beforeEach(async () => {
  folder = makeTempFolder()
  transcripts = join(folder.path, 'projects')
  mkdirSync(transcripts)
  under = await startRecorder(join(folder.path, 'data'))
  importer = new Importer({
    dataDir: under.dataDir,
    // A long line is to be looked through whole, however slow the machine is.
    config: configSchema.parse({ redaction: { text_timeout_ms: 10_000 } }),
    homes: {},
    recorder: under.recorder,
    logger: { warn: () => undefined, error: () => undefined },
  })
})
afterEach(async () => {
  await importer.stop()
  await under.stop()
  folder.remove()
})

const linesOf = (...args: Parameters<typeof transcriptLines>) => transcriptLines(...args).join('')
const session = (name: string, turns: number) => transcriptOf(name, turns).join('')

async function run(...paths: string[]): Promise<ImportProgress> {
  let last: ImportProgress | null = null
  for await (const progress of importer.import(paths)) last = progress
  if (last === null) throw new Error('an import says how it ended')
  return last
}

test('files and folders are read, subagents too; again adds nothing', async () => {
  writeFileSync(join(transcripts, 'one.jsonl'), session('one', 20))
  mkdirSync(join(transcripts, 'two', 'subagents'), { recursive: true })
  writeFileSync(join(transcripts, 'two.jsonl'), session('two', 3))
  writeFileSync(
    join(transcripts, 'two', 'subagents', 'agent-a1.jsonl'),
    linesOf('two', [
      { ...said('look around'), isSidechain: true, agentId: 'a1' },
      ...answered('msg_agent', { type: 'text', text: 'looked' }).map((line) => ({
        ...line,
        isSidechain: true,
        agentId: 'a1',
      })),
    ]),
  )
  writeFileSync(join(transcripts, 'two', 'subagents', 'agent-a1.meta.json'), '{"agentType":"Explore"}')
  writeFileSync(join(transcripts, 'notes.txt'), 'no transcript')

  const done = await run(transcripts)
  expect(done).toMatchObject({ files: 3, files_done: 3, lines_bad: 0, done: true })
  expect(done.bytes_done).toBe(done.bytes)
  const before = rows(under.dataDir)
  expect(done.events_added).toBe(before.length)
  expect(countKinds(under.dataDir, 'one')).toMatchObject({
    user_prompt: 20,
    thinking: 20,
    assistant_text: 20,
    api_usage: 20,
  })
  expect(countKinds(under.dataDir, 'two')).toMatchObject({ user_prompt: 3, agent_started: 1, assistant_text: 4 })

  const again = await run(transcripts, join(transcripts, 'one.jsonl'))
  expect(again).toMatchObject({ files: 3, files_unchanged: 3, lines: 0, events_added: 0, done: true })
  expect(rows(under.dataDir)).toEqual(before)
})

test('a file that grew is read on from where it was left, by a decoder that knows what came before', async () => {
  const path = join(transcripts, 's.jsonl')
  const lines = transcriptLines('s', [
    said('go'),
    ...answered(
      'm1',
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ),
    said('on'),
  ])
  for (let upTo = 1; upTo <= lines.length; upTo++) {
    writeFileSync(path, lines.slice(0, upTo).join(''))
    expect(await run(transcripts)).toMatchObject({ lines: 1, lines_bad: 0 })
  }
  const parts = Object.entries(countKinds(under.dataDir, 's')).filter(([kind]) => kind !== 'turn_ended')
  expect(Object.fromEntries(parts)).toEqual({ user_prompt: 2, thinking: 1, assistant_text: 2, api_usage: 1 })
  const depths = look(under.dataDir, (db) =>
    db
      .prepare(
        "SELECT depth FROM lineage JOIN events USING (uuid) WHERE kind IN ('thinking', 'assistant_text') ORDER BY id",
      )
      .pluck()
      .all(),
  )
  expect(depths).toEqual([1, 2, 3])
})

test('prompts that outlived their transcripts come from the list of prompts, the others are known', async () => {
  const claude = join(folder.path, 'claude')
  const at = Date.UTC(2026, 10, 20, 10)
  const entry = (display: string, timestamp: number, more: object = {}) =>
    `${JSON.stringify({ display, pastedContents: {}, timestamp, project: '/home/me/project', ...more })}\n`
  mkdirSync(join(claude, 'projects', 'p'), { recursive: true })
  writeFileSync(join(claude, 'projects', 'p', 's.jsonl'), linesOf('s', [said('still there')], { at }))
  const list = join(claude, 'history.jsonl')
  writeFileSync(
    list,
    entry('still there', at - 3000, { sessionId: 's' }) +
      entry('long gone', at - 86_400_000, { sessionId: 'gone' }) +
      entry('older still', at - 2 * 86_400_000) +
      entry('read [Pasted text #1 +2 lines]', at - 2 * 86_400_000 + 1000, {
        pastedContents: { 1: { content: 'a\nb\nc' } },
      }) +
      entry('/model', at) +
      entry('/model sonnet', at) +
      entry('/rename the door', at) +
      'no json\n',
  )
  const own = new Importer({
    dataDir: under.dataDir,
    config: configSchema.parse({ transcripts: { follow: false } }),
    homes: { 'claude-code': [claude] },
    recorder: under.recorder,
    logger: { warn: () => undefined, error: () => undefined },
  })
  const bring = async () => {
    let last: ImportProgress | null = null
    for await (const progress of own.import(null)) last = progress
    return last
  }
  await bring()
  const prompts = () =>
    look(under.dataDir, (db) =>
      db.prepare('SELECT session_id, content FROM user_prompts ORDER BY timestamp').raw().all(),
    )
  const old = expect.stringMatching(/^history-/)
  const expected = [
    [old, 'older still'],
    [old, 'read a\nb\nc'],
    ['gone', 'long gone'],
    ['s', 'still there'],
  ]
  expect(prompts()).toEqual(expected)
  appendFileSync(list, entry('and one more', at + 1000, { sessionId: 's' }))
  expect(await bring()).toMatchObject({ events_added: 1, files_unchanged: 1 })
  expect(prompts()).toEqual([...expected, ['s', 'and one more']])
  // Its transcript is found after all: the prompt is the same.
  writeFileSync(
    join(claude, 'projects', 'p', 'gone.jsonl'),
    linesOf('gone', [said('long gone')], { at: at - 86_400_000 + 2000 }),
  )
  expect(await bring()).toMatchObject({ events_added: 0 })
  appendFileSync(list, entry('/btw is it dry?', at + 2000, { sessionId: 's' }))
  let added = 0
  for await (const progress of own.import([claude])) added = progress.events_added
  // The question and its end.
  expect(added).toBe(2)
  expect(
    look(under.dataDir, (db) =>
      db
        .prepare(
          `SELECT p.payload ->> 'text', e.payload ->> 'reason'
           FROM events p LEFT JOIN events e ON e.session_id = p.session_id AND e.turn_id = p.turn_id AND e.kind = 'turn_ended'
           WHERE p.payload ->> 'entered_as' = 'side_question'`,
        )
        .raw()
        .all(),
    ),
  ).toEqual([['/btw is it dry?', 'next_prompt']])
  await own.stop()
})

test('wire, hook and transcript of one session are one session', async () => {
  under.recorder.hook(
    hookBytes({ session_id: 's', hook_event_name: 'UserPromptSubmit', prompt: 'paint it', prompt_id: 'p1' }),
  )
  await under.settled()
  await pass(under.tap, {
    session: 's',
    prompt: 'paint it',
    answer: { messageId: 'msg_s', steps: [{ thinking: 'which colour' }, { text: 'painted' }] },
  })
  await under.settled()
  const before = rows(under.dataDir)
  writeFileSync(
    join(transcripts, 's.jsonl'),
    linesOf(
      's',
      [
        said('paint it'),
        ...answered(
          'msg_s',
          { type: 'thinking', thinking: 'which colour', signature: 'x' },
          { type: 'text', text: 'painted' },
        ),
      ],
      { at: Date.now() },
    ),
  )
  const done = await run(join(transcripts, 's.jsonl'))
  expect(done).toMatchObject({ events_added: 0, done: true })
  expect(rows(under.dataDir)).toEqual(before)
  const sources = look(under.dataDir, (db) =>
    db
      .prepare<[], string>(
        "SELECT DISTINCT s.source FROM sightings s JOIN events e USING (uuid) WHERE e.kind = 'user_prompt' ORDER BY 1",
      )
      .pluck()
      .all(),
  )
  expect(sources).toEqual(expect.arrayContaining(['transcript', 'wire']))
})

test('secrets in transcripts are gone, images leave their hash, and what was found is counted', async () => {
  const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
  writeFileSync(join(transcripts, 's.jsonl'), linesOf('s', [said(`use ${secret} please`)]))
  await run(transcripts)
  const prompt = rows(under.dataDir).find((row) => row.kind === 'user_prompt')
  expect(prompt?.payload).toContain('[redacted:')
  expect(prompt?.payload).not.toContain('Ab1Ab1')
  await until(() => Object.values(under.health().redacted).some((count) => count > 0))
})

test('what no decoder knows is kept raw and counted by the version of the client', async () => {
  const drifted = (text: string) => ({ ...said(text), version: '9.9.9', mood: 'fine' })
  const path = join(transcripts, 's.jsonl')
  writeFileSync(
    path,
    linesOf('s', [said('before'), drifted('one'), { type: 'hologram', version: '9.9.9' }, drifted('two')]),
  )
  await run(transcripts)
  const health = () => under.health().unknown
  await until(() => health()['transcript:hologram (9.9.9)'] === 1)
  expect(health()).toEqual({ 'transcript:hologram (9.9.9)': 1, 'transcript:user.mood (9.9.9)': 2 })
  const kept = look(under.dataDir, (db) =>
    db.prepare("SELECT payload FROM sightings WHERE payload LIKE '%unknown_fields%'").pluck().all(),
  )
  expect(kept.map((json) => (JSON.parse(String(json)) as { unknown_fields: object }).unknown_fields)).toEqual([
    { mood: 'fine' },
    { mood: 'fine' },
  ])
  // When reading continues, earlier lines are not counted again.
  appendFileSync(path, linesOf('s', [drifted('three')]))
  await run(transcripts)
  await until(() => health()['transcript:user.mood (9.9.9)'] === 3)
})

test('long, broken and cut lines cost only themselves', async () => {
  const long = 'word '.repeat(1_500_000)
  writeFileSync(
    join(transcripts, 's.jsonl'),
    `\uFEFF${linesOf('s', [said('before')])}this is not JSON\r\n[1,2]\n${linesOf('s', [said(long)])}${linesOf('s', [said('after')])}{"type":"user","mess`,
  )
  await run(transcripts)
  const prompts = look(under.dataDir, (db) =>
    db.prepare<[], number>('SELECT length(content) FROM user_prompts ORDER BY id').pluck().all(),
  )
  expect(prompts).toEqual([6, expect.any(Number), 5])
  expect(prompts[1]).toBeGreaterThan(900_000)
})

test('a recorder that dies during an import: the importer goes on with the next one', async () => {
  for (let file = 0; file < 5; file++) writeFileSync(join(transcripts, `f${file}.jsonl`), session(`f${file}`, 100))
  let restarts = 0
  let last: ImportProgress | null = null
  for await (const progress of importer.import([transcripts])) {
    last = progress
    if (restarts < 2 && progress.events_added > restarts * 500) {
      restarts += 1
      await under.recorder.restart()
    }
  }
  expect(last).toMatchObject({ done: true, files_done: 5 })
  expect(countKinds(under.dataDir)).toMatchObject({
    user_prompt: 500,
    thinking: 500,
    assistant_text: 500,
    api_usage: 500,
  })
})

test('live traffic is committed in the middle of an import', async () => {
  // One that was over before the test came to see it has no middle: then there is another.
  for (let round = 0, isInTheMiddle = false; !isInTheMiddle; round += 1) {
    for (let file = 0; file < 8; file++) {
      const name = `f${round}-${file}`
      writeFileSync(join(transcripts, `${name}.jsonl`), session(name, 200))
    }
    const before = rows(under.dataDir).length
    let passed = false
    for await (const progress of importer.import([transcripts])) {
      if (!passed && progress.events_added > 0) {
        passed = true
        await pass(under.tap, { session: `live ${round}` })
        await under.settled()
      }
    }
    const all = rows(under.dataDir)
    const live = all.findIndex((row) => row.session_id === `live ${round}`)
    expect(live).toBeGreaterThan(before)
    isInTheMiddle = live < all.length - 1000
  }
})

heavily(test)('it can be stopped; what is named wrongly or cannot be stored is said', async () => {
  await expect(run(join(transcripts, 'nowhere'))).rejects.toMatchObject({ code: 'bad_input' })
  let files = 0
  let lines = 0
  // One that was over before it was stopped was not stopped: then there is more to read.
  for (let isStopped = false; !isStopped;) {
    lines = 0
    for (const end = files + 5; files < end; files += 1) {
      const text = transcriptOf(`f${files}`, 200)
      lines += text.length
      writeFileSync(join(transcripts, `f${files}.jsonl`), text.join(''))
    }
    const stop = new AbortController()
    isStopped = await (async () => {
      for await (const progress of importer.import([transcripts], stop.signal))
        if (progress.events_added > 0) stop.abort()
    })().then(
      () => false,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'cancelled' })
        return true
      },
    )
  }
  expect(rows(under.dataDir).length).toBeGreaterThan(0)
  // It continues at its position: earlier lines are not read again.
  const rest = await run(transcripts)
  expect(rest.lines).toBeLessThan(lines)
  expect(rest.bytes_done).toBe(rest.bytes)
  expect(countKinds(under.dataDir)['user_prompt']).toBe(files * 200)

  const holder = new Database(join(under.dataDir, 'lifestats.db'))
  holder.exec('BEGIN IMMEDIATE')
  writeFileSync(join(transcripts, 'new.jsonl'), session('new', 1))
  await expect(run(join(transcripts, 'new.jsonl'))).rejects.toMatchObject({ code: 'store_unavailable' })
  holder.exec('ROLLBACK')
  holder.close()
})

test('a tool result that was too long for its line is taken from the file beside it, and believed over its preview', async () => {
  const long = `first ${'rows of a table '.repeat(5000)} last word: quetzal`
  const preview = (name: string) =>
    `<persisted-output>\nOutput too large (80KB). Full output saved to: /elsewhere/s/tool-results/${name}\n\n` +
    `Preview (first 2KB):\n${long.slice(0, 200)}\n</persisted-output>`
  const called = (id: string) => answered(`msg_${id}`, { type: 'tool_use', id, name: 'Bash', input: { command: id } })
  const resulted = (id: string, name: string) => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: preview(name) }] },
  })
  mkdirSync(join(transcripts, 's', 'tool-results'), { recursive: true })
  mkdirSync(join(transcripts, 's', 'subagents'))
  const spilled = (name: string, text: string) => writeFileSync(join(transcripts, 's', 'tool-results', name), text)
  spilled('toolu_text.txt', long)
  spilled(
    'toolu_blocks.json',
    JSON.stringify([
      { type: 'text', text: 'block one' },
      { type: 'text', text: long },
    ]),
  )
  spilled('toolu_agent.txt', 'what the agent found')
  writeFileSync(join(folder.path, 'secret.txt'), 'not to be read')
  symlinkSync(join(folder.path, 'secret.txt'), join(transcripts, 's', 'tool-results', 'toolu_link.txt'))
  const parts = [
    ['toolu_text', 'toolu_text.txt'],
    ['toolu_blocks', 'toolu_blocks.json'],
    ['toolu_gone', 'toolu_gone.txt'],
    ['toolu_link', 'toolu_link.txt'],
    ['toolu_out', '../../../secret.txt'],
  ] as const
  writeFileSync(
    join(transcripts, 's.jsonl'),
    linesOf('s', [said('go'), ...parts.flatMap(([id, name]) => [...called(id), resulted(id, name)])]),
  )
  const agent = { isSidechain: true, agentId: 'a1' }
  writeFileSync(
    join(transcripts, 's', 'subagents', 'agent-a1.jsonl'),
    linesOf(
      's',
      [...called('toolu_agent'), resulted('toolu_agent', 'toolu_agent.txt')].map((line) => ({ ...line, ...agent })),
    ),
  )
  await run(transcripts)
  const db = new Database(join(under.dataDir, 'lifestats.db'), { readonly: true })
  const found = db
    .prepare<[], string>(
      "SELECT call_id FROM tool_results r JOIN tools_fts f ON f.rowid = r.id WHERE tools_fts MATCH 'quetzal'",
    )
    .pluck()
  const outputOf = db.prepare<[string], string>('SELECT output_json FROM tool_results WHERE call_id = ?').pluck()
  expect(found.all().toSorted()).toEqual(['toolu_blocks', 'toolu_text'])
  const fields = {
    kind: 'tool_result' as const,
    session_id: 's',
    duration_ms: null,
    success: true,
    error_message: null,
  }
  const wire = { ...fields, source: 'wire' as const, payload: { output: preview('toolu_text.txt'), is_error: false } }
  const transcript = { source: 'transcript' as const, session_id: 's', payload: { output: long } }
  expect(settled(wire, [transcript]).payload.output).toBe(long)
  expect(settled(wire, []).payload.output).toContain('Preview')
  expect(outputOf.get('toolu_agent')).toBe('"what the agent found"')
  for (const id of ['toolu_gone', 'toolu_link', 'toolu_out']) expect(outputOf.get(id)).toContain('Preview (first 2KB)')
  db.close()
})
