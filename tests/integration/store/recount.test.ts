import { appendFileSync, createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { exportPage } from '../../../src/main/store/read/export.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { reading } from '../../support/store/reading.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { createRecount, type Recounted, type SessionCounts } from '../../support/store/recount.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { blockFact, promptFact, seeded, sessionFacts, commonFields } from '../../support/store/history.ts'

const EVENTS = runs(1000, 100_000)
/** The approximate number of events in a generated session. */
const SESSION_EVENTS = 560
const TURNS = 60

/** Yields one session as it arrives: some reports duplicated, some missing, out of order, resumed, its lines copied by a fork. */
function* reports(session: string, random: () => number, startMs: number): Generator<AnyDraft> {
  const facts = sessionFacts(session, TURNS, random, startMs).flatMap((fact) =>
    fact.reports.filter(() => random() < 0.9).flatMap((draft) => (random() < 0.05 ? [draft, draft] : [draft])),
  )
  const later = startMs + 30 * 3_600_000
  const resumed: AnyDraft[] = [
    {
      ...commonFields('hook', session, later),
      kind: 'session_started',
      payload: { start: 'resume' },
      keys: [`start:${session}`],
      parents: [],
    },
    ...promptFact(session, `${session}-again`, 'where were we', later + 1000).reports,
    ...blockFact(session, `msg-${session}-again`, 0, later + 2000, { text: 'right here' }, [
      `line:line-${session}-again`,
    ]).reports,
  ]
  const forked = facts.filter((draft) => draft.source === 'transcript' && random() < 0.3)
  yield* [
    ...facts,
    ...resumed,
    ...(random() < 0.3 ? forked.map((draft) => ({ ...draft, session_id: `${session}-fork` })) : []),
  ]
    .map((draft, at) => ({ draft, at: at + random() * (random() < 0.02 ? 2000 : 12) }))
    .sort((a, b) => a.at - b.at)
    .map(({ draft }) => draft)
}

function fill(seed: number): { readonly folder: string; readonly dbPath: string } {
  const { store, folder, dbPath } = openTestStore()
  const random = seeded(seed)
  let waiting: AnyDraft[] = []
  const flush = () => {
    if (waiting.length > 0) store.ingest.append(waiting)
    waiting = []
  }
  for (let at = 0; at * SESSION_EVENTS < EVENTS; at += 1)
    for (const draft of reports(`s${at}`, random, at * 1_800_000)) {
      waiting.push(draft)
      if (random() < 0.004) flush()
    }
  flush()
  store.close()
  return { folder, dbPath }
}

function exportTo(file: string, dbPath: string): void {
  reading(dbPath, (reader) => {
    let cursor: string | undefined
    do {
      const page = exportPage(reader, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) })
      appendFileSync(file, page.items.map((item) => `${JSON.stringify(item)}\n`).join(''))
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
  })
}

async function recount(file: string): Promise<Recounted> {
  const counting = createRecount()
  for await (const line of createInterface({ input: createReadStream(file) })) counting.take(line)
  return counting.result()
}

/** Returns the values of the tables in the form of a recount. */
function tableCounts(db: Database.Database): Recounted {
  const rows = <Row>(sql: string) => db.prepare<[], Row>(sql).all()
  const prompts = new Map<string, string[]>()
  for (const { id, uuid } of rows<{ id: string; uuid: string }>(
    'SELECT session_id AS id, event_uuid AS uuid FROM user_prompts ORDER BY session_id, prompt_number',
  ))
    prompts.set(id, [...(prompts.get(id) ?? []), uuid])
  return {
    events: Number(db.prepare('SELECT sum(events) FROM event_counts').pluck().get()),
    sessions: new Map(
      rows<SessionCounts & { readonly id: string }>(
        `SELECT id, prompts, tool_calls, thinking_blocks, errors, turn_count, total_tokens, started_at, last_event_at FROM sessions`,
      ).map(({ id, ...counts }) => [id, counts]),
    ),
    rollups: new Map(
      db
        .prepare<[], [string, ...number[]]>(
          `SELECT quarter || '|' || project || '|' || model, calls, input_tokens, output_tokens, cache_read_tokens,
             cache_creation_tokens, prompts, tool_calls, thinking_blocks, errors FROM rollups`,
        )
        .raw()
        .all()
        .map(([key, ...sums]) => [key, sums]),
    ),
    usage: new Map(
      rows<{ uuid: string; tokens: number }>(
        `SELECT event_uuid AS uuid, input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens AS tokens FROM api_usage`,
      ).map(({ uuid, tokens }) => [uuid, tokens]),
    ),
    prompts,
    lineage: new Map(
      rows<{ uuid: string; parent: string | null; root: string; depth: number }>(
        'SELECT uuid, parent_uuid AS parent, root_uuid AS root, depth FROM lineage',
      ).map(({ uuid, ...node }) => [uuid, node]),
    ),
  }
}

test(
  `${EVENTS} events out of order: live tables, rebuilt tables and an independent count of an export are the same`,
  { timeout: runs(600_000, 1_800_000) },
  async () => {
    const { folder, dbPath } = fill(SEED)
    const file = join(folder, 'export.jsonl')
    exportTo(file, dbPath)
    const counted = await recount(file)
    expect(counted.events).toBeGreaterThan(EVENTS * 0.9)
    expect([...counted.lineage.values()].filter(({ depth }) => depth > 3).length).toBeGreaterThan(EVENTS / 10)
    withWriter(dbPath, (db) => {
      const followed = tableCounts(db)
      for (const part of ['events', 'sessions', 'rollups', 'usage', 'prompts', 'lineage'] as const)
        expect(followed[part], part).toEqual(counted[part])
      const before = contentsOfProjections(db)
      rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
      const after = contentsOfProjections(db)
      for (const table of Object.keys(before)) expect(after[table], table).toEqual(before[table])
    })
  },
)
