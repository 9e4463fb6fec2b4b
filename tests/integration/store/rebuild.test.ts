import { expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import type { ForeignEvent } from '../../../src/main/store/transfer/restore-events.ts'
import { rebuildInSteps, rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { FULL_TEXT } from '../../../src/main/store/tables.ts'
import {
  checkTextIndexes,
  contentsOfProjections,
  PROJECTION_TABLES,
  withWriter,
} from '../../support/store/projection-rows.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { withRequests } from '../../support/store/cached-requests.ts'
import { promptFact, seeded, sessionFacts, commonFields } from '../../support/store/history.ts'
import { few } from '../../support/runner/heavy.ts'

/** Returns reports of several sessions, out of order within a window, some duplicated, some from only one source. */
function disordered(seed: number): AnyDraft[] {
  const random = seeded(seed)
  const drafts = ['s1', 's2', 's3'].flatMap((session, at) =>
    sessionFacts(session, 60, random, at * 3_600_000).flatMap((fact) =>
      fact.reports.filter(() => random() < 0.9).flatMap((draft) => (random() < 0.05 ? [draft, draft] : [draft])),
    ),
  )
  const forked = drafts.filter((draft) => draft.source === 'transcript' && draft.session_id === 's1' && random() < 0.3)
  drafts.push(...forked.map((draft) => ({ ...draft, session_id: 'fork' })))
  const sorted = drafts
    .map((draft, at) => ({ draft, at: at + random() * (random() < 0.02 ? 2000 : 12) }))
    .sort((a, b) => a.at - b.at)
    .map(({ draft }) => draft)
  return withRequests(sorted, random)
}

test.each(few([1, 2, 3], 1))('a rebuild reproduces the rows written event by event (seed %i)', (seed) => {
  const { store, dbPath } = openTestStore()
  const drafts = disordered(seed)
  const random = seeded(seed + 100)
  for (let at = 0; at < drafts.length;) {
    const size = 1 + Math.floor(random() * 120)
    store.ingest.append(drafts.slice(at, at + size))
    at += size
  }
  store.close()
  withWriter(dbPath, (db) => {
    checkTextIndexes(db)
    const followed = contentsOfProjections(db)
    const empty = Object.keys(followed).filter((table) => followed[table]?.length === 0)
    expect(empty).toEqual(['compactions', 'joined_turns'])
    const count = rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(count).toBe(db.prepare('SELECT count(*) FROM events').pluck().get())
    expect(count).toBeGreaterThan(1500)
    const rebuilt = contentsOfProjections(db)
    for (const table of PROJECTION_TABLES) expect(rebuilt[table], table).toEqual(followed[table])
    checkTextIndexes(db)
  })
})

test('a rebuild in many steps leaves few segments in each full-text index, and lets FTS5 merge by itself again', () => {
  const { store, dbPath } = openTestStore()
  for (const session of ['s1', 's2', 's3'])
    store.ingest.append(sessionFacts(session, 100, seeded(3)).flatMap((fact) => fact.reports))
  store.close()
  withWriter(dbPath, (db) => {
    const steps = [...rebuildInSteps(db, { pricing: createPricing(), hashKey: HASH_KEY, sliceMs: 0 }, () => undefined)]
    expect(steps.length).toBeGreaterThan(20)
    for (const index of FULL_TEXT.keys()) {
      const segments = db.prepare<[], number>(`SELECT count(DISTINCT segid) FROM ${index}_idx`).pluck()
      expect(segments.get(), index).toBeLessThan(16)
      const settings = db.prepare(`SELECT k FROM ${index}_config WHERE k <> 'version'`)
      expect(settings.all(), index).toEqual([])
    }
    checkTextIndexes(db)
  })
})

test('one projection is rebuilt without the others: prompts survive their sessions', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(sessionFacts('s', 5, seeded(9)).flatMap((fact) => fact.reports))
  store.close()
  withWriter(dbPath, (db) => {
    const before = contentsOfProjections(db)
    db.exec(`UPDATE sessions SET total_tokens = 1, title = 'wrong'`)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY, only: ['sessions'] })
    expect(contentsOfProjections(db)).toEqual(before)
    expect(() => rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY, only: ['nothing'] })).toThrow(
      /no projection nothing: there are sessions/,
    )
  })
})

test('totals equal a recount from the log, whichever source reported first', () => {
  const facts = sessionFacts('s', 20, seeded(4))
  const totals = [0, 1, 2].map((shift) => {
    const { store, dbPath } = openTestStore()
    for (const { reports } of facts)
      store.ingest.append(reports.map((_, at) => reports[(at + shift) % reports.length] as AnyDraft))
    store.close()
    return withWriter(dbPath, (db) => ({
      session: db
        .prepare(
          'SELECT prompts, total_tokens, total_cost_usd, unpriced_calls, tool_calls, thinking_blocks, errors FROM sessions',
        )
        .get(),
      usage: db
        .prepare(
          `SELECT sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens) AS tokens,
             sum(cost_usd) AS cost, sum(cost_usd IS NULL) AS unpriced FROM api_usage`,
        )
        .get(),
      rollups: db
        .prepare(
          `SELECT sum(calls) AS calls, sum(cost_usd) AS cost, sum(unpriced_calls) AS unpriced, sum(prompts) AS prompts,
             sum(lower_bound_calls) AS lower_bound FROM rollups`,
        )
        .get(),
    }))
  })
  const [first] = totals
  expect(totals[1]).toEqual(first)
  expect(totals[2]).toEqual(first)
  const usages = facts.flatMap(({ reports }) =>
    reports.filter(({ kind, source }) => kind === 'api_usage' && source === 'wire'),
  )
  const tokens = usages.reduce((sum, draft) => {
    const { usage } = (draft as AnyDraft & { kind: 'api_usage' }).payload
    return (
      sum + usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
    )
  }, 0)
  expect(first?.session).toMatchObject({ prompts: 20, total_tokens: tokens })
  expect(first?.rollups).toMatchObject({ calls: usages.length, prompts: 20, lower_bound: 0 })
  expect(first?.usage).toMatchObject({ tokens })
})

test('late parents move their whole subtree; cycles are cut at their oldest event, in any order', () => {
  const note = (id: string, parents: string[]): AnyDraft => ({
    ...commonFields('hook', 's', 1000),
    kind: 'notification',
    payload: { text: id },
    keys: [`note:${id}`],
    parents,
  })
  const { store, dbPath } = openTestStore()
  // d waits for c, c for b, b for the prompt; then two that name each other, and one below them.
  for (const [id, parent] of [
    ['d', 'note:c'],
    ['c', 'note:b'],
    ['b', naturalKey.promptId('p')],
  ] as const)
    store.ingest.append([note(id, [parent])])
  store.ingest.append(promptFact('s', 'p', 'start', 0).reports)
  store.ingest.append([note('x', ['note:y'])])
  store.ingest.append([note('y', ['note:z'])])
  store.ingest.append([note('z', ['note:x'])])
  store.ingest.append([note('under', ['note:y'])])
  store.close()
  withWriter(dbPath, (db) => {
    const lineage = db.prepare(
      `SELECT json_extract(e.payload, '$.text') AS text, json_extract(p.payload, '$.text') AS parent, l.depth, l.cut,
         json_extract(r.payload, '$.text') AS root
       FROM lineage l JOIN events e ON e.uuid = l.uuid JOIN events r ON r.uuid = l.root_uuid
       LEFT JOIN events p ON p.uuid = l.parent_uuid ORDER BY text`,
    )
    const expected = [
      { text: 'b', parent: 'start', depth: 1, cut: 0, root: 'start' },
      { text: 'c', parent: 'b', depth: 2, cut: 0, root: 'start' },
      { text: 'd', parent: 'c', depth: 3, cut: 0, root: 'start' },
      { text: 'start', parent: null, depth: 0, cut: 0, root: 'start' },
      { text: 'under', parent: 'y', depth: 3, cut: 0, root: 'x' },
      { text: 'x', parent: null, depth: 0, cut: 1, root: 'x' },
      { text: 'y', parent: 'z', depth: 2, cut: 0, root: 'x' },
      { text: 'z', parent: 'x', depth: 1, cut: 0, root: 'x' },
    ]
    expect(lineage.all()).toEqual(expected)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY, only: ['lineage'] })
    expect(lineage.all()).toEqual(expected)
  })
})

test('a parent stored after a restart finds the child that named it', () => {
  const noted = (uuid: string, seq: number, parent_uuid: string | null): ForeignEvent => ({
    event: {
      uuid,
      session_id: 's',
      turn_id: 1,
      seq,
      agent_id: null,
      parent_uuid,
      kind: 'notification',
      source: 'transcript',
      ts_wall: `2026-11-01T10:00:0${seq}.000Z`,
      ts_monotonic: null,
      duration_ms: null,
      success: null,
      error_message: null,
      request_id: null,
      user_id: null,
      project: '/work/app',
      schema_version: 1,
      payload: { text: uuid },
    },
    keys: [`note:${uuid}`],
    parent_keys: [],
    sightings: [{ source: 'transcript', session_id: 's', seen_at: '2026-11-01T10:00:00.000Z', payload: null }],
    contents: {},
  })
  const first = openTestStore()
  first.store.ingest.restoreEvents([noted('child', 1, 'parent'), noted('grandchild', 2, 'child')])
  first.store.close()
  const { store, dbPath } = openTestStore({ dataDir: first.folder })
  store.ingest.restoreEvents([noted('parent', 0, null)])
  store.close()
  withWriter(dbPath, (db) => {
    const lineage = db.prepare('SELECT uuid, parent_uuid, root_uuid, depth FROM lineage ORDER BY depth')
    const expected = [
      { uuid: 'parent', parent_uuid: null, root_uuid: 'parent', depth: 0 },
      { uuid: 'child', parent_uuid: 'parent', root_uuid: 'parent', depth: 1 },
      { uuid: 'grandchild', parent_uuid: 'child', root_uuid: 'parent', depth: 2 },
    ]
    expect(lineage.all()).toEqual(expected)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY, only: ['lineage'] })
    expect(lineage.all()).toEqual(expected)
  })
})

test('a rebuild gives a folder of Windows one spelling, where an older store has several', () => {
  const { store, dbPath } = openTestStore()
  const sessions = ['s1', 's2', 's3'].flatMap((session, at) => sessionFacts(session, 20, seeded(at), at * 3_600_000))
  const drafts = sessions.flatMap((fact) => fact.reports)
  store.ingest.append(drafts.map((draft) => ({ ...draft, project: String.raw`W:\Ferry` })))
  store.close()
  withWriter(dbPath, (db) => {
    const projects = db.prepare<[], string>('SELECT DISTINCT project FROM events ORDER BY 1').pluck()
    const live = contentsOfProjections(db)
    db.exec(`INSERT INTO metadata VALUES ('log_open', 'test');
      UPDATE events SET project = 'w:/ferry/' WHERE session_id = 's2'; UPDATE sessions SET project = 'w:/ferry/' WHERE id = 's2';
      UPDATE events SET project = 'W:\\ferry' WHERE session_id = 's3' AND id % 2; DELETE FROM metadata WHERE key = 'log_open'`)
    const older = projects.all()
    expect(older).toHaveLength(3)
    // The sums of the other projections have the spellings of the log.
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY, only: ['tool_calls'] })
    expect(projects.all()).toEqual(older)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(projects.all()).toEqual([String.raw`W:\Ferry`])
    const rebuilt = contentsOfProjections(db)
    for (const table of PROJECTION_TABLES) expect(rebuilt[table], table).toEqual(live[table])
    expect(() => db.exec("UPDATE events SET project = 'x'")).toThrow(/append-only|changed/i)
  })
})
