import { describe, expect, test } from 'vitest'
import type { AnyDraft } from '../../../draft.ts'
import { createRolloutDecoder } from './rollout-decoder.ts'

const THREAD = '01a205b1-d5ef-7212-bafc-c782ff70dae0'
const OTHER = '01a205a0-0000-7000-8000-000000000001'
const TURN = '01a205b1-d652-7003-9371-95e24e872b03'
const PATH = `/x/sessions/2026/11/22/rollout-2026-11-22T23-57-50-${THREAD}.jsonl`

const line = (type: string, payload: object, timestamp = '2026-11-22T23:57:50.576Z') =>
  JSON.stringify({ timestamp, type, payload })
const meta = (more: object = {}) => line('session_meta', { id: THREAD, cwd: '/work', cli_version: '0.169.0', ...more })
const item = (payload: object, turn = TURN) =>
  line('response_item', { ...payload, internal_chat_message_metadata_passthrough: { turn_id: turn } })
const said = (text: string, turn = TURN) =>
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }, turn)
const event = (type: string, more: object = {}) => line('event_msg', { type, ...more })
const record = (id: string, turn = TURN) =>
  line('token_usage_record', {
    turn_id: turn,
    response_id: id,
    usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 3 },
  })

function decode(lines: readonly string[], context = {}): AnyDraft[] {
  const decoder = createRolloutDecoder({ path: PATH, ...context })
  return [...lines.flatMap((each) => decoder.line(each)), ...decoder.end()]
}
const kinds = (drafts: readonly AnyDraft[]) => drafts.map(({ kind }) => kind)

describe('an answer', () => {
  test('gets the id of its response from the line after it', () => {
    const drafts = decode([meta(), said('One.'), said('Two.'), record('resp_000000000000000000000001')])
    expect(drafts.map((draft) => 'message_id' in draft.payload && draft.payload.message_id)).toEqual(
      Array.from({ length: 3 }, () => 'resp_000000000000000000000001'),
    )
    expect(drafts[1]?.parents[0]).toBe('block:resp_000000000000000000000001:0')
  })

  test('of another turn in the same file stays apart: two programs write to it', () => {
    const turn = '01a205b1-d893-7031-bd30-f3ddcb9d1d9e'
    const ids = ['resp_000000000000000000000001', 'resp_000000000000000000000002']
    const lines = [meta(), said('A1'), said('B1', turn), said('A2'), record(ids[1] ?? '', turn), record(ids[0] ?? '')]
    const texts = decode(lines).flatMap((draft) =>
      draft.kind === 'assistant_text' ? [[draft.payload.text, draft.payload.message_id]] : [],
    )
    expect(texts).toEqual([
      ['B1', ids[1]],
      ['A1', ids[0]],
      ['A2', ids[0]],
    ])
  })

  test('is not held back at the end of the file', () => {
    expect(kinds(decode([meta(), said('Cut.')]))).toEqual(['assistant_text'])
  })
})

test('a task in which nobody said anything leaves no end of a turn: `/compact`, or a command of the user', () => {
  const shell = [{ type: 'input_text', text: '<user_shell_command>\n<command>ls</command>' }]
  const task = (turn: string, ...lines: readonly string[]) => [
    event('task_started', { turn_id: turn }),
    ...lines,
    event('task_complete', { turn_id: turn, last_agent_message: null }),
  ]
  const failed = [event('task_started', { turn_id: 'd' }), event('task_complete', { turn_id: 'd', error: 'no' })]
  const ends = (lines: readonly string[]) =>
    decode([meta(), ...lines]).flatMap((draft) => (draft.kind === 'turn_ended' ? [draft.payload.reason] : []))
  expect(ends(task('a', event('user_message', { message: 'Go on' })))).toEqual(['end_turn'])
  expect(ends(task('b', line('compacted', { message: '' })))).toEqual([])
  expect(ends(task('c', item({ type: 'message', role: 'user', content: shell }, 'c')))).toEqual([])
  expect(ends([...task('a', event('user_message', { message: 'Go on' })), ...failed])).toEqual(['end_turn', 'error'])
})

test('the plan that a call set is a task list, each time all of it', () => {
  const plan = (...steps: [string, string][]) =>
    JSON.stringify({ plan: steps.map(([step, status]) => ({ step, status })) })
  const call = (id: string, text: string) =>
    item({ type: 'function_call', name: 'update_plan', call_id: id, arguments: text })
  const result = (id: string, output: string) => item({ type: 'function_call_output', call_id: id, output })
  const updates = decode([
    meta(),
    call('call_1', plan(['Read it', 'in_progress'], ['Fix it', 'pending'])),
    result('call_1', 'Plan updated'),
    call('call_2', '{"plan": "none"}'),
    result('call_2', 'Plan updated'),
    call('call_3', plan(['Read it', 'completed'])),
    result('call_3', 'Plan updated'),
  ]).flatMap((draft) => (draft.kind === 'task_update' ? [draft] : []))
  expect(updates.map(({ payload }) => payload.tasks.map(({ id, subject, status }) => [id, subject, status]))).toEqual([
    [
      ['1', 'Read it', 'in_progress'],
      ['2', 'Fix it', 'pending'],
    ],
    [['1', 'Read it', 'completed']],
  ])
  expect(updates[0]?.keys[0]).toMatch(/^tasks:.*call_1/)
  expect(updates[0]?.parents[0]).toMatch(/^call:.*call_1/)
})

describe('a prompt', () => {
  const user = (text: string, kind?: string) => {
    const content = [{ type: 'input_text', text }]
    const passthrough = { turn_id: TURN, ...(kind === undefined ? {} : { content_item_kinds: [kind] }) }
    return line('response_item', {
      type: 'message',
      role: 'user',
      content,
      internal_chat_message_metadata_passthrough: passthrough,
    })
  }
  const texts = (lines: readonly string[]) =>
    decode(lines).flatMap((draft) => (draft.kind === 'user_prompt' ? [draft.payload.text] : []))

  test('is what the client marks as the user’s, even if it looks like its own', () => {
    expect(
      texts([meta(), user('<environment_context>', 'user.text'), user('secret rules', 'host_skills.instructions')]),
    ).toEqual(['<environment_context>'])
  })

  test('that an item and an event report counts once, and again if it was sent again', () => {
    const again = [user('yes'), event('user_message', { message: 'yes', turn_id: TURN })]
    expect(texts([meta(), ...again, ...again])).toEqual(['yes', 'yes'])
    const marked = [
      user('yes', 'user.text'),
      event('item_completed', {
        turn_id: TURN,
        item: { type: 'UserMessage', content: [{ type: 'text', text: 'yes' }] },
      }),
    ]
    expect(texts([meta(), ...marked, ...marked])).toEqual(['yes', 'yes'])
  })

  test('is none in a subagent: its parent wrote it', () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: OTHER, agent_role: 'explorer' } } }
    const drafts = decode([meta({ source }), event('user_message', { message: 'Look.' }), said('Looked.')])
    expect(kinds(drafts)).toEqual(['agent_started', 'assistant_text'])
    expect(drafts[1]).toMatchObject({ session_id: `codex-${OTHER}`, agent_id: `codex-${THREAD}` })
  })
})

describe('usage', () => {
  const total = (input: number, output: number) => ({
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: output,
  })
  const count = (input: number, output: number, last?: object) =>
    event('token_count', {
      info: { total_token_usage: total(input, output), ...(last === undefined ? {} : { last_token_usage: last }) },
    })
  const counted = (lines: readonly string[]) =>
    decode(lines).flatMap((draft) =>
      draft.kind === 'api_usage' ? [[draft.payload.usage.input_tokens, draft.payload.usage.output_tokens]] : [],
    )

  test('is counted when the total changes, not when it is repeated', () => {
    expect(
      counted([meta(), count(10, 1, total(10, 1)), count(10, 1, total(10, 1)), count(30, 3, total(20, 2))]),
    ).toEqual([
      [10, 1],
      [20, 2],
    ])
  })

  test('is what the total grew by, in files that have only totals', () => {
    expect(counted([meta(), count(10, 1), count(30, 3), count(5, 1)])).toEqual([
      [10, 1],
      [20, 2],
      [5, 1],
    ])
  })

  test('is taken from records alone where there are any', () => {
    expect(counted([meta(), record('resp_000000000000000000000001'), count(10, 3, total(10, 3))])).toEqual([[6, 3]])
  })

  test('of a compaction says so', () => {
    const id = 'resp_000000000000000000000001'
    const drafts = decode([meta(), record(id), line('compacted', { message: '', compaction_response_id: id })])
    expect(drafts.map((draft) => [draft.kind, draft.kind === 'api_usage' && draft.payload.request_kind])).toEqual([
      ['api_usage', 'compaction'],
      ['compaction', false],
    ])
  })
})

describe('damage', () => {
  test('costs only its own line', () => {
    let broken = 0
    const lines = [meta(), '{"timestamp":"2026-11-22T23:57:50', said('Here.'), 'null', '[1]', '\u0000\u0000']
    const drafts = decode(lines, { onBrokenLine: () => (broken += 1) })
    expect(kinds(drafts).toSorted()).toEqual(['assistant_text', 'unknown', 'unknown', 'unknown'])
    expect(broken).toBe(4)
  })

  test('in a line of any shape throws nothing', () => {
    const types = 'session_meta turn_context response_item event_msg token_usage_record compacted new'.split(' ')
    const plain = [null, 7, 'x', [], {}, { type: 7 }]
    const payloads = [
      ...plain,
      { type: 'message', role: 'user', content: 7 },
      { type: 'item_completed' },
      { type: 'token_count', info: 7 },
      { type: 'function_call_output', call_id: 'a', output: { a: 1 } },
      { usage: [], response_id: 'r' },
    ]
    const odd = types.flatMap((type) => payloads.map((payload) => JSON.stringify({ timestamp: 7, type, payload })))
    const drafts = decode([meta(), ...odd, said('Still here.')])
    expect(drafts.some((draft) => draft.kind === 'assistant_text' && draft.payload.text === 'Still here.')).toBe(true)
    expect(drafts.every(({ ts_wall }) => !Number.isNaN(Date.parse(ts_wall)))).toBe(true)
  })

  test('of the first line leaves the thread that the file is named after', () => {
    expect(decode(['{"times', said('Here.')]).at(-1)).toMatchObject({ session_id: `codex-${THREAD}`, agent_id: null })
  })

  test('of the clock leaves the time of the line before, or that in the thread’s id', () => {
    const at = (timestamp: string) =>
      line('response_item', { type: 'message', role: 'assistant', content: 'A' }, timestamp)
    const times = (lines: readonly string[]) => decode(lines).map(({ ts_wall }) => ts_wall)
    expect(times([at('1970-01-01T00:00:00Z')])).toEqual(['2026-11-22T23:57:50.447Z'])
    const inTwoYears = new Date(Date.now() + 730 * 86_400_000).toISOString()
    expect(times([meta(), at('not a time'), at(inTwoYears)])).toEqual(Array(2).fill('2026-11-22T23:57:50.576Z'))
  })

  test('types that nobody knows are kept whole', () => {
    const drafts = decode([meta(), line('mood', { a: 1 }), event('brand_new', { b: 2 }), item({ type: 'dream', c: 3 })])
    expect(drafts.map(({ payload }) => 'what' in payload && payload.what)).toEqual([
      'rollout:mood',
      'rollout:event:brand_new',
      'item:dream',
    ])
    expect(drafts[0]?.payload).toMatchObject({ raw: { a: 1 }, client_version: '0.169.0' })
  })
})

describe('a copy of another thread’s lines', () => {
  const old = '01a205a0-1111-7000-8000-000000000001'
  const copies = [
    line('session_meta', { id: OTHER }),
    event('task_started', { turn_id: old }),
    said('Copied.', old),
    record('resp_00000000000000000000000c', old),
    event('task_complete', { turn_id: old }),
  ]
  const own = [event('task_started', { turn_id: TURN }), said('Own.')]

  test('belongs to the original in a fork', () => {
    const drafts = decode([meta({ forked_from_id: OTHER }), ...copies, ...own])
    expect(drafts.map((draft) => [draft.kind, draft.copied_from ?? null])).toEqual([
      ['assistant_text', `codex-${OTHER}`],
      ['api_usage', `codex-${OTHER}`],
      ['assistant_text', null],
    ])
    expect(drafts.at(-1)?.sighting).toMatchObject({
      client: 'codex',
      continues: { session: `codex-${OTHER}`, by: 'fork' },
    })
  })

  test('is found by the ancestor’s first line in a fork that does not name its original', () => {
    expect(decode([meta(), ...copies, ...own]).map(({ copied_from }) => copied_from ?? null)).toEqual([
      `codex-${OTHER}`,
      `codex-${OTHER}`,
      null,
    ])
  })

  test('is left out of a subagent if its parent has a file, and otherwise is the parent’s', () => {
    const spawned = meta({ forked_from_id: OTHER, source: { subagent: { thread_spawn: { parent_thread_id: OTHER } } } })
    const agents = (hasThread: boolean) =>
      decode([spawned, ...copies, ...own], { hasThread: () => hasThread }).map(({ kind, agent_id }) => [kind, agent_id])
    const agent = `codex-${THREAD}`
    expect(agents(true)).toEqual([
      ['agent_started', agent],
      ['assistant_text', agent],
    ])
    expect(agents(false)).toEqual([
      ['agent_started', agent],
      ['assistant_text', null],
      ['api_usage', null],
      ['assistant_text', agent],
    ])
  })
})

test('lines without a time are facts of their thread: another thread that begins with the same words keeps its own', () => {
  const bare = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] },
  ].map((each) => JSON.stringify(each))
  const keysOf = (id: string) =>
    decode([JSON.stringify({ id, timestamp: '2025-05-07T17:24:21.123Z' }), ...bare, 'not JSON']).flatMap(
      ({ keys }) => keys,
    )
  const [one, other] = [keysOf(THREAD), keysOf(OTHER)]
  expect(one).toHaveLength(3)
  expect(one.filter((key) => other.includes(key))).toEqual([])
  expect(keysOf(THREAD)).toEqual(one)
})

test.each([
  ['its count', [], { model: 'gpt-5.1' }, {}],
  ['its count, by another name', [], { model_name: 'gpt-5.1' }, {}],
  ['its count, beside the figures', [], {}, { model: 'gpt-5.1' }],
  ['the settings of its session', [event('session_configured', { model: 'gpt-5.1' })], {}, {}],
])('the model that %s names is that of the usage if no context does', (_, before, inInfo, beside) => {
  const figures = { input_tokens: 10, cached_input_tokens: 4, output_tokens: 3 }
  const count = (info: object | null) => event('token_count', { info, ...beside })
  const lines = [meta(), ...before, said('One.'), count(null), count({ total_token_usage: figures, ...inInfo })]
  const models = decode(lines).flatMap((draft) => (draft.kind === 'api_usage' ? [draft.payload.model] : []))
  expect(models).toEqual(['gpt-5.1'])
})
