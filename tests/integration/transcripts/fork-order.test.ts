import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { answered, said, transcriptLines } from '../../support/store/transcript-lines.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { recordedFacts } from '../../support/transcripts/recorded-count.ts'
import { few } from '../../support/runner/heavy.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/transcripts')

const SESSIONS = ['00000030-0000-4000-8000-000000000001', '00000030-0000-4000-8000-000000000002']

/** A compacted session and its fork, which begins with the summary. */
function compactedIn(folder: string): void {
  const [original = '', fork = ''] = SESSIONS
  const turn = (name: string) => [
    said(`Paint the ${name}`),
    ...answered(`msg_01${name.padEnd(22, 'x')}`, { type: 'text', text: 'Done.' }),
  ]
  const summary = { ...said('This session is being continued from a previous conversation.'), isCompactSummary: true }
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { trigger: 'manual', preTokens: 900 },
  }
  const whole = transcriptLines(original, [
    ...turn('door'),
    ...turn('gate'),
    boundary,
    summary,
    ...turn('roof'),
    ...turn('sill'),
  ])
  const copied = whole.slice(4, 8).map((line) => line.replace(original, fork))
  const own = transcriptLines(fork, turn('wall'), { at: Date.UTC(2026, 10, 20, 12) })
  writeFileSync(join(folder, `${original}.jsonl`), whole.join(''))
  writeFileSync(join(folder, `${fork}.jsonl`), [...copied, ...own].join(''))
}

/** A copy of a fixture whose files are a minute apart, in the order of their names or against it. */
function copyOf(fixture: string, order: 'forwards' | 'backwards'): { folder: string; files: readonly string[] } {
  const folder = join(temporaryFolder(), 'projects')
  mkdirSync(folder)
  if (fixture === 'fork-compacted') compactedIn(folder)
  else cpSync(join(FIXTURES, fixture), folder, { recursive: true })
  const names = readdirSync(folder).toSorted()
  const files = (order === 'forwards' ? names : names.toReversed()).map((name) => join(folder, name))
  for (const [at, file] of files.entries()) utimesSync(file, 1_790_000_000 + 60 * at, 1_790_000_000 + 60 * at)
  return { folder, files }
}

const facts = (db: string) => Object.fromEntries([...recordedFacts(db)].toSorted(([a], [b]) => (a < b ? -1 : 1)))

test.each(['fork-copied', 'fork-named'])(
  '%s: one import gives the original its history, whatever the files’ times',
  async (fixture) => {
    const forwards = facts(await importInto(temporaryFolder(), [copyOf(fixture, 'forwards').folder]))
    const backwards = facts(await importInto(temporaryFolder(), [copyOf(fixture, 'backwards').folder]))
    expect(backwards).toEqual(forwards)
    expect(
      Object.values(forwards)
        .map(({ entered }) => entered.length)
        .toSorted(),
    ).toEqual(fixture === 'fork-copied' ? [1, 2] : [1, 1])
  },
)

test('a fork that names its original may be imported before it', async () => {
  const first = facts(await importInto(temporaryFolder(), copyOf('fork-named', 'forwards').files))
  const second = facts(await importInto(temporaryFolder(), copyOf('fork-named', 'backwards').files))
  expect(second).toEqual(first)
})

/** Content of the projections, without the numbers and uuids that depend on the order of arrival. */
function projected(path: string): { readonly [table: string]: readonly unknown[] } {
  const db = new Database(path, { readonly: true })
  const rows = (sql: string) =>
    (db.prepare(sql).raw().all() as unknown[][]).map((row) => JSON.stringify(row)).toSorted()
  const tables = {
    sessions: rows(
      `SELECT id, project, git_branch, started_at, last_event_at, title, turn_count, prompts, total_tokens, total_cost_usd,
         tool_calls, thinking_blocks, errors, active_ms, time_basis FROM sessions`,
    ),
    prompts: rows('SELECT session_id, turn_id, timestamp, content FROM user_prompts'),
    answers: rows('SELECT session_id, turn_id, timestamp, content FROM assistant_responses'),
    usage: rows('SELECT session_id, turn_id, model, input_tokens, output_tokens, cost_usd FROM api_usage'),
    turns: rows('SELECT session_id, turn_id, started_at, ended_at FROM turns'),
    rollups: rows('SELECT * FROM rollups'),
    links: rows('SELECT * FROM session_links'),
    chains: rows(
      `SELECT e.session_id, e.kind, e.ts_wall, l.depth, p.session_id, p.kind, p.ts_wall
       FROM events e JOIN lineage l ON l.uuid = e.uuid LEFT JOIN events p ON p.uuid = l.parent_uuid`,
    ),
    found: rows("SELECT content FROM prompts_fts WHERE prompts_fts MATCH 'name'"),
    files: rows("SELECT count(*), sum(offset = size) FROM transcript_files WHERE path LIKE '%.jsonl'"),
  }
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  db.close()
  return tables
}

test.each(few(['fork-copied', 'fork-named', 'fork-compacted'], 2))(
  '%s: a fork that was imported alone gives its history back when its original comes',
  async (fixture) => {
    const { files } = copyOf(fixture, 'forwards')
    const once = projected(await importInto(temporaryFolder(), [join(files[0] ?? '', '..')]))
    const dataDir = temporaryFolder()
    for (const file of files) await importInto(dataDir, [file])
    expect(projected(join(dataDir, 'lifestats.db'))).toEqual(once)
    const other = temporaryFolder()
    for (const file of files.toReversed()) await importInto(other, [file])
    expect(projected(join(other, 'lifestats.db'))).toEqual(once)
    // Nothing is left to repair.
    const again = await importInto(other, [join(files[0] ?? '', '..')])
    expect(projected(again)).toEqual(once)
  },
)

test('a session that was read up to its compaction gets the rest back from the fork that was read before it', async () => {
  const { folder, files } = copyOf('fork-compacted', 'forwards')
  const once = facts(await importInto(temporaryFolder(), [folder]))
  const [original = '', fork = ''] = files
  const whole = readFileSync(original, 'utf8')
  const dataDir = temporaryFolder()
  writeFileSync(original, `${whole.split('\n').slice(0, 4).join('\n')}\n`)
  await importInto(dataDir, [original, fork])
  writeFileSync(original, whole)
  expect(facts(await importInto(dataDir, [original]))).toEqual(once)
})
