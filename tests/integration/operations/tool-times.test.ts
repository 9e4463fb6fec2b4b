import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { EventSource } from '../../../src/shared/event.ts'
import { HASH_KEY, openTestStore, readStore } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf } from '../../support/store/seeded-store.ts'
import { withWriter } from '../../support/store/projection-rows.ts'

/** Times of tools that no hook measured: from the call to its result. */

const at = (second: number) => new Date(Date.UTC(2026, 10, 2, 10) + second * 1000).toISOString()
const prompt = (second: number, text = 'go') =>
  draftOf('user_prompt', { text }, { at: at(second), source: 'wire', keys: [`prompt:${text}`] })
const call = (id: string, second: number) =>
  draftOf(
    'tool_call',
    { call_id: id, tool_name: 'Bash', input: { command: id }, message_id: null, index: 0 },
    { at: at(second), source: 'wire', keys: [`call:${id}`] },
  )

interface Told {
  readonly source?: EventSource
  readonly duration_ms?: number
  readonly rejected?: boolean
  /** The decoder knew only the time of the file. */
  readonly undated?: true
}
function result(id: string, second: number, { source = 'wire', duration_ms, rejected = false, undated }: Told = {}) {
  const basis = undated ? { time_basis: 'file' } : {}
  return draftOf(
    'tool_result',
    { call_id: id, tool_name: 'Bash', output: 'ok', is_error: rejected, rejected },
    {
      at: at(second),
      source,
      keys: [`result:${id}`],
      parents: [`call:${id}`],
      duration_ms: duration_ms ?? null,
      sighting: { ...(duration_ms === undefined ? {} : { duration_ms }), ...basis },
    },
  )
}

/** The start or the end of the agent that a call started. */
const agent = (id: string, second: number, isEnd = false) =>
  isEnd
    ? draftOf(
        'agent_ended',
        { agent_id: id, agent_type: null },
        { at: at(second), source: 'hook', agent_id: id, keys: [`agent:${id}:end`] },
      )
    : draftOf(
        'agent_started',
        { agent_id: id, agent_type: null, parent_agent_id: null, call_id: id },
        { at: at(second), source: 'wire', agent_id: id, keys: [`agent:${id}:start`], parents: [`call:${id}`] },
      )

/** Drafts in order of arrival, and each call's time in seconds, with "≤" for an upper bound. */
const CASES: readonly (readonly [string, readonly AnyDraft[], Record<string, string>])[] = [
  ['on the wire alone', [prompt(0), call('a', 2), result('a', 9)], { a: '≤ 7' }],
  [
    'parallel calls on the wire share a request',
    [prompt(0), call('a', 2), call('b', 3), result('a', 9), result('b', 9)],
    { a: '-', b: '-' },
  ],
  [
    'parallel agents end before their results are sent together',
    [
      prompt(0),
      call('a', 2),
      call('b', 2),
      call('c', 2),
      agent('a', 3),
      agent('b', 3),
      agent('c', 3),
      agent('b', 5, true),
      agent('a', 8, true),
      result('a', 9),
      result('b', 9),
      result('c', 9),
    ],
    { a: '≤ 6', b: '≤ 3', c: '-' },
  ],
  [
    'of three, a hook measured one',
    [
      prompt(0),
      call('a', 2),
      call('b', 3),
      call('c', 4),
      result('b', 5, {
        source: 'hook',
        duration_ms: 1500,
      }),
      result('a', 9),
      result('b', 9),
      result('c', 9),
    ],
    { a: '-', b: '1.5', c: '-' },
  ],
  [
    'a hook that says no time tells calls apart',
    [
      prompt(0),
      call('a', 2),
      call('b', 3),
      result('a', 4, { source: 'hook' }),
      result('b', 8, { source: 'hook' }),
      result('a', 9),
      result('b', 9),
    ],
    { a: '≤ 2', b: '≤ 5' },
  ],
  [
    'so does the transcript afterwards, whatever its order',
    [
      prompt(0),
      call('a', 2),
      call('b', 3),
      call('c', 4),
      result('a', 9),
      result('b', 9),
      result('c', 9),
      result('c', 9, { source: 'transcript' }),
      result('a', 5, { source: 'transcript' }),
    ],
    { a: '≤ 3', b: '-', c: '≤ 5' },
  ],
  [
    'a measurement afterwards',
    [prompt(0), call('a', 2), result('a', 9), result('a', 8, { source: 'hook', duration_ms: 3000 })],
    { a: '3' },
  ],
  [
    'results of a transcript, each with its own line',
    [
      prompt(0),
      call('a', 2),
      call('b', 2),
      result('b', 3, { source: 'transcript' }),
      result('a', 12, { source: 'transcript' }),
    ],
    { a: '≤ 10', b: '≤ 1' },
  ],
  ['a refused call waited for its person', [prompt(0), call('a', 2), result('a', 900, { rejected: true })], { a: '-' }],
  ['a clock that went back', [prompt(0), call('a', 20), result('a', 9)], { a: '-' }],
  [
    'a file without times',
    [prompt(0), call('a', 2), result('a', 9, { source: 'transcript', undated: true })],
    { a: '-' },
  ],
  ['a result without its call', [prompt(0), result('a', 9)], { a: '-' }],
]

test.each(CASES)('%s', (_, drafts, expected) => {
  for (const size of [1, drafts.length]) {
    const { store, dbPath } = openTestStore()
    for (let from = 0; from < drafts.length; from += size) store.ingest.append(drafts.slice(from, from + size))
    store.close()
    const rows = () =>
      readStore(dbPath, (db) =>
        db
          .prepare<[], { call_id: string; duration_ms: number | null; upper_bound: number }>(
            'SELECT call_id, duration_ms, upper_bound FROM tool_results ORDER BY call_id',
          )
          .all(),
      )
    const shown = rows().map(({ call_id, duration_ms: ms, upper_bound }) => [
      call_id,
      ms === null ? '-' : `${upper_bound === 1 ? '≤ ' : ''}${ms / 1000}`,
    ])
    expect(Object.fromEntries(shown)).toEqual(expected)
    const before = rows()
    withWriter(dbPath, (db) => rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY }))
    expect(rows()).toEqual(before)
  }
})

test('lists say which times are upper bounds', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append([
    prompt(0),
    call('a', 2),
    result('a', 9),
    call('b', 10),
    result('b', 12, {
      source: 'hook',
      duration_ms: 1500,
    }),
    call('c', 13),
    result('c', 15, { rejected: true }),
  ])
  store.close()
  reading(dbPath, (reader) => {
    const slow = readerHandlers['stats.slowest'](reader, { by: 'tool', limit: 20 })
    expect(slow.items.map((item) => [item.name, item.duration_ms, item.upper_bound])).toEqual([
      ['Bash', 7000, true],
      ['Bash', 1500, false],
    ])
    const { items } = readerHandlers['tools.list'](reader, { limit: 10 })
    expect(items.map((item) => [item.duration_ms, item.upper_bound])).toEqual([
      [null, false],
      [1500, false],
      [7000, true],
    ])
    expect(readerHandlers['tools.pace'](reader, {}).items).toMatchObject([{ timed: 2, upper_bounds: 1, p95_ms: 7000 }])
    const turn = readerHandlers['sessions.turn'](reader, { session_id: 's1', turn: 1 })
    expect(turn.slow_calls.map((slow) => [slow.by, slow.duration_ms, slow.upper_bound])).toEqual([
      ['tool', 7000, true],
      ['tool', 1500, false],
    ])
  })
})

test('what a request shows of an earlier command, or a compaction hours later, does not lengthen a turn', () => {
  const { store, dbPath } = openTestStore()
  const told = (source: EventSource, second: number) =>
    draftOf('notification', { text: 'Compacted', level: 'command_output' }, { at: at(second), source })
  const ended = draftOf('turn_ended', { reason: 'end_turn', last_text: 'done' }, { at: at(5), source: 'wire' })
  const compact = draftOf(
    'model_request',
    {
      request_kind: 'compaction',
      exchange_id: 'x',
      method: 'POST',
      path: '/v1/messages',
      model: 'm',
      betas: [],
      client: null,
      headers: [],
      body_bytes: 1,
      request: null,
      unknown_fields: [],
    } as never,
    { at: at(3600), source: 'wire' },
  )
  const turns = [
    [prompt(0, 'one'), ended, compact],
    [prompt(10, 'two'), told('wire', 7200)],
    [prompt(20, 'three'), told('hook', 30)],
  ]
  store.ingest.append(turns.flat())
  store.close()
  reading(dbPath, (reader) => {
    const ends = [1, 2, 3].map((turn) => readerHandlers['sessions.turn'](reader, { session_id: 's1', turn }).ended_at)
    expect(ends).toEqual([at(5), at(10), at(30)])
  })
})
