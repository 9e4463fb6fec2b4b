import { expect, test } from 'vitest'
import { decode, user } from '../../../fixtures/transcript-lines.ts'

/** Lines that 2.1.332 writes about a session, again at each start. */
const NOTES: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  { type: 'last-prompt', lastPrompt: 'p', leafUuid: 'u1' },
  { type: 'agent-name', agentName: 'a' },
  { type: 'agent-color', agentColor: 'c' },
  { type: 'agent-setting', agentSetting: 's' },
  { type: 'mode', mode: 'm' },
  { type: 'permission-mode', permissionMode: 'plan' },
  { type: 'repl-mode', replMode: true },
  { type: 'session-owner', accountUuid: 'a' },
  { type: 'hybrid-organization', organizationUuid: 'o' },
  { type: 'isolation-latch', side: 'host' },
  { type: 'dev-mods', folder: '/w' },
  { type: 'memory-mode', mode: 'm', afterUuid: 'u1', timestamp: '2026-11-01T10:00:00.000Z' },
  { type: 'atis-latch', atis: 'x' },
  { type: 'tools-used', tools: ['Bash'] },
  { type: 'data-flow-records', v: 1, records: [] },
  { type: 'data-flow-incomplete', v: 1 },
  { type: 'derived-from', v: 1, sessions: [] },
]

test('the client’s notes about a session are no events', () => {
  const notes = NOTES.map((note) => ({ ...note, sessionId: 's1' }))
  expect(decode([user('u1', null, 'Go.'), ...notes]).map(({ kind }) => kind)).toEqual(['user_prompt'])
})

test('a session that moves to another folder says so once for each, however often the line comes', () => {
  const moved = (relocatedCwd: string) => ({ type: 'relocated', sessionId: 's1', relocatedCwd })
  const drafts = decode([user('u1', null, 'Go.'), moved('/w/tree'), moved('/w/tree'), moved('/w')])
  expect(drafts.map(({ payload }) => ('name' in payload ? [payload.name, payload.to] : []))).toEqual([
    [],
    ['relocated', '/w/tree'],
    ['relocated', '/w/tree'],
    ['relocated', '/w'],
  ])
  expect(new Set(drafts.flatMap(({ keys }) => keys)).size).toBe(3)
})
