import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { EventKind, Payloads, Usage } from '../../../src/shared/event.ts'
import { openTestStore, readStore } from '../../support/store/folder.ts'
import { usageOf } from '../../support/store/history.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

/** Each projection's row, by hand: what a handful of drafts leave in it, in order and late. */

let made = 0
const at = (minute: number, second = 0) =>
  `2026-11-20T10:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}.000Z`

type More = Omit<Parameters<typeof draftOf>[2], 'at'>
/** A draft with its own key, from the wire unless said otherwise. */
function draft<K extends EventKind>(kind: K, when: string, payload: Payloads[K], more: More = {}): AnyDraft {
  made += 1
  return draftOf(kind, payload, { at: when, source: 'wire', keys: [`key:${made}`], ...more } as never)
}

const prompt = (when: string, text: string, more: More = {}) =>
  draft('user_prompt', when, { text }, { text_identity: { text, within_ms: 10_000 }, ...more } as More)

function usage(when: string, message: string, tokens: Partial<Usage>, more: More & { basis?: 'lower_bound' } = {}) {
  const { basis = 'measured', ...rest } = more
  const payload = {
    message_id: message,
    model: 'claude-sonnet-4-5',
    usage: usageOf(tokens),
    request_kind: 'prompt',
    basis,
    ttft_ms: null,
  } as const
  return draft('api_usage', when, payload, { keys: [`usage:${message}`], ...rest })
}

type Row = Readonly<Record<string, unknown>>

/** Appends each group of drafts, and returns a function that reads rows of the database. */
function stored(...groups: readonly (readonly AnyDraft[])[]): (sql: string) => readonly Row[] {
  const { store, dbPath } = openTestStore()
  for (const drafts of groups) store.ingest.append(drafts)
  store.close()
  return (sql) => readStore(dbPath, (db) => db.prepare(sql).all() as Row[])
}

test('a session begins with its earliest event, ends with its last, and is open again after a resume', () => {
  const ended = (when: string) => draft('session_ended', when, { reason: null }, { source: 'hook' })
  const read = stored(
    [prompt(at(5), 'first'), ended(at(6))],
    [ended(at(3)), prompt(at(1), 'older')],
    [
      { ...prompt(at(5), 'first'), session_id: 'open' },
      { ...ended(at(6)), session_id: 'open' },
    ],
    [
      { ...prompt(at(7), 'again'), session_id: 'open' },
      { ...ended(at(2)), session_id: 'open' },
    ],
  )
  expect(read('SELECT id, started_at, ended_at, last_event_at, prompts, turn_count FROM sessions ORDER BY id')).toEqual(
    [
      { id: 'open', started_at: at(2), ended_at: null, last_event_at: at(7), prompts: 2, turn_count: 2 },
      { id: 's1', started_at: at(1), ended_at: at(6), last_event_at: at(6), prompts: 2, turn_count: 2 },
    ],
  )
})

test('the start of a session after a resume does not prolong the turn before it, in a batch with it or alone', () => {
  const resumed = (when: string) => draft('session_started', when, { start: 'resume', model: null }, { source: 'hook' })
  const read = stored([resumed(at(0)), prompt(at(1), 'first'), resumed(at(3))], [resumed(at(9))], [resumed(at(12))])
  expect(read('SELECT turn_id, started_at, last_event_at, events FROM turns ORDER BY turn_id')).toEqual([
    { turn_id: 0, started_at: at(0), last_event_at: at(0), events: 1 },
    { turn_id: 1, started_at: at(1), last_event_at: at(1), events: 4 },
  ])
})

test('the first event that knows an owner decides; what a fork copied says nothing of the session', () => {
  const named = (project: string | null, text: string, when: string) => prompt(when, text, { project })
  const copy = {
    ...prompt(at(1), 'copied', { project: '/fork' }),
    session_id: 'fork',
    copied_from: 's1',
    keys: ['same'],
  }
  const read = stored([{ ...named(null, 'copied', at(1)), keys: ['same'] }], [copy])
  expect(read("SELECT project FROM sessions WHERE id = 's1'")).toEqual([{ project: null }])
  const two = stored([named('/one', 'a', at(5)), named('/two', 'b', at(6)), named('/three', 'c', at(4))])
  expect(two('SELECT project FROM sessions')).toEqual([{ project: '/one' }])
})

test('only thinking with a text counts, and an unproven sender is noted', () => {
  const thinking = (text: string) =>
    draft('thinking', at(1), { text, signature_only: text === '', message_id: null, index: 0 })
  const request = (more: object) =>
    draft('model_request', at(1), {
      exchange_id: 'x',
      request_kind: 'prompt',
      method: 'POST',
      path: '/v1/messages',
      model: null,
      headers: [],
      request: null,
      message_count: 0,
      body_bytes: 0,
      ...more,
    })
  const read = stored([thinking('hm'), thinking(''), request({ unproven_sender: true })])
  expect(read('SELECT thinking_blocks, unproven_sender FROM sessions')).toEqual([
    { thinking_blocks: 1, unproven_sender: 1 },
  ])
  expect(read('SELECT sum(thinking_blocks) AS sum FROM rollups')).toEqual([{ sum: 1 }])
  expect(stored([request({})])('SELECT unproven_sender FROM sessions')).toEqual([{ unproven_sender: null }])
})

test("the client's own total is its last, the larger of two at one time, and never damage", () => {
  const cost = (minute: number, totalCostUSD: unknown) =>
    draft('state_change', at(minute), { name: 'client_cost', to: { totalCostUSD } as never })
  const last = (...costs: readonly AnyDraft[]) =>
    stored(costs)('SELECT client_cost_usd AS usd FROM sessions')[0]?.['usd']
  expect(last(cost(2, 5), cost(1, 9))).toBe(5)
  expect(last(cost(1, 5), cost(2, 3))).toBe(3)
  expect(last(cost(2, 5), cost(2, 4))).toBe(5)
  expect(last(cost(1, 5), cost(2, 1e9), cost(3, -1), cost(4, 'much'))).toBe(5)
})

test('sums are by quarter of an hour; a corrected usage counts once, and a lower bound as one', () => {
  const read = stored(
    [prompt(at(0), 'a'), usage(at(14, 59), 'm1', { output_tokens: 5 }), usage(at(15), 'm2', { output_tokens: 7 })],
    [usage(at(44), 'm3', { output_tokens: 1 }, { source: 'transcript', basis: 'lower_bound' })],
  )
  const sums = `SELECT quarter, calls, output_tokens, lower_bound_calls FROM rollups WHERE calls > 0 ORDER BY quarter`
  expect(read(sums)).toEqual([
    { quarter: '2026-11-20T10:00', calls: 1, output_tokens: 5, lower_bound_calls: 0 },
    { quarter: '2026-11-20T10:15', calls: 1, output_tokens: 7, lower_bound_calls: 0 },
    { quarter: '2026-11-20T10:30', calls: 1, output_tokens: 1, lower_bound_calls: 1 },
  ])
  const corrected = stored(
    [usage(at(1), 'm1', { output_tokens: 5 }, { source: 'transcript', basis: 'lower_bound', model: 'x' } as never)],
    [usage(at(1), 'm1', { output_tokens: 50 })],
  )
  expect(corrected(sums)).toMatchObject([{ calls: 1, output_tokens: 50, lower_bound_calls: 0 }])
  expect(corrected('SELECT calls, tokens, unpriced_calls FROM turns')).toEqual([
    { calls: 1, tokens: 50, unpriced_calls: 0 },
  ])
})

test('events that only have the time of their file are in totals, and in no quarter or day', () => {
  const undated = { source: 'transcript', sighting: { time_basis: 'file' } } as More
  const call = (more: More) =>
    draft('tool_call', at(1), { call_id: 'c', tool_name: 'Bash', input: {}, message_id: null, index: 0 }, more)
  const read = stored([{ ...call(undated), keys: ['call:c'] }, prompt(at(1), 'a', undated)])
  expect(read('SELECT quarter, prompts, tool_calls FROM rollups')).toEqual([{ quarter: '', prompts: 1, tool_calls: 1 }])
  expect(read('SELECT day, calls FROM tool_rollups WHERE calls > 0')).toEqual([{ day: '', calls: 1 }])
  expect(read('SELECT time_basis FROM sessions')).toEqual([{ time_basis: 'file' }])
})

test('a call without a price is unpriced until a source names a model that has one', () => {
  const of = (source: 'transcript' | 'wire', model: string) => {
    const known = usage(at(1), 'm1', { output_tokens: source === 'wire' ? 5 : 1 }, { source })
    return { ...known, payload: { ...known.payload, model } } as AnyDraft
  }
  const counts = 'SELECT unpriced_calls FROM sessions UNION ALL SELECT unpriced_calls FROM turns'
  expect(stored([of('transcript', 'no-such-model')])(counts)).toEqual([{ unpriced_calls: 1 }, { unpriced_calls: 1 }])
  const settled = stored([of('transcript', 'no-such-model')], [of('wire', 'claude-sonnet-4-5')])
  expect(settled(counts)).toEqual([{ unpriced_calls: 0 }, { unpriced_calls: 0 }])
})

test('each limit has its own column, and a reset is a moment, by seconds or by a date', () => {
  const limits = {
    'requests-limit': 50,
    'requests-remaining': 49,
    'tokens-limit': 1000,
    'tokens-remaining': 900,
    'input-tokens-limit': 800,
    'input-tokens-remaining': 700,
    'output-tokens-limit': 80,
    'output-tokens-remaining': 70,
    'unified-status': 'allowed',
    'unified-representative-claim': 'five_hour',
    'unified-5h-utilization': 0.25,
    'unified-5h-reset': Date.parse(at(30)) / 1000,
    'unified-7d-utilization': 0.5,
    'unified-7d-reset': '2026-11-25T00:00:00Z',
  }
  expect(stored([draft('rate_limit', at(1), { limits })])('SELECT * FROM rate_limits')).toMatchObject([
    {
      requests_limit: 50,
      requests_remaining: 49,
      tokens_limit: 1000,
      tokens_remaining: 900,
      input_tokens_limit: 800,
      input_tokens_remaining: 700,
      output_tokens_limit: 80,
      output_tokens_remaining: 70,
      unified_status: 'allowed',
      claim: 'five_hour',
      five_hour_used: 0.25,
      five_hour_resets_at: at(30),
      seven_day_used: 0.5,
      seven_day_resets_at: '2026-11-25T00:00:00.000Z',
    },
  ])
  const odd = { 'unified-5h-reset': 'soon', 'unified-7d-reset': 1e300, 'tokens-limit': 'many' }
  expect(stored([draft('rate_limit', at(1), { limits: odd })])('SELECT * FROM rate_limits')).toMatchObject([
    { five_hour_resets_at: null, seven_day_resets_at: null, tokens_limit: null },
  ])
})

test('a refused result did not succeed, counts as refused and not as failed, and is timed only if it has a time', () => {
  const call = (id: string) =>
    draft(
      'tool_call',
      at(1),
      { call_id: id, tool_name: 'Bash', input: {}, message_id: null, index: 0 },
      {
        keys: [`call:${id}`],
      },
    )
  const result = (id: string, outcome: { is_error: boolean; rejected: boolean }, output: string, ms: number | null) =>
    draft('tool_result', at(2), { call_id: id, tool_name: null, output, ...outcome }, {
      keys: [`result:${id}`],
      duration_ms: ms,
    } as More)
  const refused = { is_error: false, rejected: true }
  const read = stored([
    ...['a', 'b', 'c'].map(call),
    result('a', { is_error: false, rejected: false }, 'fine', 40),
    result('b', refused, 'no', null),
    result('c', { is_error: true, rejected: false }, 'x'.repeat(3000), 2),
  ])
  expect(read('SELECT call_id, success, rejected, length(error) AS error FROM tool_results ORDER BY call_id')).toEqual([
    { call_id: 'a', success: 1, rejected: 0, error: null },
    { call_id: 'b', success: 0, rejected: 1, error: 2 },
    { call_id: 'c', success: 0, rejected: 0, error: 2000 },
  ])
  expect(read('SELECT calls, succeeded, failed, timed, duration_ms, rejected FROM tool_rollups')).toEqual([
    { calls: 3, succeeded: 1, failed: 2, timed: 2, duration_ms: 42, rejected: 1 },
  ])
  expect(read('SELECT failed_tools FROM sessions')).toEqual([{ failed_tools: 1 }])
})

test('a wait for a decision at a cap is not working time, in any order of arrival', () => {
  const over = { cap: 'day_usd', limit: 1, used: 1, guess: 0.1, agent_id: null, id: 'held' } as const
  const acted = (minute: number, action: Payloads['guard_action']['action'], decided_by: 'rule' | 'person') =>
    draft('guard_action', at(minute), { ...over, action, decided_by })
  const answer = draft('assistant_text', at(5), { text: 'yes', message_id: null, index: 0 })
  const inOrder = [prompt(at(0), 'a'), acted(0, 'held', 'rule'), acted(4, 'allowed', 'person'), answer]
  for (const drafts of [inOrder, inOrder.toReversed()])
    expect(stored(drafts)('SELECT active_ms FROM sessions')).toEqual([{ active_ms: 60_000 }])
})

test('working time is the gaps within turns of up to five minutes, in any order of arrival', () => {
  const said = (minute: number, second = 0) =>
    draft('assistant_text', at(minute, second), { text: `${minute} ${second}`, message_id: null, index: 0 })
  // One minute of work, a pause before the next prompt, and a gap of more than five minutes.
  const inOrder = [prompt(at(0), 'a'), said(1), prompt(at(3), 'b'), said(3, 30), said(10)]
  const active = (...groups: readonly (readonly AnyDraft[])[]) => stored(...groups)('SELECT active_ms FROM sessions')
  expect(active(inOrder)).toEqual([{ active_ms: 90_000 }])
  expect(active(inOrder.toReversed())).toEqual([{ active_ms: 90_000 }])
  expect(active(inOrder, [said(6)])).toEqual([{ active_ms: 90_000 + 150_000 + 240_000 }])
  // More late events than are kept in memory.
  const many = Array.from({ length: 40 }, (_, at) => said(20 + Math.floor(at / 2), (at % 2) * 30))
  const all = [prompt(at(19), 'a'), ...many]
  expect(active(all.slice(5), all.slice(0, 5))).toEqual(active(all))
})

test('prompts are numbered by their time, also of one moment, and close up when one is taken back', () => {
  const numbers = 'SELECT prompt_number AS n, content FROM user_prompts ORDER BY prompt_number'
  const same = stored([prompt(at(1), 'a'), prompt(at(1), 'b')], [prompt(at(0), 'older')])
  expect(same(numbers)).toEqual([
    { n: 1, content: 'older' },
    { n: 2, content: 'a' },
    { n: 3, content: 'b' },
  ])
  const drafts = ['a', 'b', 'c', 'd'].map((text, index) =>
    prompt(at(index), text, { keys: [`prompt:${text}`] } as More),
  )
  const back = { ...prompt(at(1), 'b', { source: 'transcript' }), keys: ['prompt:b'], sighting: { not_a_prompt: true } }
  const taken = stored(drafts, [back])
  expect(taken(numbers)).toEqual([
    { n: 1, content: 'a' },
    { n: 2, content: 'c' },
    { n: 3, content: 'd' },
  ])
  expect(taken('SELECT prompts FROM sessions UNION ALL SELECT sum(prompts) FROM rollups')).toEqual([
    { prompts: 3 },
    { prompts: 3 },
  ])
})

test('a title is the earliest prompt that says something, until the client gives one', () => {
  const title = (...drafts: readonly AnyDraft[]) => stored(drafts)('SELECT title FROM sessions')[0]?.['title']
  const named = (minute: number, name: string, to: string) => draft('state_change', at(minute), { name, to })
  expect(title(prompt(at(2), 'later'), prompt(at(1), 'earlier'))).toBe('earlier')
  expect(title(prompt(at(1), '/clear'), prompt(at(2), 'mend the lock'))).toBe('mend the lock')
  expect(title(prompt(at(1), '/clear'))).toBe('/clear')
  expect(title(named(1, 'custom-title', 'mine'), named(2, 'ai-title', 'theirs'), prompt(at(0), 'x'))).toBe('mine')
  expect(title(named(1, 'ai-title', 'one'), named(2, 'ai-title', 'two'))).toBe('two')
})

test('a compaction is measured by the requests of its own agent, before and after it', () => {
  const compaction = draft('compaction', at(5), {
    trigger: 'auto',
    summary: 'so far',
    tokens_before: null,
    tokens_after: null,
  })
  const of = (minute: number, message: string, input_tokens: number, agent: string | null = null) =>
    usage(at(minute), message, { input_tokens }, { agent_id: agent } as More)
  const sizes = 'SELECT tokens_before, tokens_after FROM compactions'
  const before = [of(1, 'm1', 100), of(2, 'm2', 900), of(3, 'm3', 50, 'agent')]
  const after = [of(6, 'm4', 70, 'agent'), of(7, 'm5', 300), of(8, 'm6', 500)]
  expect(stored([...before, compaction, ...after])(sizes)).toEqual([{ tokens_before: 900, tokens_after: 300 }])
  const told = {
    ...compaction,
    keys: ['told'],
    payload: { ...compaction.payload, tokens_before: 800, tokens_after: 90 },
  }
  expect(stored([...before, told as AnyDraft, ...after])(sizes)).toEqual([{ tokens_before: 800, tokens_after: 90 }])
})

test('an agent keeps the call that started it, and has the outcome of its last end', () => {
  const agent = { agent_id: 'a', agent_type: 'Explore' }
  const start = (call_id: string | null) =>
    draft(
      'agent_started',
      at(1),
      { ...agent, parent_agent_id: null, call_id },
      { keys: ['agent:a:start', `k:${call_id}`] },
    )
  const end = (minute: number, success: boolean) => draft('agent_ended', at(minute), agent, { success } as More)
  const read = stored([start('toolu_1'), end(2, true), end(3, false)])
  expect(read('SELECT call_id, started_at, ended_at, success FROM agents')).toEqual([
    { call_id: 'toolu_1', started_at: at(1), ended_at: at(3), success: 0 },
  ])
})

test('a later source moves the beginning of a session back, and older events do not lower its turns', () => {
  const known = (more: More) => prompt(at(5), 'first', { keys: ['prompt:p1'], ...more } as More)
  const began = known({ source: 'transcript', sighting: { session_began: at(0, 30) } } as More)
  const read = stored(
    [known({}), prompt(at(6), 'second')],
    [began],
    [draft('notification', at(4), { text: 'before the first prompt' })],
  )
  expect(read('SELECT started_at, turn_count FROM sessions')).toEqual([{ started_at: at(0, 30), turn_count: 2 }])
})

test("a line that the client wrote itself costs nothing, and of two equal figures the wire's model counts", () => {
  const of = (model: string, source: 'transcript' | 'wire') => {
    const known = usage(at(1), 'm1', { output_tokens: 5 }, { source })
    return { ...known, payload: { ...known.payload, model } } as AnyDraft
  }
  const synthetic = stored([of('<synthetic>', 'transcript')])
  expect(synthetic('SELECT total_tokens, unpriced_calls FROM sessions')).toEqual([
    { total_tokens: 0, unpriced_calls: 0 },
  ])
  expect(synthetic('SELECT * FROM rollups WHERE calls > 0')).toEqual([])
  const both = stored([of('no-such-model', 'transcript')], [of('claude-sonnet-4-5', 'wire')])
  expect(both('SELECT total_tokens, unpriced_calls FROM sessions')).toEqual([{ total_tokens: 5, unpriced_calls: 0 }])
})

test('every error counts, of the API all but our own; a refused call that reports an error has not failed', () => {
  const error = (origin: Payloads['error']['origin']) =>
    draft('error', at(1), { origin, type: null, message: origin, status: null })
  const refused = draft(
    'tool_result',
    at(2),
    { call_id: 'c', tool_name: 'Bash', output: 'no', is_error: true, rejected: true },
    { keys: ['result:c'] },
  )
  const origins = ['upstream', 'stream', 'connection', 'client', 'capture'] as const
  const read = stored([...origins.map(error), refused])
  const counts = 'SELECT errors, api_errors, failed_tools FROM'
  for (const table of ['sessions', 'turns', 'rollups WHERE errors + api_errors > 0'])
    expect(read(`${counts} ${table}`), table).toEqual([{ errors: 5, api_errors: 4, failed_tools: 0 }])
})

test('an agent that goes on keeps the call that started it', () => {
  const start = (when: string, call_id: string | null) =>
    draft('agent_started', when, { agent_id: 'a', agent_type: null, parent_agent_id: null, call_id })
  expect(stored([start(at(1), 'toolu_1'), start(at(2), null)])('SELECT call_id FROM agents')).toEqual([
    { call_id: 'toolu_1' },
  ])
})
