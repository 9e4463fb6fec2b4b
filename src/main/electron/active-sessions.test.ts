import { expect, test } from 'vitest'
import { createActiveSessions } from './active-sessions.ts'

const noon = Date.parse('2026-11-22T12:00:00.000Z')
const minutes = (n: number) => n * 60_000
const event = (session_id: string, atMinute: number, more: object = {}) => ({
  session_id,
  kind: 'assistant_text' as const,
  source: 'wire' as const,
  ts_wall: new Date(noon + minutes(atMinute)).toISOString(),
  ...more,
})

test('a session is active for half an hour after its last event, or until it ends', () => {
  const active = createActiveSessions()
  active.add([event('a', 0), event('b', 0, { source: 'transcript' }), event('c', 0)])
  active.add([event('c', 20), event('a', 1, { kind: 'session_ended' })])
  expect(active.count(noon + minutes(25))).toEqual({ sessions: 2, clients: 1 })
  expect(active.count(noon + minutes(31))).toEqual({ sessions: 1, clients: 1 })
  expect(active.count(noon + minutes(51))).toEqual({ sessions: 0, clients: 0 })
})

test('a later hook does not hide that a session uses the proxy', () => {
  const active = createActiveSessions()
  active.add([event('a', 0), event('a', 1, { source: 'hook' })])
  expect(active.count(noon)).toEqual({ sessions: 1, clients: 1 })
})

test('after sleep or after the clock is set back, old sessions are not active', () => {
  const active = createActiveSessions()
  active.add([event('a', 0)])
  expect(active.count(noon + minutes(8 * 60))).toEqual({ sessions: 0, clients: 0 })
  active.add([event('a', 8 * 60)])
  expect(active.count(noon)).toEqual({ sessions: 0, clients: 0 })
  active.add([event('b', 1)])
  expect(active.count(noon)).toEqual({ sessions: 1, clients: 1 })
})

test("a client's own requests alone do not make a session active", () => {
  const active = createActiveSessions()
  active.add([event('hello', 0, { kind: 'model_request' }), event('hello', 0, { kind: 'model_response' })])
  expect(active.count(noon)).toEqual({ sessions: 0, clients: 0 })
  active.add([event('hello', 1, { kind: 'user_prompt' }), event('hello', 2, { kind: 'model_request' })])
  expect(active.count(noon + minutes(31))).toEqual({ sessions: 1, clients: 1 })
})
