import { expect, test } from 'vitest'
import { criticalPath, pathTotals } from './critical-path.ts'
import type { TimelineItem } from './timeline-items.ts'
import type { Agent } from './timeline-rows.ts'

/** An item of seconds `from` to `to`. */
function item(kind: TimelineItem['kind'], uuid: string, from: number, to = from, more: Partial<TimelineItem> = {}) {
  const times = { start: from * 1000, end: to * 1000 }
  return { kind, uuid, label: uuid, callId: null, messageId: null, failed: false, ...times, ...more } as TimelineItem
}
const response = (message: string, from: number, to: number) =>
  item('model_response', `response ${message}`, from, to, { messageId: message })
const tool = (name: string, message: string, from: number, to: number) =>
  item('tool_result', name, from, to, { callId: `call ${name}`, messageId: message })
const agent = (id: string, call: string, from: number, to: number, parent: string | null = null) =>
  ({
    agent_id: id,
    call_id: call,
    parent_agent_id: parent,
    started_at: new Date(from * 1000).toISOString(),
    ended_at: new Date(to * 1000).toISOString(),
  }) as Agent

const NO_AGENTS = { agents: [], ofAgents: new Map() }
const steps = (path: ReturnType<typeof criticalPath>) =>
  path?.steps.map(({ kind, from, to }) => `${kind} ${from / 1000}–${to / 1000}`)

test('of parallel calls the slowest is on the path, and side requests are not', () => {
  const path = criticalPath({
    ...NO_AGENTS,
    items: [
      item('user_prompt', 'prompt', 0),
      item('model_response', 'title', 0, 9, { messageId: 'title' }),
      response('m1', 0, 3),
      item('thinking', 'thought', 1, 2, { messageId: 'm1' }),
      // Begins before its response has ended.
      tool('slow', 'm1', 2, 8),
      tool('quick', 'm1', 3, 4),
      response('m2', 8, 11),
      item('assistant_text', 'answer', 11, 11, { messageId: 'm2' }),
    ],
  })
  expect(steps(path)).toEqual(['model 0–2', 'tool 2–8', 'model 8–11'])
  expect([...(path?.spans.keys() ?? [])].toSorted()).toEqual(['response m1', 'response m2', 'slow'])
  expect(path?.lengthMs).toBe(11_000)
})

test('time between two steps is a pause, for a permission or after a response that failed', () => {
  const path = criticalPath({
    ...NO_AGENTS,
    items: [
      item('user_prompt', 'prompt', 0),
      item('model_response', 'overloaded', 1, 2, { failed: true }),
      response('m1', 4, 6),
      tool('asked', 'm1', 10, 11),
      item('model_response', 'cut', 12, 12, { failed: true }),
    ],
  })
  expect(steps(path)).toEqual([
    'pause 0–1',
    'model 1–2',
    'pause 2–4',
    'model 4–6',
    'pause 6–10',
    'tool 10–11',
    'pause 11–12',
  ])
  if (path === null) return
  expect(pathTotals(path)).toEqual([
    ['pause', 8000],
    ['model', 3000],
    ['tool', 1000],
  ])
})

test('without responses, as in an import, the time before what the model wrote is its own', () => {
  const path = criticalPath({
    ...NO_AGENTS,
    items: [
      item('user_prompt', 'prompt', 0),
      item('thinking', 'thought', 4, 4, { messageId: 'm1' }),
      tool('one', 'm1', 5, 9),
      item('assistant_text', 'answer', 12, 12, { messageId: 'm2' }),
      item('notification', 'idle', 90),
    ],
  })
  expect(steps(path)).toEqual(['model 0–4', 'model 4–5', 'tool 5–9', 'model 9–12'])
  expect([...(path?.spans.keys() ?? [])].toSorted()).toEqual(['answer', 'one', 'thought'])
})

const AGENT_TURN = [
  item('user_prompt', 'prompt', 0),
  response('m1', 0, 2),
  tool('a', 'm1', 2, 20),
  tool('b', 'm1', 2, 30),
]

test('a subagent counts by its own path, and as a whole while its steps are not loaded', () => {
  const agents = [agent('quick', 'call a', 2, 20), agent('slow', 'call b', 3, 30)]
  const whole = criticalPath({ items: AGENT_TURN, agents, ofAgents: new Map() })
  expect(steps(whole)).toEqual(['model 0–2', 'agent 2–30'])
  expect(whole?.agents).toEqual(['slow'])
  const inner = [response('n1', 3, 10), tool('search', 'n1', 10, 25), item('assistant_text', 'found', 30, 30)]
  const path = criticalPath({ items: AGENT_TURN, agents, ofAgents: new Map([['slow', inner]]) })
  expect(steps(path)).toEqual(['model 0–2', 'pause 2–3', 'model 3–10', 'tool 10–25', 'pause 25–30'])
  expect(path?.spans.get('agent slow')).toEqual({ from: 2000, to: 30_000 })
  expect(path?.spans.get('b')).toEqual({ from: 2000, to: 30_000 })
  expect(path?.spans.has('search')).toBe(true)
})

test('an agent in the background is on the path only if the turn waited for it', () => {
  const turn = (last: number) => [
    item('user_prompt', 'prompt', 0),
    response('m1', 0, 2),
    tool('start', 'm1', 2, 2.1),
    response('m2', 2.1, 5),
    item('assistant_text', 'wait', 5, 5, { messageId: 'm2' }),
    response('m3', last, last + 1),
    item('assistant_text', 'done', last + 1, last + 1, { messageId: 'm3' }),
  ]
  const agents = [agent('bg', 'call start', 2.1, 40)]
  const waited = criticalPath({ items: turn(40), agents, ofAgents: new Map() })
  expect(steps(waited)).toEqual(['model 0–2', 'tool 2–2.1', 'agent 2.1–40', 'model 40–41'])
  expect(criticalPath({ items: turn(6), agents, ofAgents: new Map() })?.agents).toEqual([])
})

test('agents that name each other as parents end, and nothing has no path', () => {
  const agents = [agent('loop', 'call b', 2, 30), agent('loop', 'call b', 2, 30, 'loop')]
  const path = criticalPath({ items: AGENT_TURN, agents, ofAgents: new Map([['loop', AGENT_TURN]]) })
  expect(path?.lengthMs).toBe(30_000)
  expect(criticalPath({ ...NO_AGENTS, items: [] })).toBeNull()
  expect(criticalPath({ ...NO_AGENTS, items: [item('user_prompt', 'prompt', 0)] })).toBeNull()
})
