import { expect, test } from 'vitest'
import type { Json } from '../../../../shared/event.ts'
import { hasClaudeCodeMark, identifySession } from './session-identity.ts'

const hash = (text: string) => `#${text.length}`
const identify = (headers: [string, string][], user_id?: string) =>
  identifySession({ headers, wall: 0 }, { messages: [], ...(user_id ? { metadata: { user_id } } : {}) }, hash)

test.each<[string, [string, string][], string | undefined, string]>([
  ['its own header', [['X-Claude-Code-Session-Id', 'aaaa-bbbb']], 'session_other_1', 'aaaa-bbbb'],
  ['JSON in user_id', [], '{"session_id":"aaaa-cccc"}', 'aaaa-cccc'],
  ['the older user_id', [], 'user_1_account_2_session_aaaa-dddd', 'aaaa-dddd'],
  ['x-session-id', [['X-Session-Id', 'ses_01abcdef']], undefined, 'ses_01abcdef'],
  ['x-session-affinity', [['x-session-affinity', 'ses_02abcdef']], undefined, 'ses_02abcdef'],
  ['a user_id that is a session', [], 'session_0b1c2d3e', 'session_0b1c2d3e'],
])('a session is named by %s', (_, headers, userId, id) => {
  expect(identify(headers, userId)).toMatchObject({ sessionId: id, unnamed: null })
})

test.each<[string, [string, string][], string | undefined]>([
  ['nothing', [], undefined],
  ['a user', [], 'user-4711'],
  ['an impossible id', [['x-session-id', '../../etc/passwd']], undefined],
  ['too short an id', [['x-session-id', '1']], undefined],
  ['too long an id', [['x-session-id', 'x'.repeat(200)]], 'session_'],
])('%s names no session', (_, headers, userId) => {
  expect(identify(headers, userId).unnamed).toMatch(/^unnamed-/)
})

test.each<[string, [string, string][], Json, boolean]>([
  ['a user agent', [['user-agent', 'claude-cli/2.1.330 (external, cli)']], {}, false],
  ['x-app', [['x-app', 'cli']], { system: 'You are Qwen Code.' }, false],
  ['the session header', [['x-claude-code-session-id', 's']], null, true],
  ['the system prompt', [], { system: [{ type: 'text', text: 'You are Claude Code, …' }] }, true],
  ['the billing block', [], { system: [{ type: 'text', text: 'x-anthropic-billing-header: cc_version=2' }] }, true],
  ['its user_id', [], { metadata: { user_id: 'user_1_account__session_2' } }, true],
])('%s marks Claude Code: %#', (_, headers, body, marks) => {
  expect(hasClaudeCodeMark(headers, body)).toBe(marks)
})
