import { describe, expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import {
  blockFact,
  promptFact,
  resultFact,
  seeded,
  sessionFacts,
  commonFields,
  usageFact,
  usageOf,
  type Fact,
} from '../../support/store/history.ts'
import { openTestStore } from '../../support/store/folder.ts'

const orders = <T>(items: readonly T[]): T[][] =>
  items.length <= 1
    ? [[...items]]
    : items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))

const read = <T = Record<string, unknown>>(dbPath: string, sql: string, ...values: unknown[]): T[] => {
  const db = openReader(dbPath)
  try {
    return db.prepare(sql).all(...values) as T[]
  } finally {
    db.close()
  }
}

/** One exchange: the prompt, its answer with a call, the call's result and the usage. */
const facts: readonly Fact[] = [
  promptFact('s', 'p1', 'make the theme solarized', 0),
  blockFact('s', 'm1', 0, 1000, { thinking: 'the theme wants solarized colours' }, [naturalKey.promptId('p1')]),
  blockFact('s', 'm1', 1, 1500, { call: 'c1', input: { command: 'ls' } }, [naturalKey.block('m1', 0)]),
  resultFact('s', 'c1', 'a.css', 2500),
  usageFact(
    's',
    'm1',
    naturalKey.block('m1', 1),
    2600,
    usageOf({ input_tokens: 1000, output_tokens: 500 }),
    'claude-opus-5-5',
  ),
]

describe('one fact, one event', () => {
  test.each(orders(['wire', 'hook', 'transcript'] as const).map((order) => [order.join(', '), order]))(
    'sources in the order %s produce the same events and sightings',
    (_, order) => {
      const { store, dbPath } = openTestStore()
      for (const source of order)
        for (const fact of facts) store.ingest.append(fact.reports.filter((draft) => draft.source === source))
      expect(read(dbPath, 'SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY kind')).toEqual([
        { kind: 'api_usage', n: 1 },
        { kind: 'thinking', n: 1 },
        { kind: 'tool_call', n: 1 },
        { kind: 'tool_result', n: 1 },
        { kind: 'user_prompt', n: 1 },
      ])
      const sources = read(
        dbPath,
        `SELECT e.kind, group_concat(DISTINCT s.source ORDER BY s.source) AS sources
         FROM sightings s JOIN events e ON e.uuid = s.uuid GROUP BY e.uuid ORDER BY e.kind`,
      )
      expect(sources).toEqual([
        { kind: 'api_usage', sources: 'transcript,wire' },
        { kind: 'thinking', sources: 'transcript,wire' },
        { kind: 'tool_call', sources: 'transcript,wire' },
        { kind: 'tool_result', sources: 'hook,transcript,wire' },
        { kind: 'user_prompt', sources: 'hook,transcript,wire' },
      ])
      // In any order, the sum is the wire's, the duration the hook's, and every chain starts at the prompt.
      expect(read(dbPath, 'SELECT input_tokens, output_tokens, cost_usd, basis, ttft_ms FROM api_usage')).toEqual([
        {
          input_tokens: 1000,
          output_tokens: 500,
          cost_usd: expect.closeTo(0.014, 12),
          basis: 'measured',
          ttft_ms: 210,
        },
      ])
      expect(read(dbPath, 'SELECT duration_ms FROM tool_results')).toEqual([{ duration_ms: 12.5 }])
      expect(read(dbPath, 'SELECT total_tokens, total_cost_usd, project, user_id FROM sessions')).toEqual([
        {
          total_tokens: 1500,
          total_cost_usd: expect.closeTo(0.014, 12),
          project: '/home/ada/orbit',
          user_id: 'hash-of-ada',
        },
      ])
      expect(
        read(
          dbPath,
          `SELECT e.kind, l.depth, r.kind AS root FROM lineage l JOIN events e ON e.uuid = l.uuid
           JOIN events r ON r.uuid = l.root_uuid ORDER BY l.depth, e.kind`,
        ),
      ).toEqual([
        { kind: 'user_prompt', depth: 0, root: 'user_prompt' },
        { kind: 'thinking', depth: 1, root: 'user_prompt' },
        { kind: 'tool_call', depth: 2, root: 'user_prompt' },
        { kind: 'api_usage', depth: 3, root: 'user_prompt' },
        { kind: 'tool_result', depth: 3, root: 'user_prompt' },
      ])
    },
  )

  test('reporting everything again adds nothing', () => {
    const { store, dbPath } = openTestStore()
    const drafts = sessionFacts('s', 20, seeded(5)).flatMap((fact) => fact.reports)
    store.ingest.append(drafts)
    const count = `SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM sightings) AS sightings,
      (SELECT count(*) FROM event_keys) AS keys, (SELECT total_cost_usd FROM sessions) AS cost`
    const before = read(dbPath, count)
    const keyed = drafts.filter((draft) => draft.keys.length > 0)
    const result = store.ingest.append(keyed)
    expect(result).toMatchObject({ added: [], corrected: [], joined: keyed.length, dropped: 0, deleted: 0 })
    expect(read(dbPath, count)).toEqual(before)
  })
})

test('sums prefer the wire to a transcript with more tokens, and the transcript with the most tokens', () => {
  const usageReport = (source: 'wire' | 'transcript', output: number) => {
    const [wire, line] = usageFact('s', 'm1', 'none', 0, usageOf({ output_tokens: output }), 'claude-opus-5-5').reports
    const draft = (source === 'wire' ? wire : line) as AnyDraft & { kind: 'api_usage' }
    return { ...draft, payload: { ...draft.payload, usage: usageOf({ output_tokens: output }) } }
  }
  const tokens = (drafts: readonly AnyDraft[]) => {
    const { store, dbPath } = openTestStore()
    for (const draft of drafts) store.ingest.append([draft])
    return read(
      dbPath,
      `SELECT u.output_tokens, u.basis, s.total_tokens, (SELECT sum(output_tokens) FROM rollups) AS rolled_up
       FROM api_usage u JOIN sessions s ON s.id = u.session_id`,
    )
  }
  const row = (output: number, basis: string) => [
    { output_tokens: output, basis, total_tokens: output, rolled_up: output },
  ]
  for (const order of orders([usageReport('wire', 50), usageReport('transcript', 900), usageReport('transcript', 7)]))
    expect(tokens(order)).toEqual(row(50, 'measured'))
  for (const order of orders([
    usageReport('transcript', 1),
    usageReport('transcript', 90),
    usageReport('transcript', 40),
  ]))
    expect(tokens(order)).toEqual(row(90, 'lower_bound'))
})

describe('prompts recognized by their text', () => {
  const [wire, hook, line] = promptFact('s', 'p1', 'continue', 0).reports as [AnyDraft, AnyDraft, AnyDraft]
  const [wire2, hook2, line2] = promptFact('s', 'p2', 'continue', 4000).reports as [AnyDraft, AnyDraft, AnyDraft]
  const answer = blockFact('s', 'm1', 0, 2000, { text: 'done' }, [naturalKey.promptId('p1')]).reports.slice(0, 1)
  const prompts = (dbPath: string) =>
    read(
      dbPath,
      `SELECT u.turn_id, u.prompt_number, count(s.uuid) AS sightings FROM user_prompts u
      JOIN sightings s ON s.uuid = u.event_uuid GROUP BY u.id ORDER BY u.prompt_number`,
    )

  test('the same text typed twice is two prompts, each with its three sightings', () => {
    for (const order of [
      [hook, wire, ...answer, hook2, wire2, line, line2],
      [wire, hook, ...answer, wire2, hook2, line2, line],
      [line, line2, hook, wire, ...answer, hook2, wire2],
    ]) {
      const { store, dbPath } = openTestStore()
      for (const draft of order) store.ingest.append([draft])
      expect(prompts(dbPath)).toEqual([
        { turn_id: 1, prompt_number: 1, sightings: 3 },
        { turn_id: 2, prompt_number: 2, sightings: 3 },
      ])
    }
  })

  test('the same text typed twelve times is twelve prompts, whose keys count on', () => {
    const { store, dbPath } = openTestStore()
    for (let at = 0; at < 12; at += 1) {
      const [asked] = promptFact('s', `p${at}`, 'continue', at * 60_000).reports
      const [answered] = blockFact('s', `m${at}`, 0, at * 60_000 + 1000, { text: `done ${at}` }, []).reports
      store.ingest.append([asked, answered].filter((draft) => draft !== undefined))
    }
    expect(prompts(dbPath)).toHaveLength(12)
    const numbers = read(dbPath, "SELECT substr(key, -6) AS k FROM key_rows WHERE key GLOB 'text:*' ORDER BY key")
    expect(numbers.filter((row) => Number(Object.values(row as object)[0]) > 9)).toHaveLength(3)
  })

  test('a retried request without an answer is the same prompt', () => {
    const { store, dbPath } = openTestStore()
    store.ingest.append([wire])
    const retry = promptFact('s', 'p9', 'continue', 35_000).reports[0] as AnyDraft
    expect(store.ingest.append([retry]).joined).toBe(1)
    expect(prompts(dbPath)).toHaveLength(1)
  })

  test('the same text after an answer, or in another session, is a new prompt', () => {
    const { store } = openTestStore()
    store.ingest.append([wire, ...answer])
    expect(store.ingest.append([wire2]).added.map(({ event }) => event.kind)).toEqual(['user_prompt', 'turn_ended'])
    expect(store.ingest.append([{ ...wire, session_id: 'other', keys: [] }]).added).toHaveLength(1)
  })

  test('a source that has seen a prompt sees a new one next time, even if another source reported it first', () => {
    const { store } = openTestStore()
    store.ingest.append([hook, wire, ...answer])
    expect(store.ingest.append([wire2]).added.map(({ event }) => event.kind)).toEqual(['user_prompt', 'turn_ended'])
  })

  test('a transcript imported weeks later joins by prompt id and by text', () => {
    const { store } = openTestStore()
    store.ingest.append([wire, hook])
    const { prompt_id: _, ...payload } = line.payload as { text: string; prompt_id: string }
    const withoutId = { ...line, payload, keys: [naturalKey.line('line-p1')] } as AnyDraft
    expect(store.ingest.append([withoutId]).joined).toBe(1)
  })
})

test('history in a request joins the recorded answer and the transcript that names it', () => {
  const { store, dbPath } = openTestStore()
  const shown = (index: number, exchange: string): AnyDraft => ({
    ...commonFields('wire', 's', 60_000),
    kind: 'assistant_text',
    payload: { text: 'OK', message_id: null, index: 0, seen_in_history: true },
    keys: [naturalKey.history(exchange, index, 0)],
    text_identity: { text: 'OK', within_ms: null },
    parents: [],
  })
  const streamed = blockFact('s', 'm1', 0, 0, { text: 'OK' }, []).reports
  store.ingest.append(streamed.slice(0, 1))
  // Two entries of one history with the same text: one is the recorded answer, the other is new.
  store.ingest.append([shown(1, 'x1'), shown(3, 'x1')])
  // Another exchange shows the same history again.
  store.ingest.append([shown(1, 'x2'), shown(3, 'x2')])
  // The transcript names both.
  store.ingest.append([...streamed.slice(1), ...blockFact('s', 'm2', 0, 5000, { text: 'OK' }, []).reports.slice(1)])
  expect(read(dbPath, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 2 }])
  // A third answer with the same text is a third event: the transcript has named those of the history.
  store.ingest.append(blockFact('s', 'm3', 0, 9000, { text: 'OK' }, []).reports.slice(1))
  expect(read(dbPath, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 3 }])
})

test('thousands of equal texts in one history stay that many, however often it is sent', () => {
  const { store, dbPath } = openTestStore()
  const count = 3000
  const history = (exchange: string, atMs: number) =>
    Array.from({ length: count }, (_, index): AnyDraft => ({
      ...commonFields('wire', 's', atMs),
      kind: 'user_prompt',
      payload: { text: 'go on', prompt_id: null, seen_in_history: true },
      keys: [naturalKey.history(exchange, index, 0)],
      text_identity: { text: 'go on', within_ms: null },
      parents: [],
    }))
  expect(store.ingest.append(history('x1', 1000)).added).toHaveLength(count)
  expect(store.ingest.append(history('x2', 60_000)).joined).toBe(count)
  // One more at the end is one more event.
  const longer = history('x3', 90_000)
  const last = { ...(longer[0] as AnyDraft), keys: [naturalKey.history('x3', count, 0)] } as AnyDraft
  const { added, joined } = store.ingest.append([...longer, last])
  expect({ added: added.length, joined }).toEqual({ added: 1, joined: count })
  expect(read(dbPath, 'SELECT count(*) AS n FROM events')).toEqual([{ n: count + 1 }])
})

test('a fork that copies history under a new session is one event with two sightings', () => {
  const { store, dbPath } = openTestStore()
  const line = promptFact('original', 'p1', 'hello', 0).reports[2] as AnyDraft
  store.ingest.append([line])
  expect(store.ingest.append([{ ...line, session_id: 'fork' }])).toMatchObject({
    added: [],
    corrected: [],
    joined: 1,
    dropped: 0,
    deleted: 0,
  })
  expect(read(dbPath, 'SELECT source, session_id FROM sightings ORDER BY session_id')).toEqual([
    { source: 'transcript', session_id: 'fork' },
    { source: 'transcript', session_id: 'original' },
  ])
  // What the fork says next belongs to the fork's session.
  store.ingest.append([promptFact('fork', 'p2', 'and now', 9000).reports[2] as AnyDraft])
  expect(read(dbPath, 'SELECT id, turn_count, prompts FROM sessions ORDER BY id')).toEqual([
    { id: 'fork', turn_count: 1, prompts: 1 },
    { id: 'original', turn_count: 1, prompts: 1 },
  ])
})

test('older history imported later renumbers the prompts and keeps turn numbers', () => {
  const { store, dbPath } = openTestStore()
  for (const id of ['p4', 'p5'])
    store.ingest.append(promptFact('s', id, `live ${id}`, Number(id.slice(1)) * 60_000).reports)
  for (const id of ['p1', 'p2', 'p3'])
    store.ingest.append(promptFact('s', id, `old ${id}`, Number(id.slice(1)) * 60_000).reports.slice(2))
  expect(read(dbPath, 'SELECT prompt_number, turn_id, content FROM user_prompts ORDER BY prompt_number')).toEqual([
    { prompt_number: 1, turn_id: 3, content: 'old p1' },
    { prompt_number: 2, turn_id: 4, content: 'old p2' },
    { prompt_number: 3, turn_id: 5, content: 'old p3' },
    { prompt_number: 4, turn_id: 1, content: 'live p4' },
    { prompt_number: 5, turn_id: 2, content: 'live p5' },
  ])
  // Live events continue the newest turn, not the one imported last.
  const [next] = store.ingest.append([
    {
      ...commonFields('hook', 's', 400_000),
      kind: 'notification',
      payload: { text: 'waiting' },
      keys: [],
      parents: [],
    },
  ]).added
  expect(next?.event.turn_id).toBe(2)
  expect(read(dbPath, 'SELECT title, started_at FROM sessions')).toEqual([
    { title: 'old p1', started_at: '2026-11-20T10:01:00.005Z' },
  ])
})
