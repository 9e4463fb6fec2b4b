import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { ReaderName } from '../../../src/main/dispatch/handlers.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { findOperation, OPERATIONS } from '../../../src/shared/contract/index.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** Inputs that together reach every query of the readers. */
const INPUTS: { readonly [Name in ReaderName]: readonly object[] } = {
  'recall.search': [
    { query: 'theme colors' },
    { query: 'why theme', tools: true, project: '/p', since: '7d', until: '2030-01-01', session_id: 's1' },
    { query: 'theme model:claude agent:main kind:thinking' },
    { query: 'x agent:a1 tool:Bash' },
    { query: 'kind:prompt' },
    { query: 'kind:episode' },
    { query: 'kind:prompt NOT x', prefix: true },
    { query: 'kind:prompt NOT x*' },
    { query: 'kind:episode since:7d session:s1' },
    { query: '"theme colors" OR x -"the theme"', tools: true },
    { query: 'text:theme', syntax: 'fts5' },
  ],
  'recall.pack': [{ uuids: ['e1', 'e3'], turns: [{ session_id: 's1', turn_id: 1 }], actions: true }],
  'recall.context': [{ query: 'theme' }, { query: 'theme', asked_in: 's1' }],
  'recall.get': [{ uuid: 'e1' }, { uuid: 'e3' }],
  'recall.caller': [{ call_id: 'c1' }],
  'thinking.search': [{}, { query: 'theme' }, { project: '/p' }, { session_id: 's1' }],
  'thinking.context': [{ query: 'theme' }],
  'prompts.search': [{}, { query: 'theme' }, { session_id: 's1' }],
  'prompts.context': [{ query: 'theme' }],
  'responses.search': [{}, { query: 'theme', session_id: 's1' }],
  'stats.summary': [{}, { since: '7d', until: '2030-01-01', project: '/p' }],
  'costs.series': [{}, { since: '7d', project: '/p', bucket: 'week' }],
  'costs.breakdown': [{}, { since: '7d', until: '2030-01-01', project: '/p' }],
  'costs.spent': [
    {
      spans: [
        { since: '7d', until: '2030-01-01' },
        { since: '7d', until: '2030-01-01', project: '/p' },
      ],
    },
  ],
  receipt: [{}, { session_id: 's1' }, { since: '7d', until: '2030-01-01', compare: { daily: [] } }],
  'receipt.calls': [{}, { session_id: 's1', agent: 'main' }, { since: '7d', model: 'm', day: '2026-11-20' }],
  'limits.latest': [{}],
  'advice.list': [{}, { project: '/p' }],
  'served.list': [{}, { since: '7d', session_id: 's1' }],
  'limits.now': [{}, { since: '2026-10-01T00:00:00.000Z', until: '2030-01-01T00:00:00.000Z' }],
  'memories.list': [{}, { query: 'theme' }, { category: 'fact', session_id: 's1' }],
  'memories.get': [{ uuid: 'e1' }],
  'memories.context': [{}, { query: 'theme', project: 'p', since: '7d' }],
  'episodes.list': [{}, { query: 'theme' }, { session_id: 's1' }, { project: '/p' }],
  'store.archives': [{}],
  'store.search_archives': [
    { query: 'theme' },
    { query: 'theme', since: '7d', until: '2030-01-01', session_id: 's1', project: '/p' },
  ],
  'searches.list': [{}],
  'people.export': [{}],
  'team.projects': [{}],
  'tools.pace': [{}, { since: '7d' }],
  'recall.months': [{ query: 'theme colors' }],
  'sessions.usage': [{ session_id: 's1' }],
  'sessions.unproven': [{}],
  'compactions.dropped': [{ uuid: 'k1' }],
  'requests.list': [{ session_id: 's1' }],
  'events.replay': [{ session_id: 's1' }, { session_id: 's1', turn_id: 1 }],
  'requests.get': [{ uuid: 'q1' }],
  'cache.list': [{}, { session_id: 's1', cause: 'provider', since: '7d', until: '2030-01-01', project: '/p' }],
  'cache.summary': [{}, { since: '7d', until: '2030-01-01', project: '/p' }],
  'carry.list': [
    ...(['kind', 'tool', 'mcp_server', 'file', 'skill', 'agent', 'prompt', 'session', 'project'] as const).map(
      (by) => ({ by }),
    ),
    { by: 'tool', session_id: 's1', since: '7d', until: '2030-01-01', project: '/p' },
  ],
  'carry.session': [{ session_id: 's1' }, { session_id: 's1', since: '7d', until: '2030-01-01' }],
  'requests.diff': [{ uuid: 'q1' }],
  'tools.list': [
    {},
    { tool_name: 'Bash' },
    { session_id: 's1' },
    { session_id: 's1', tool_name: 'Bash' },
    { failed: true },
    { project: '/p', since: '7d' },
  ],
  'errors.list': [{}, { query: 'theme' }, { session_id: 's1', project: '/p', since: '7d', until: '2030-01-01' }],
  'stats.analytics': [{}, { session_id: 's1' }, { since: '7d' }],
  'stats.slowest': [{}, { by: 'kind' }, { session_id: 's1' }, { by: 'kind', session_id: 's1', since: '7d' }],
  'sessions.list': [{}, { tag: 'billing' }, { project: '/p', query: 'x', user_id: 'u', before: '2030-01-01' }],
  'sessions.get': [{ session_id: 's1' }],
  'sessions.tags': [{}],
  'guard.refused': [{ since: '2020-01-01T00:00:00.000Z' }],
  'runs.sessions': [{ exchanges: ['q1'], sessions: ['s2'], began_at: '2020-01-01T00:00:00.000Z' }],
  'sessions.status': [{ session_id: 's1' }],
  'sessions.timeline': [{ session_id: 's1', start: '2020-01-01', end: '2030-01-01', kinds: 'thinking' }],
  'sessions.history': [{ session_id: 's1', before: '2030-01-01', as_text: true }],
  'sessions.past': [
    {},
    { session_id: 's1' },
    { project: '/p', user_id: 'u', since: '2020-01-01', before: '2030-01-01' },
  ],
  'sessions.turn': [{ session_id: 's1', turn: 1 }],
  'sessions.resume_truth': [{ session_id: 's1' }],
  'sessions.resume': [{ session_id: 's1' }],
  'sessions.resume_latest': [{}, { project: '/p' }],
  'sessions.kept': [{ session_id: 's1' }],
  'sessions.deletions': [{}],
  'sessions.footprint': [{ session_id: 's1' }],
  'sessions.events': [
    { session_id: 's1' },
    { session_id: 's1', order: 'oldest', kinds: 'thinking', after: '2020-01-01' },
  ],
  'events.list': [{}, { kind: 'thinking' }, { session_id: 's1' }, { session_id: 's1', turn_id: 1, kind: 'thinking' }],
  'events.count': [{}, { kind: 'thinking' }, { session_id: 's1', kind: 'thinking' }, { turn_id: 1 }],
  'events.get': [{ uuid: 'e1' }],
  'events.chain': [{ uuid: 'e3' }],
  'events.children': [{ uuid: 'e1' }],
  'events.trace': [
    { last_error: true, match: 'no rule', project: '/p' },
    { uuid: 'e1', down: true },
  ],
  'agents.list': [{ session_id: 's1' }],
  'files.at': [{ path: '/p/a.ts' }, { path: '/p/a.ts', uuid: 'e3' }],
  'files.blame': [{ path: '/p/a.ts', line: 1 }],
  'files.tree': [{ session_id: 's1', patch: true }],
  'files.history': [{ path: '/p/theme' }],
  'tasks.list': [{ session_id: 's1' }],
  'sessions.reconcile': [{ session_id: 's1' }],
  'requests.thread': [{ uuid: 'q1' }],
  'limits.series': [{ bucket_minutes: 15 }, { since: '2026-11-01T00:00:00.000Z', bucket_minutes: 60 }],
  'live.since': [{ after: 0 }, { after: 1, session_id: 's1', kinds: 'thinking' }],
  'live.turns': [{}],
  'events.export': [{}, { session_id: 's1' }],
  'usage.export': [{ session_id: 's1' }],
  'transcripts.running': [{}],
  // Reads all there is: that is what it is for.
  'store.check': [],
  'events.recent': [{}, { project: '/p' }, { kinds: 'thinking,error' }, { session_id: 's1' }],
}

/** Tables that grow with every session; the others stay small, or are indexes of full text. */
const LARGE =
  /\b(events|e|event_keys|key_rows|k|sighting_rows|contents|ancestry|l|user_prompts|p|thinking_blocks|assistant_responses|r|tool_calls|c|tool_results|api_usage|u|errors|x|tool_texts|t|recall_docs|d)\b/

/** A line of a plan that reads a large table from end to end, with no index that gives the order or the bound. */
const isFullScan = (detail: string): boolean =>
  detail.startsWith('SCAN ') &&
  !detail.includes(' USING ') &&
  !detail.includes('VIRTUAL TABLE') &&
  LARGE.test(detail.split(' ')[1] ?? '')

/** An index read from end to end: fine where it gives the order and LIMIT ends it, not where a sort follows. */
const isIndexScan = (detail: string): boolean =>
  detail.startsWith('SCAN ') && !detail.includes('VIRTUAL TABLE') && LARGE.test(detail.split(' ')[1] ?? '')

test('no reader scans a large table', () => {
  using folder = makeTempFolder()
  const path = fillStore(folder.path, [
    draftOf(
      'user_prompt',
      { text: 'theme colors' },
      { at: '2026-11-01T10:00:00.000Z', uuid: 'e1', keys: ['p'], project: '/p' },
    ),
    draftOf(
      'tool_call',
      { call_id: 'c', tool_name: 'Bash', input: { command: 'theme' }, message_id: 'm', index: 0 },
      { at: '2026-11-01T10:00:01.000Z', uuid: 'e2', keys: ['call:c'], parents: ['p'], project: '/p' },
    ),
    draftOf(
      'tool_result',
      { call_id: 'c', tool_name: 'Bash', output: 'no rule', is_error: true, rejected: false },
      {
        at: '2026-11-01T10:00:02.000Z',
        uuid: 'e3',
        keys: ['result:c'],
        parents: ['call:c'],
        duration_ms: 5,
        project: '/p',
      },
    ),
    draftOf(
      'compaction',
      { trigger: 'auto', summary: 'theme', tokens_before: null, tokens_after: null },
      { at: '2026-11-01T10:00:03.000Z', uuid: 'k1', keys: ['k'], project: '/p' },
    ),
    draftOf(
      'model_request',
      {
        exchange_id: 'q1',
        request_kind: 'prompt',
        method: 'POST',
        path: '/v1/messages',
        model: 'm',
        headers: [],
        request: null,
        message_count: 1,
        body_bytes: 2,
      },
      { at: '2026-11-01T10:00:04.000Z', uuid: 'q1', keys: ['exchange:q1:request'], project: '/p' },
    ),
    draftOf(
      'model_response',
      {
        exchange_id: 'q1',
        message_id: 'm',
        model: 'm',
        status: 200,
        stop_reason: 'end_turn',
        streamed: true,
        cut_by: null,
        ttft_ms: 1,
        headers: [],
        body_bytes: 2,
      },
      { at: '2026-11-01T10:00:05.000Z', uuid: 'q2', keys: ['exchange:q1:response'], project: '/p' },
    ),
    draftOf('user_prompt', { text: 'now' }, { at: new Date().toISOString(), session_id: 'running', keys: ['now'] }),
  ])
  const people = new Database(path)
  const now = '2026-11-01T10:00:06.000Z'
  people
    .prepare(
      `INSERT INTO memories (event_uuid, session_id, fact, category, confidence, source, first_confirmed_at, last_confirmed_at, created_at)
       VALUES ('e1', 's1', 'theme', 'fact', 1, 'person', ?, ?, ?)`,
    )
    .run(now, now, now)
  people
    .prepare(
      `INSERT INTO episodes (event_uuid, session_id, turn_id, closed_by, timestamp, content, tags)
       VALUES ('k1', 's1', 1, 'compaction', ?, 'theme', '[]')`,
    )
    .run(now)
  people.close()
  const db = openReader(path)
  const inner = createReader(db, createBudget(new Int32Array(1)))
  const statements = new Set<string>()
  const reader: Reader = {
    ...inner,
    all<Row>(sql: string, ...values: readonly (string | number | bigint | null)[]) {
      statements.add(sql)
      return inner.all<Row>(sql, ...values)
    },
    inTime<Row>(sql: string, ...values: readonly (string | number | bigint | null)[]) {
      statements.add(sql)
      return inner.inTime<Row>(sql, ...values)
    },
    get<Row>(sql: string, ...values: readonly (string | number | bigint | null)[]) {
      statements.add(sql)
      return inner.get<Row>(sql, ...values)
    },
  }
  for (const [name, inputs] of Object.entries(INPUTS)) {
    const handler = readerHandlers[name as ReaderName] as (reader: Reader, input: unknown) => unknown
    for (const input of inputs) handler(reader, findOperation(name)?.input.parse(input))
  }
  expect(statements.size).toBeGreaterThan(50)
  const scans: string[] = []
  for (const sql of statements) {
    // One query of an index for each row.
    if (/EXISTS \(SELECT 1 FROM \w+_fts WHERE/.test(sql)) scans.push(sql)
    const parameters = sql
      .split('?')
      .slice(1)
      .map(() => null)
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string; parent: number }[]
    const sorted = plan.some(({ detail, parent }) => parent === 0 && detail.startsWith('USE TEMP B-TREE FOR ORDER BY'))
    for (const { detail, parent } of plan) {
      if (isFullScan(detail) || (sorted && parent === 0 && isIndexScan(detail))) scans.push(`${detail} ← ${sql}`)
    }
  }
  db.close()
  expect(scans).toEqual([])
})

test('the check for scans can fail', () => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT)')
  const plan = db.prepare("EXPLAIN QUERY PLAN SELECT * FROM events e WHERE e.kind = 'x'").all() as { detail: string }[]
  expect(plan.some(({ detail }) => isFullScan(detail))).toBe(true)
  db.close()
})

test('every operation has one place that runs it, and MCP tools stay small', () => {
  const readers = OPERATIONS.filter((operation) => operation.place === 'reader').map((operation) => operation.name)
  expect(Object.keys(readerHandlers).toSorted()).toEqual(readers.toSorted())
  const tools = OPERATIONS.flatMap((operation) => operation.mcp ?? [])
  expect(tools.map((tool) => tool.name).toSorted()).toEqual([
    'aspy_advice',
    'aspy_get',
    'aspy_lifetime_stats',
    'aspy_memories',
    'aspy_recall_context',
    'aspy_recent_events',
    'aspy_resume_context',
    'aspy_search_thinking',
    'aspy_search_user_prompts',
    'aspy_session_history',
    'aspy_timeline',
    'aspy_tool_history',
    'aspy_trace_event',
    'aspy_why_line',
  ])
})
