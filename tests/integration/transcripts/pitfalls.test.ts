import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Importer } from '../../../src/main/transcripts/host/importer.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import type { TempFolder } from '../../support/runner/temp-folder.ts'
import { answered, said, transcriptLines, type TranscriptLine } from '../../support/store/transcript-lines.ts'
import { startRecorder } from '../../support/recorder/harness.ts'
import type { RecorderUnderTest } from '../../support/recorder/harness.ts'

// One file for each thing in which transcripts have misled their readers; all of them are imported together.
const FIVE_MEGABYTES = 5 * 1024 * 1024
const long = `begin ${'row of a long table '.repeat(FIVE_MEGABYTES / 20)} end`

const called = (id: string, input: unknown): TranscriptLine[] =>
  answered(`msg_${id}`, { type: 'tool_use', id, name: 'Bash', input })
const resulted = (id: string, content: string): TranscriptLine => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
})
const withUsage = (id: string, usage: object | null): TranscriptLine => {
  const [line] = answered(id, { type: 'text', text: `with usage ${id}` })
  return { type: 'assistant', ...line, message: { ...line?.message, usage } }
}

const original = transcriptLines('original', [
  said('shared history'),
  ...answered('msg_original', { type: 'text', text: 'shared answer' }),
])
const { uuid: lastOfOriginal }: { uuid: string } = JSON.parse(original.at(-1) ?? '')
const underAnotherSession = (line: string) => line.replaceAll('"sessionId":"original"', '"sessionId":"fork"')
const agent = { isSidechain: true, agentId: 'deep' }
const cycle = [
  { ...said('before the compaction'), uuid: 'c0000000-0000-4000-8000-000000000001' },
  {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'c0000000-0000-4000-8000-000000000002',
    parentUuid: null,
    logicalParentUuid: 'c0000000-0000-4000-8000-000000000003',
    compactMetadata: { trigger: 'auto', preTokens: 1000 },
  },
  {
    ...said('This session is being continued: what was done.'),
    isCompactSummary: true,
    uuid: 'c0000000-0000-4000-8000-000000000003',
    parentUuid: 'c0000000-0000-4000-8000-000000000002',
    logicalParentUuid: 'c0000000-0000-4000-8000-000000000003',
  },
  said('after the compaction'),
]

const FILES: { readonly [path: string]: string } = {
  'original.jsonl': original.join(''),
  'fork.jsonl': [
    ...original.map(underAnotherSession),
    ...transcriptLines('fork', [said('only in the fork')], { parent: lastOfOriginal }),
  ].join(''),
  'usage-repeated.jsonl': transcriptLines('usage-repeated', [
    said('count once'),
    ...[1, 90, 5].map((output_tokens) => withUsage('msg_repeated', { input_tokens: 10, output_tokens })),
  ]).join(''),
  'usage-null.jsonl': transcriptLines('usage-null', [said('count nothing'), withUsage('msg_null', null)]).join(''),
  'several-roots.jsonl': [
    ...transcriptLines('several-roots', [said('first root')]),
    ...transcriptLines('several-roots', [said('second root')], { at: Date.UTC(2026, 10, 20, 11) }),
  ].join(''),
  'cycle.jsonl': transcriptLines('cycle', cycle).join(''),
  'long-line.jsonl': transcriptLines('long-line', [
    said('read it'),
    ...called('toolu_long', { command: 'cat' }),
    resulted('toolu_long', long),
  ]).join(''),
  'last-line-cut.jsonl': `${transcriptLines('last-line-cut', [said('whole')]).join('')}{"type":"user","message":{"ro`,
  'bom-and-crlf.jsonl': `\uFEFF${transcriptLines('bom-and-crlf', [said('with a mark'), said('and ends')])
    .join('')
    .replaceAll('\n', '\r\n')}`,
  'lone-surrogate.jsonl': transcriptLines('lone-surrogate', [said('half HALF here')])
    .join('')
    .replace('HALF', String.raw`\ud83d`),
  'input-as-string.jsonl': transcriptLines('input-as-string', called('toolu_string', '{"command":"ls -la"}')).join(''),
  'synthetic.jsonl': transcriptLines('synthetic', [
    said('go'),
    ...answered('msg_synthetic', { type: 'text', text: 'No response requested.' }).map((line) => ({
      ...line,
      message: { ...line.message, model: '<synthetic>' },
    })),
  ]).join(''),
  'agents/subagents/workflows/w1/agent-deep.jsonl': transcriptLines('agents', [
    { ...said('look deeper'), ...agent },
    { ...withUsage('msg_deep', { input_tokens: 7, output_tokens: 3 }), ...agent },
  ]).join(''),
  'unknown-line.jsonl': transcriptLines('unknown-line', [said('go'), { type: 'mood', mood: 'fine' }]).join(''),
}

let folder: TempFolder
let under: RecorderUnderTest
let db: Database.Database
beforeAll(async () => {
  folder = makeTempFolder()
  const projects = join(folder.path, 'projects')
  for (const [at, [name, text]] of Object.entries(FILES).entries()) {
    const path = join(projects, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    // Long untouched: a line that was cut will not be completed.
    utimesSync(path, 1_790_000_000 + at, 1_790_000_000 + at)
  }
  under = await startRecorder(join(folder.path, 'data'))
  const importer = new Importer({
    dataDir: under.dataDir,
    // The long line is to be looked through whole, however slow the machine is.
    config: configSchema.parse({ transcripts: { follow: false }, redaction: { text_timeout_ms: 10_000 } }),
    homes: {},
    recorder: under.recorder,
    logger: { warn: () => undefined, error: () => undefined },
  })
  for await (const _ of importer.import([projects])) {
    // The last of it comes when all is committed.
  }
  await importer.stop()
  db = new Database(join(under.dataDir, 'lifestats.db'), { readonly: true })
})
afterAll(async () => {
  db.close()
  await under.stop()
  folder.remove()
})

const column = (sql: string, ...values: string[]) =>
  db
    .prepare<string[], unknown>(sql)
    .pluck()
    .all(...values)
const prompts = (session: string) =>
  column('SELECT content FROM user_prompts WHERE session_id = ? ORDER BY prompt_number', session)

test('a fork that copies history under its own session adds only what is its own', () => {
  expect(prompts('original')).toEqual(['shared history'])
  expect(prompts('fork')).toEqual(['only in the fork'])
  expect(column("SELECT count(*) FROM sightings WHERE session_id = 'fork' AND source = 'transcript'")).toEqual([
    column("SELECT count(*) FROM events WHERE session_id IN ('original', 'fork')")[0],
  ])
})

test('usage that each line of a message repeats counts once, the largest figure; none counts nothing', () => {
  expect(column("SELECT output_tokens FROM api_usage WHERE session_id = 'usage-repeated'")).toEqual([90])
  expect(column("SELECT total_tokens FROM sessions WHERE id = 'usage-null'")).toEqual([0])
  expect(column("SELECT DISTINCT basis FROM api_usage WHERE session_id = 'usage-repeated'")).toEqual(['lower_bound'])
})

test('several roots and parents in a circle leave every line where it was', () => {
  expect(prompts('several-roots')).toEqual(['first root', 'second root'])
  expect(prompts('cycle')).toEqual(['before the compaction', 'after the compaction'])
  expect(column("SELECT content FROM compactions WHERE session_id = 'cycle'")).toEqual([
    expect.stringContaining('what was done'),
  ])
})

test('a line of five megabytes is kept whole', () => {
  const [bytes] = column('SELECT max(bytes) FROM contents')
  expect(bytes).toBe(long.length)
  expect(column("SELECT count(*) FROM tools_fts WHERE tools_fts MATCH 'begin AND end'")).toEqual([1])
})

test('a cut last line, a byte order mark, CRLF and half a character cost nothing around them', () => {
  expect(prompts('last-line-cut')).toEqual(['whole'])
  expect(prompts('bom-and-crlf')).toEqual(['with a mark', 'and ends'])
  expect(prompts('lone-surrogate')).toEqual(['half \ufffd here'])
})

test('a tool input that is a string of JSON is read; what the client says in place of the model is not a call', () => {
  expect(column("SELECT input_json FROM tool_calls WHERE session_id = 'input-as-string'")).toEqual([
    '{"command":"ls -la"}',
  ])
  expect(column("SELECT count(*) FROM api_usage WHERE session_id = 'synthetic'")).toEqual([0])
})

test('agents of a workflow, folders below their session, are found and counted for it', () => {
  expect(column("SELECT agent_id FROM api_usage WHERE session_id = 'agents'")).toEqual(['deep'])
  expect(column("SELECT total_tokens FROM sessions WHERE id = 'agents'")).toEqual([10])
})

test('a line that no one knows is kept raw', () => {
  const [payload] = column("SELECT payload FROM events WHERE session_id = 'unknown-line' AND kind = 'unknown'")
  expect(JSON.parse(String(payload))).toMatchObject({ what: 'transcript:mood', raw: { mood: 'fine' } })
})
