import { expect, test } from 'vitest'
import { createSummaries } from '../../../shared/fixtures/event-summary.ts'
import type { Delta, EventSummary } from '../../../shared/live-feed.ts'
import { LiveStore } from './live-store.ts'
import { isUncaptured, stateOf } from './live-session.ts'

const summaryOf = createSummaries()
const event = (change: Partial<EventSummary>) => summaryOf('assistant_text', change)

function delta(change: Partial<Delta>): Delta {
  return {
    session_id: 's1',
    agent_id: null,
    exchange_id: 'x1',
    message_id: 'm1',
    index: 0,
    block: 'thinking',
    text: '',
    ...change,
  }
}

test('a batch notifies listeners once, whatever its size', () => {
  const store = new LiveStore()
  let notices = 0
  store.subscribe(() => (notices += 1))
  store.accept(
    { events: Array.from({ length: 500 }, () => event({})), deltas: [delta({ text: 'a' }), delta({ text: 'b' })] },
    0,
  )
  expect(notices).toBe(1)
  expect(store.getSnapshot().received).toBe(500)
  expect(store.rate(0)).toBe(50)
})

test('what waits for a decision stays until a batch says otherwise, or the feed is lost', () => {
  const store = new LiveStore()
  const held = [{ id: 'x' }] as never
  store.accept({ events: [], deltas: [], held }, 0)
  store.accept({ events: [event({})], deltas: [] }, 0)
  expect(store.getSnapshot().held).toBe(held)
  store.accept({ events: [], deltas: [], held: [] }, 0)
  expect(store.getSnapshot().held).toEqual([])
  store.accept({ events: [], deltas: [], held }, 0)
  store.setStatus('lost')
  expect(store.getSnapshot().held).toEqual([])
})

test('a prompt that was the client’s own words disappears, and one with other words shows them', () => {
  const store = new LiveStore()
  const make = createSummaries()
  const [own, typed] = [make('user_prompt', { text: 'I go on' }), make('user_prompt', { text: 'why  here?' })]
  store.accept({ events: [own, typed], deltas: [] }, 0)
  const corrected = [
    { uuid: own.uuid, session_id: own.session_id, turn_id: own.turn_id, is_prompt: false, text: 'I go on' },
    { uuid: typed.uuid, session_id: typed.session_id, turn_id: typed.turn_id, is_prompt: true, text: 'why <b> here?' },
  ]
  store.accept({ events: [], deltas: [], corrected }, 0)
  expect(store.events(() => true).map(({ text }) => text)).toEqual(['why <b> here?'])
})

test('events repeated after a reconnect count once', () => {
  const store = new LiveStore()
  const first = event({ kind: 'api_usage', cost_usd: 0.5, tokens: 10 })
  store.accept({ events: [first], deltas: [] }, 0)
  store.accept({ events: [first, event({ kind: 'api_usage', cost_usd: 0.25, tokens: 5 })], deltas: [] }, 1)
  expect(store.events(() => true)).toHaveLength(2)
  expect(store.getSnapshot().sessions[0]).toMatchObject({ cost_usd: 0.75, tokens: 15 })
})

test('text grows while it is written and disappears when its event arrives', () => {
  const store = new LiveStore()
  store.accept({ events: [event({ kind: 'user_prompt', text: 'why?' })], deltas: [delta({ text: 'Let me ' })] }, 0)
  store.accept(
    { events: [], deltas: [delta({ text: 'think' }), delta({ index: 1, block: 'text', text: 'Because' })] },
    100,
  )
  expect(store.getSnapshot().blocks.map((block) => block.text)).toEqual(['Let me think', 'Because'])
  store.accept({ events: [], deltas: [delta({ done: true })] }, 200)
  store.accept(
    { events: [], deltas: [delta({ exchange_id: 'x2', message_id: 'm2', block: 'text', text: 'A title' })] },
    250,
  )
  store.accept({ events: [event({ kind: 'thinking', message_id: 'm1', index: 0 })], deltas: [] }, 300)
  expect(store.getSnapshot().blocks.map((block) => block.text)).toEqual(['Because', 'A title'])
  store.accept({ events: [event({ kind: 'model_response', exchange_id: 'x2' })], deltas: [] }, 350)
  expect(store.getSnapshot().blocks.map((block) => block.text)).toEqual(['Because'])
  store.accept({ events: [event({ kind: 'model_response', exchange_id: 'x1' })], deltas: [] }, 400)
  expect(store.getSnapshot().blocks).toEqual([])
})

test('an event that arrives before the end of its text still removes it', () => {
  const store = new LiveStore()
  store.accept({ events: [], deltas: [delta({ text: 'Let me ' })] }, 0)
  store.accept({ events: [event({ kind: 'thinking', message_id: 'm1', index: 0 })], deltas: [] }, 100)
  store.accept({ events: [], deltas: [delta({ text: 'think', done: true })] }, 200)
  expect(store.getSnapshot().blocks).toEqual([])
  store.accept({ events: [event({ kind: 'model_response', exchange_id: 'x9' })], deltas: [] }, 300)
  store.accept({ events: [], deltas: [delta({ exchange_id: 'x9', text: 'late' })] }, 400)
  expect(store.getSnapshot().blocks).toEqual([])
})

test('a block that never ends expires, and its text is bounded', () => {
  const store = new LiveStore()
  for (let piece = 0; piece < 100; piece += 1)
    store.accept({ events: [], deltas: [delta({ text: 'x'.repeat(500) })] }, piece)
  expect(store.getSnapshot().blocks[0]?.text.length).toBe(8000)
  store.accept({ events: [], deltas: [] }, 400_000)
  expect(store.getSnapshot().blocks).toEqual([])
})

test('a new turn resets its totals and ignores late events of the previous turn', () => {
  const store = new LiveStore()
  store.accept(
    {
      events: [
        event({ kind: 'user_prompt', text: 'first' }),
        event({ kind: 'api_usage', tokens: 100, cost_usd: 1 }),
        event({ kind: 'user_prompt', text: 'second', turn_id: 2 }),
        event({ kind: 'tool_call', tool_name: 'Bash', turn_id: 2 }),
        event({ kind: 'agent_started', agent_id: 'a1', text: 'explorer', turn_id: 2 }),
        event({ kind: 'api_usage', tokens: 7, cost_usd: null, turn_id: 2, agent_id: 'a1' }),
        event({ kind: 'api_usage', tokens: 50, cost_usd: 0.5, turn_id: 1 }),
      ],
      deltas: [],
    },
    0,
  )
  expect(store.getSnapshot().sessions[0]).toMatchObject({
    prompt: 'second',
    tokens: 7,
    cost_usd: 0,
    unpriced: 1,
    tools: 1,
    agents: [{ agent_id: 'a1', name: 'explorer', ended: false }],
  })
})

test('the state prefers what is being written over the last event', () => {
  const store = new LiveStore()
  store.accept({ events: [event({ kind: 'tool_call', tool_name: 'Read' })], deltas: [] }, 0)
  const session = store.getSnapshot().sessions[0]
  if (!session) throw new Error('no session')
  const now = Date.parse(session.last_event_at)
  expect(stateOf(session, 'thinking', now)).toBe('thinking')
  expect(stateOf(session, null, now)).toBe('tool')
  expect(stateOf(session, null, now + 600_000)).toBe('quiet')
  const after = (change: Partial<EventSummary>) => {
    store.accept({ events: [event(change)], deltas: [] }, 0)
    const known = store.getSnapshot().sessions[0]
    return known ? stateOf(known, null, now) : null
  }
  expect(after({ kind: 'model_response', text: '200 end_turn' })).toBe('tool')
  expect(after({ kind: 'tool_result' })).toBe('waiting')
  expect(after({ kind: 'tool_call', agent_id: 'a1' })).toBe('waiting')
  expect(after({ kind: 'turn_ended', agent_id: 'a1' })).toBe('waiting')
  expect(after({ kind: 'turn_ended' })).toBe('done')
  expect(after({ kind: 'model_request', text: 'POST /v1/messages (side_call)' })).toBe('done')
  expect(after({ kind: 'model_response' })).toBe('done')
  expect(after({ kind: 'user_prompt', text: 'more' })).toBe('waiting')
})

test('a session starts, waits, and ends, by its hooks, its record, or as its client exits after a turn', () => {
  const known = (...changes: readonly Partial<EventSummary>[]) => {
    const store = new LiveStore()
    const make = createSummaries()
    store.accept({ events: changes.map((change) => make(change.kind ?? 'notification', change)), deltas: [] }, 0)
    const [session] = store.getSnapshot().sessions
    if (!session) throw new Error('no session')
    const at = Date.parse(session.last_event_at)
    return {
      after: (seconds: number) => [
        stateOf(session, null, at + seconds * 1000),
        isUncaptured(session, at + seconds * 1000),
      ],
      stored: stateOf(session, null, at, { ended_at: session.last_event_at }),
    }
  }
  const start = { kind: 'session_started', source: 'hook' } as const
  const prompt = { kind: 'user_prompt', source: 'hook' } as const
  const started = known(start)
  expect([1, 30, 300].map((seconds) => started.after(seconds))).toEqual([
    ['starting', false],
    ['done', false],
    ['quiet', false],
  ])
  expect(known(start, { kind: 'session_ended', source: 'hook' }).after(30)).toEqual(['unused', false])
  const prompted = known(start, prompt)
  expect([prompted.after(1), prompted.after(20)]).toEqual([
    ['waiting', false],
    ['waiting', true],
  ])
  const request = { kind: 'model_request', source: 'wire' } as const
  const asked = [start, prompt, request] as const
  const turnEnd = { kind: 'turn_ended', source: 'wire' } as const
  expect(known(...asked).after(20)).toEqual(['waiting', false])
  expect(known(...asked, turnEnd).after(20)).toEqual(['done', false])
  expect(known(...asked, turnEnd).stored).toBe('ended')
  expect(known(start, prompt, { ...request, is_print: true }, turnEnd).after(20)).toEqual(['ended', false])
})

test('the context size follows the main agent only, and a compaction resets it', () => {
  const store = new LiveStore()
  const usage = (tokens: number, model: string, agent_id: string | null = null) =>
    event({ kind: 'api_usage', tokens, model, agent_id })
  const session = (...events: EventSummary[]) => {
    store.accept({ events, deltas: [] }, 0)
    return store.getSnapshot().sessions[0]
  }
  expect(session(usage(600, 'haiku'), usage(38_000, 'opus'))).toMatchObject({ model: 'opus', context: 38_000 })
  expect(session(usage(900, 'haiku'), usage(50_000, 'sonnet', 'a1'))).toMatchObject({ model: 'opus', context: 38_000 })
  expect(session(usage(41_000, 'opus'))).toMatchObject({ context: 41_000 })
  expect(session(event({ kind: 'compaction' }))).toMatchObject({ context: null })
  expect(session(usage(9000, 'opus'))).toMatchObject({ context: 9000, tokens: 139_500 })
})
