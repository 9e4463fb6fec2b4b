import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import type { PriceTable } from '../../../src/main/store/pricing/pricing.ts'
import { checkTextIndexes, withWriter } from '../../support/store/projection-rows.ts'
import { openTestStore, readStore } from '../../support/store/folder.ts'
import { blockFact, promptFact, resultFact, commonFields, usageFact, usageOf } from '../../support/store/history.ts'

/** USD per million tokens: all costs below are multiples of an eighth of a dollar and therefore exact. */
const rates = { input: 1, output: 4, cache_read: 0.5, cache_write_5m: 2, cache_write_1h: 8 }
const prices: PriceTable = {
  web_search_usd_per_1000: 500,
  inference_geo_us_multiplier: 1,
  models: [{ model: 'claude-priced-1', from: '2026-01-01', fast_multiplier: 1, ...rates }],
}
const MINUTE = 60_000
const K = 1000
const TOKENS = { quarter: 250 * K, half: 500 * K, whole: 1000 * K }

const wireOnly = (draft: AnyDraft | undefined): AnyDraft[] => (draft ? [draft] : [])

/** Two sessions over three quarters of an hour; several sources report most facts. */
function history(): AnyDraft[] {
  const call = naturalKey.block('m2', 1)
  const usage = (
    session: string,
    message: string,
    atMs: number,
    fields: Parameters<typeof usageOf>[0],
    model = 'claude-priced-1',
  ) => usageFact(session, message, naturalKey.block(message, 0), atMs, usageOf(fields), model).reports
  const cut = usage('two', 'm5', 33 * MINUTE, { output_tokens: TOKENS.half })[0]
  return [
    ...promptFact('one', 'p1', 'paint the orbit', 0).reports,
    ...blockFact('one', 'm1', 0, MINUTE, { thinking: 'ellipses are kind' }, []).reports,
    // Input 1.00, output 2.00.
    ...usage('one', 'm1', 2 * MINUTE, { input_tokens: TOKENS.whole, output_tokens: TOKENS.half }),
    ...blockFact('one', 'm2', 0, 16 * MINUTE, { text: 'I list the files' }, []).reports,
    ...blockFact('one', 'm2', 1, 16 * MINUTE + 1, { call: 'c1', input: { command: 'ls' } }, []).reports,
    ...resultFact('one', 'c1', 'error: no such orbit', 16 * MINUTE + 2).reports,
    // Cache read 0.125, cache writes 1.00 and 2.00, a search 0.50.
    ...usage('one', 'm2', 17 * MINUTE, {
      cache_read_input_tokens: TOKENS.quarter,
      cache_creation_input_tokens: TOKENS.half + TOKENS.quarter,
      cache_creation_1h_input_tokens: TOKENS.quarter,
      web_search_requests: 1,
    }),
    ...usage('one', 'm3', 18 * MINUTE, { input_tokens: 7 }, 'claude-nobody-knows-1'),
    ...promptFact('two', 'p2', 'and the moon', 31 * MINUTE).reports,
    ...blockFact('two', 'm4', 0, 32 * MINUTE, { thinking: 'it has phases' }, []).reports,
    // Output 4.00; the smaller reports arrive first.
    ...usage('two', 'm4', 32 * MINUTE + 1, { output_tokens: TOKENS.whole }).toReversed(),
    // Output 2.00, reported only by the wire.
    ...wireOnly(cut),
    {
      ...commonFields('wire', 'two', 34 * MINUTE),
      kind: 'error',
      payload: { origin: 'upstream', type: 'overloaded_error', message: 'overloaded', status: 529 },
      keys: [],
      parents: [call],
    },
  ]
}

/** The expected values, counted by hand from the history above. */
const COUNTED = {
  usage: [
    ['m1', 3],
    ['m2', 3.625],
    ['m3', null],
    ['m4', 4],
    ['m5', 2],
  ],
  sessions: [
    ['one', 6.625, 1, 2_500_007, 1, 1, 1, 0],
    ['two', 6, 0, 1_500_000, 1, 0, 1, 1],
  ],
  turns: [
    ['one', 1, 3, 6.625, 2_500_007, 1],
    ['two', 1, 2, 6, 1_500_000, 0],
  ],
  rollups: [
    ['2026-11-20T10:00', '', 0, 0, 0, 1, 0, 1, 0],
    ['2026-11-20T10:00', 'claude-priced-1', 1, 3, 0, 0, 0, 0, 0],
    ['2026-11-20T10:15', '', 0, 0, 0, 0, 1, 0, 0],
    ['2026-11-20T10:15', 'claude-nobody-knows-1', 1, 0, 1, 0, 0, 0, 0],
    ['2026-11-20T10:15', 'claude-priced-1', 1, 3.625, 0, 0, 0, 0, 0],
    ['2026-11-20T10:30', '', 0, 0, 0, 1, 0, 1, 1],
    ['2026-11-20T10:30', 'claude-priced-1', 2, 6, 0, 0, 0, 0, 0],
  ],
  tools: [['2026-11-20', 'Bash', 1, 0, 1]],
  found: [1, 1, 1, 1],
}

function tables(db: Database.Database): typeof COUNTED {
  const rows = (sql: string) => db.prepare(sql).raw().all() as never[]
  const hits = (table: string, word: string) =>
    Number(db.prepare(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`).pluck().get(word))
  return {
    usage: rows(
      "SELECT json_extract(e.payload, '$.message_id'), u.cost_usd FROM api_usage u LEFT JOIN events e ON e.uuid = u.event_uuid ORDER BY 1",
    ),
    sessions: rows(
      'SELECT id, total_cost_usd, unpriced_calls, total_tokens, prompts, tool_calls, thinking_blocks, errors FROM sessions ORDER BY id',
    ),
    turns: rows(
      'SELECT session_id, turn_id, calls, cost_usd, tokens, unpriced_calls FROM turns ORDER BY session_id, turn_id',
    ),
    rollups: rows(
      `SELECT quarter, model, sum(calls), sum(cost_usd), sum(unpriced_calls), sum(prompts), sum(tool_calls), sum(thinking_blocks), sum(errors)
       FROM rollups GROUP BY quarter, model ORDER BY quarter, model`,
    ),
    tools: rows('SELECT day, tool_name, calls, succeeded, failed FROM tool_rollups ORDER BY day, tool_name'),
    found: [
      hits('prompts_fts', 'orbit'),
      hits('thinking_fts', 'ellipses'),
      hits('responses_fts', 'files'),
      hits('errors_fts', 'overloaded'),
    ],
  }
}

/** Counts events of each kind with plain SQL over the log, and rows of the table derived from them. */
const COPIES = {
  user_prompts: 'user_prompt',
  thinking_blocks: 'thinking',
  assistant_responses: 'assistant_text',
  tool_calls: 'tool_call',
  tool_results: 'tool_result',
  api_usage: 'api_usage',
  errors: 'error',
}
const copies = (db: Database.Database) =>
  Object.keys(COPIES).map((table) => [
    table,
    db.prepare(`SELECT event_uuid, session_id, turn_id FROM ${table} ORDER BY id`).raw().all(),
  ])
const ofLog = (db: Database.Database) =>
  Object.entries(COPIES).map(([table, kind]) => [
    table,
    db.prepare('SELECT uuid, session_id, turn_id FROM events WHERE kind = ? ORDER BY id').raw().all(kind),
  ])

const EMPTIED = [...Object.keys(COPIES), 'sessions', 'turns', 'rollups', 'tool_rollups', 'event_counts', 'ancestry']
  .map((table) => `DELETE FROM ${table};`)
  .join('\n')
const COSTS_CHANGED = `UPDATE api_usage SET cost_usd = 1000 + id, output_tokens = output_tokens + 1;
  UPDATE sessions SET total_cost_usd = -1, total_tokens = 5, unpriced_calls = 9, prompts = 77;
  UPDATE turns SET cost_usd = 0.5, tokens = 1; UPDATE rollups SET cost_usd = cost_usd * 2, calls = calls + 3;
  UPDATE tool_rollups SET failed = 0, succeeded = 12;`
const ROWS_DELETED = `DELETE FROM api_usage WHERE id % 2 = 0; DELETE FROM rollups WHERE quarter < '2026-11-20T10:30';
  DELETE FROM user_prompts WHERE session_id = 'one'; DELETE FROM thinking_blocks; DELETE FROM turns WHERE session_id = 'two';`
const WRONG_ROWS = `INSERT INTO sessions (id, started_at, last_event_at, source, total_cost_usd) VALUES ('ghost', '2026-01-01', '2026-01-01', 'hook', 99);
  INSERT INTO api_usage SELECT id + 100000, event_uuid, 'ghost', turn_id, agent_id, timestamp, 'claude-ghost-1', 1, 1, 1, 1, 1, 1, 1, speed, inference_geo, 99, basis, request_kind, ttft_ms, duration_ms, service_tier, price_basis, context_tokens FROM api_usage;
  INSERT INTO rollups (quarter, project, model, calls, cost_usd) VALUES ('2026-11-20T10:00', 'ghost', 'claude-priced-1', 5, 99);
  INSERT INTO turns (session_id, turn_id, started_at, last_event_at, cost_usd) VALUES ('ghost', 1, '2026-01-01', '2026-01-01', 99);
  INSERT INTO errors SELECT id + 100000, event_uuid, 'ghost', turn_id, agent_id, timestamp, origin, type, status, content FROM errors;
  INSERT INTO errors_fts (errors_fts) VALUES ('rebuild');`

test.each([
  ['emptied', EMPTIED],
  ['with wrong costs', COSTS_CHANGED],
  ['with missing rows', ROWS_DELETED],
  ['with wrong costs, missing rows and wrong rows', COSTS_CHANGED + ROWS_DELETED + WRONG_ROWS],
  ['emptied and filled with rows without events', EMPTIED + WRONG_ROWS],
])('a rebuild of tables %s matches a count by hand, costs included', (_, spoil) => {
  const { store, folder, dbPath } = openTestStore({ prices })
  store.ingest.append(history())
  store.close()
  expect(readStore(dbPath, tables)).toEqual(COUNTED)
  withWriter(dbPath, (db) => {
    db.pragma('foreign_keys = OFF')
    db.exec(spoil)
    expect(tables(db)).not.toEqual(COUNTED)
  })
  const { store: again } = openTestStore({ prices, dataDir: folder })
  for (const progress of again.maintenance.rebuild()) expect(progress.done).toBe(false)
  again.close()
  withWriter(dbPath, (db) => {
    expect(tables(db)).toEqual(COUNTED)
    expect(copies(db)).toEqual(ofLog(db))
    expect(db.prepare('SELECT kind, events FROM event_counts ORDER BY kind').raw().all()).toEqual(
      db.prepare('SELECT kind, count(*) FROM events GROUP BY kind ORDER BY kind').raw().all(),
    )
    checkTextIndexes(db)
    expect(db.pragma('foreign_key_check')).toEqual([])
  })
})
