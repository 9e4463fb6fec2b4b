import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createOwnCode } from '../../../src/main/pipeline/custom/own-code.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { ImportBatch } from '../../../src/main/recorder/protocol.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { openKnownTranscripts } from '../../../src/main/store/read/transcript-files.ts'
import { replicatedSessions, sessionsByProject } from '../../../src/main/store/read/changes.ts'
import { usagePage } from '../../../src/main/store/read/usage-export.ts'
import { costSeries, readSummary } from '../../../src/main/store/read/rollups.ts'
import { searchCoversSince } from '../../../src/main/store/read/search-covers-since.ts'
import { listSessions } from '../../../src/main/store/read/sessions.ts'
import type { Store } from '../../../src/main/store/store.ts'
import type { BatchSender } from '../../../src/main/transcripts/batch-sender.ts'
import type { ImportProgress } from '../../../src/main/transcripts/protocol.ts'
import { findTranscripts } from '../../../src/main/transcripts/thread/find-files.ts'
import { importFiles } from '../../../src/main/transcripts/thread/import-files.ts'
import { mayPreview } from '../../../src/main/transcripts/thread/preview/preview-pass.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { HASH_KEY, openTestStore, readStore, temporaryFolder } from '../../support/store/folder.ts'
import { writeTranscripts } from '../../support/store/generated-transcripts.ts'
import { reading } from '../../support/store/reading.ts'
import { answered, said, transcriptLines } from '../../support/store/transcript-lines.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const NO_USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_1h_input_tokens: 0,
  thinking_tokens: null,
  web_search_requests: 0,
  service_tier: null,
  speed: null,
  inference_geo: null,
}

/** Writes batches as the recorder does, a few drafts a commit, and checks the result of each. */
function senderTo(store: Store, onCommit: (batch: Pick<ImportBatch, 'preview'>) => void): BatchSender {
  return {
    async send({ drafts, checkpoints = [], forget, preview }) {
      let added = 0
      if (forget !== undefined) store.removal.forgetImported(forget)
      if (preview !== undefined) while (!store.ingest.preview(preview));
      for (let from = 0; from < drafts.length || from === 0; from += 7) {
        const isLast = from + 7 >= drafts.length
        if (drafts.length > 0 || checkpoints.length > 0)
          added += store.ingest.append(drafts.slice(from, from + 7), undefined, {
            checkpoints: isLast ? checkpoints : [],
          }).added.length
        onCommit(preview === undefined ? {} : { preview })
      }
      const answer = { type: 'committed', batch: 1, added, joined: 0, deleted: 0, dropped: 0 } as const
      return { answered: Promise.resolve(answer) }
    },
    connect: () => undefined,
    isConnected: () => true,
  }
}

const { redactor, timeouts } = createOwnCode({
  config: configSchema.parse({ redaction: { text_timeout_ms: 10_000 } }),
  dataDir: '/nonexistent',
  hashKey: HASH_KEY,
  withProcessors: false,
})

async function importOf(
  folder: string,
  dbPath: string,
  sender: BatchSender,
  previewFromBytes: number | null = 0,
): Promise<ImportProgress[]> {
  const reports: ImportProgress[] = []
  const known = openKnownTranscripts(dbPath)
  try {
    await importFiles({
      found: findTranscripts([folder]),
      promptHistories: [],
      known,
      redactor,
      sender,
      previewFromBytes,
      timeouts,
      isCancelled: () => false,
      onProgress: (progress) => void reports.push(progress),
    })
  } finally {
    known.close()
  }
  return reports
}

const near = (value: number) => Math.round(value * 1e9) / 1e9

/** Totals and costs by day: equal before and after the import, to a billionth. */
function sums(reader: Reader) {
  const { total_tokens, total_cost_usd, unpriced_calls, total_prompts } = readSummary(reader, {})
  const series = costSeries(reader, { bucket: 'day', utc_offset_minutes: 0 })
  return {
    totals: [total_tokens, near(total_cost_usd), unpriced_calls, total_prompts],
    days: series.map(({ bucket, model, calls, cost_usd, input_tokens, output_tokens }) =>
      JSON.stringify([bucket, model, calls, near(cost_usd), input_tokens, output_tokens]),
    ),
  }
}

/** All that a preview shows. */
function figures(dbPath: string) {
  return reading(dbPath, (reader) => ({
    ...sums(reader),
    sessions: listSessions(reader, { limit: 100 })
      .items.map(({ id, total_tokens: tokens, total_cost_usd: usd, prompts, model, agents, project, title }) =>
        JSON.stringify({ id, tokens, usd: near(usd), prompts, model, agents, project, title }),
      )
      .toSorted(),
    compactions: reader.all('SELECT session_id, timestamp FROM compactions ORDER BY 1, 2'),
    agents: reader.all('SELECT session_id, agent_id, agent_type FROM agents ORDER BY 1, 2'),
  }))
}

/** Reads again and again on one connection, as a reader thread does. */
function openLook(dbPath: string): () => ReturnType<typeof sums> {
  const db = openReader(dbPath)
  onTestFinished(() => void db.close())
  const budget = createBudget(new Int32Array(1))
  const reader = createReader(db, budget)
  return () => {
    budget.begin(0, 600_000)
    return sums(reader)
  }
}

const previewRows = (dbPath: string) =>
  reading(dbPath, (reader) =>
    ['files', 'sessions', 'items'].map(
      (name) => reader.get<{ n: number }>(`SELECT count(*) AS n FROM preview_${name}`)?.n ?? 0,
    ),
  )

/** Copies of all fixtures of one client that have a preview, and generated sessions for Claude Code. */
function everything(client: 'transcripts' | 'rollouts'): string {
  const folder = join(temporaryFolder(), 'projects')
  mkdirSync(folder)
  // A rollout that is one JSON object has no lines to look through: its figures come with the import.
  cpSync(join(FIXTURES, client), folder, { recursive: true, filter: (path) => !path.endsWith('.json') })
  if (client === 'transcripts') writeTranscripts(folder, { seed: 'preview', bytes: 120_000, bytesPerFile: 40_000 })
  return folder
}

/** Imports without a preview into a separate store. */
async function wholeImport(folder: string) {
  const { store, dbPath } = openTestStore()
  await importOf(
    folder,
    dbPath,
    senderTo(store, () => undefined),
    null,
  )
  return figures(dbPath)
}

test.each(['transcripts', 'rollouts'] as const)(
  '%s: figures stand at once, and no commit changes them',
  async (client) => {
    const folder = everything(client)
    const expected = await wholeImport(folder)
    const { store, dbPath } = openTestStore()
    const look = openLook(dbPath)
    let commits = 0
    const reports = await importOf(
      folder,
      dbPath,
      senderTo(store, ({ preview }) => {
        if (preview?.files !== undefined) return
        commits += 1
        const { totals, days } = expected
        expect(look(), `after commit ${commits}`).toEqual({ totals, days })
      }),
    )
    expect(commits).toBeGreaterThan(10)
    expect(figures(dbPath)).toEqual(expected)
    expect(previewRows(dbPath)).toEqual([0, 0, 0])
    // Search covers more and more, until no file is left.
    const covered = reports.map((report) => report.search_covers_since)
    expect(covered.at(-1)).toBeNull()
    expect(covered.filter((since) => since !== null).length).toBeGreaterThan(0)
    expect(reports.some(({ previewing }) => previewing)).toBe(true)
  },
)

test('killed within either pass, an import goes on, and figures never count twice', async () => {
  const folder = everything('transcripts')
  const expected = await wholeImport(folder)
  const dataDir = temporaryFolder()
  const dbPath = join(dataDir, 'lifestats.db')
  const killedIn: string[] = []
  for (let commits = 1, isDone = false; !isDone; commits += 6) {
    const { store } = openTestStore({ dataDir })
    let left = commits
    const sender = senderTo(store, ({ preview }) => {
      left -= 1
      if (left > 0) return
      killedIn.push(preview === undefined ? 'second pass' : 'first pass')
      throw new Error('killed')
    })
    const done = importOf(folder, dbPath, sender)
    const ending = await done.then(() => 'done', String)
    expect(ending).toMatch(/^done$|killed/)
    isDone = ending === 'done'
    const [tokens = 0, usd = 0, , prompts = 0] = figures(dbPath).totals
    const [mostTokens = 0, mostUsd = 0, , mostPrompts = 0] = expected.totals
    expect([tokens <= mostTokens, usd <= mostUsd + 1e-9, prompts <= mostPrompts]).toEqual([true, true, true])
    store.close()
  }
  expect(killedIn.length).toBeGreaterThan(3)
  expect(new Set(killedIn)).toEqual(new Set(['first pass', 'second pass']))
  openTestStore({ dataDir })
  expect(figures(dbPath)).toEqual(expected)
  expect(previewRows(dbPath)).toEqual([0, 0, 0])
})

/** Imports only the figures of a folder: the process ends before the second pass. */
async function previewOnly(folder: string, store: Store, dbPath: string): Promise<void> {
  const sender = senderTo(store, () => undefined)
  const ended = importOf(folder, dbPath, {
    ...sender,
    async send(batch) {
      if (batch.preview === undefined) throw new Error('killed')
      return sender.send(batch)
    },
  })
  await expect(ended).rejects.toThrow('killed')
}

function projectOf(...sessions: readonly (readonly [name: string, lines: readonly string[]])[]): string {
  const folder = join(temporaryFolder(), 'projects')
  mkdirSync(folder)
  for (const [name, lines] of sessions) writeFileSync(join(folder, `${name}.jsonl`), lines.join(''))
  return folder
}

const SECRET = `sk-ant-api03-${'Zq8Lw3xTn5Rb7Kd2'.repeat(6)}`
const told = (session: string, prompt: string) =>
  transcriptLines(session, [
    said(prompt),
    ...answered(`msg_${session}`, { type: 'text', text: `answer of ${session}` }),
  ])

test('a preview is marked, holds no text but redacted titles, and stays out of what leaves the machine', async () => {
  const folder = projectOf(['one', told('one', `use ${SECRET} for the deployment`)], ['two', told('two', 'second')])
  const { store, dbPath } = openTestStore()
  await previewOnly(folder, store, dbPath)
  reading(dbPath, (reader) => {
    const { items } = listSessions(reader, { limit: 10 })
    expect(items.map(({ id, preview, prompts }) => [id, preview, prompts]).toSorted()).toEqual([
      ['one', true, 1],
      ['two', true, 1],
    ])
    expect(items.find(({ id }) => id === 'one')?.title).toMatch(/^use \S+ for the deployment$/)
    expect(readSummary(reader, {}).preview).toBe(true)
    expect(searchCoversSince(reader)).toMatch(/^2026-/)
    expect(usagePage(reader, { session_id: 'one', limit: 10 }).items).toEqual([])
    expect(sessionsByProject(reader)).toEqual([])
    expect(replicatedSessions(reader, ['one', 'two'])).toEqual([])
  })
  const backup = join(temporaryFolder(), 'backup.db')
  await store.maintenance.backup(backup, () => undefined)
  expect(previewRows(backup)).toEqual([0, 0, 0])
  const stored = readStore(dbPath, (db) =>
    ['files', 'sessions', 'items'].map((name) => JSON.stringify(db.prepare(`SELECT * FROM preview_${name}`).all())),
  ).join('')
  expect(stored).not.toContain(SECRET.slice(0, 24))
  expect(stored).not.toContain('answer of')
})

test('a session that is shown only by its preview can be deleted, now or soon', async () => {
  const folder = projectOf(['one', told('one', 'first')], ['two', told('two', 'second')])
  const { store, dbPath } = openTestStore()
  await previewOnly(folder, store, dbPath)
  const ids = () => reading(dbPath, (reader) => listSessions(reader, { limit: 10 }).items.map(({ id }) => id))
  const calls = () => reading(dbPath, (reader) => readSummary(reader, {}).total_prompts)
  store.pendingDeletions.request('d', ['one'], '2026-11-22T10:00:10.000Z')
  expect(ids()).toEqual(['two'])
  store.pendingDeletions.undo(['one'])
  expect(ids().toSorted()).toEqual(['one', 'two'])
  store.removal.deleteSession('one')
  expect([ids(), calls()]).toEqual([['two'], 1])
  await importOf(
    folder,
    dbPath,
    senderTo(store, () => undefined),
  )
  expect([ids(), calls()]).toEqual([['two'], 1])
  expect(previewRows(dbPath)).toEqual([0, 0, 0])
})

test('what the traffic told of is not previewed, and takes the place of what was', async () => {
  const folder = projectOf(['one', told('one', 'first')], ['two', told('two', 'second')])
  const { store, dbPath } = openTestStore()
  const wire = (session: string): AnyDraft[] => {
    const base = { session_id: session, agent_id: null, ts_monotonic: null, parents: [], source: 'wire' } as const
    const ts_wall = '2026-11-21T10:00:00.000Z'
    const usage = { ...NO_USAGE, input_tokens: 1000, output_tokens: 1000 }
    const payload = { message_id: `msg_${session}`, model: 'claude-sonnet-4-5', usage, request_kind: null, ttft_ms: 1 }
    return [
      { ...base, ts_wall, kind: 'user_prompt', payload: { text: session }, keys: [`exchange:${session}:prompt:0`] },
      {
        ...base,
        ts_wall,
        kind: 'api_usage',
        payload: { ...payload, basis: 'measured' },
        keys: [`usage:msg_${session}`],
      },
    ]
  }
  store.ingest.append(wire('one'))
  await previewOnly(folder, store, dbPath)
  const summary = () => reading(dbPath, (reader) => readSummary(reader, {}))
  const before = summary()
  expect(before.total_prompts).toBe(2)
  store.ingest.append(wire('two'))
  const after = summary()
  expect(after.total_prompts).toBe(2)
  expect(after.total_tokens).toBe(4000)
})

test('lines that break rules change nothing of the other figures', async () => {
  const hostile = [
    '{"type":"assistant","message":{"id":"msg_x","usage":{"input_tokens":-5,"output_tokens":1e300}}}\n',
    '{"type":"assistant","timestamp":"2026-11-21T10:00:00.000Z","sessionId":"one","message":{"id":"msg_y","model":["m"],"usage":{"input_tokens":"7"}}}\n',
    '{"type":"user","uuid":7,"message":{"content":[{"type":"tool_result"}]}}\n',
    `{"type":"user","toolUseResult":${'['.repeat(5000)}${']'.repeat(5000)},"message":{"content":[]}}\n`,
    '{"type":"summary","summary":{"a":1},"leafUuid":[]}\n',
    'null\n\u0000\n{"type":"user"\n[]\n"\n',
  ]
  const folder = projectOf(['one', [...hostile, ...told('one', 'first'), ...hostile]], ['two', hostile])
  const expected = await wholeImport(folder)
  const { store, dbPath } = openTestStore()
  await previewOnly(folder, store, dbPath)
  expect(figures(dbPath).totals).toEqual(expected.totals)
  await importOf(
    folder,
    dbPath,
    senderTo(store, () => undefined),
  )
  expect(figures(dbPath)).toEqual(expected)
})

test('a file that is gone before it was read whole leaves no figures behind', async () => {
  const folder = projectOf(['one', told('one', 'first')], ['two', told('two', 'second')])
  const { store, dbPath } = openTestStore()
  await previewOnly(folder, store, dbPath)
  rmSync(join(folder, 'one.jsonl'))
  await importOf(
    folder,
    dbPath,
    senderTo(store, () => undefined),
  )
  expect(previewRows(dbPath)).toEqual([0, 0, 0])
  expect(reading(dbPath, (reader) => listSessions(reader, { limit: 10 }).items.map(({ id }) => id))).toEqual(['two'])
})

test('with settings that may drop events, nothing is previewed', () => {
  expect(mayPreview(configSchema.parse({}))).toBe(true)
  expect(mayPreview(configSchema.parse({ filter: { drop_projects: ['/secret/**'] } }))).toBe(false)
  expect(mayPreview(configSchema.parse({ filter: { sample: { thinking: 0.5 } } }))).toBe(false)
  expect(mayPreview(configSchema.parse({ processors: { modules: [{ path: 'own.js' }] } }))).toBe(false)
})
