import { expect, test } from 'vitest'
import type { AnyEvent } from '../../../shared/event.ts'
import { decodeRequest } from '../wire/anthropic-messages/request.ts'
import { clientOfEvent, clientOfSighting, isOfPrintMode } from './client-of-event.ts'

const NO_HISTORY = {
  knownMessages: 0,
  previousResponseSeen: false,
  identicalToPrevious: false,
  previousRequestUuid: null,
}
const eventOf = (kind: string, payload: object, source = 'wire', session_id = 's') =>
  ({ kind, payload, source, session_id }) as unknown as AnyEvent
const requestOf = (userAgent: string) =>
  eventOf('model_request', {
    headers: [
      ['accept', '*/*'],
      ['User-Agent', userAgent],
    ],
  })

test.each([
  ['claude-cli/2.1.330 (external, cli)', 'claude-code', '2.1.330'],
  ['claude-cli/2.1.330 (external, sdk-cli)', 'claude-code', '2.1.330'],
  ['claude-cli/2.0.14 (external, claude-vscode)', 'claude-code', '2.0.14'],
  ['claude-code/2.1.9', 'claude-code', '2.1.9'],
  ['claude-cli/1.0.51', 'claude-code', '1.0.51'],
  ['claude-cli/2.1.330 (external, sdk-ts)', 'agent-sdk', '2.1.330'],
  ['claude-cli/2.1.330 (external, sdk-py, agent-sdk/0.1.44)', 'agent-sdk', '0.1.44'],
  ['claude-cli/2.1.330 (external, sdk-ts, agent-sdk/0.2.7, client-app/x)', 'agent-sdk', '0.2.7'],
  ['Anthropic/JS 0.68.0', 'anthropic-sdk', '0.68.0'],
  ['Anthropic/Python 0.72.0', 'anthropic-sdk', '0.72.0'],
  ['AsyncAnthropic/Python 0.72.0', 'anthropic-sdk', '0.72.0'],
  ['Anthropic/Go 1.19.0', 'anthropic-sdk', '1.19.0'],
  ['claude-cli/<script>', 'claude-code', null],
  ['pi/1.5.2', 'pi', '1.5.2'],
  ['codex_cli_rs/0.169.0 (Debian 12.0.0; x86_64) xterm', 'codex', '0.169.0'],
  ['codex_vscode_copilot/0.130.0 (Mac OS 15.5.0; arm64) vscode/1.101', 'codex', '0.130.0'],
  ['codex-tui/0.171.0 (Windows 10.0.26100; x86_64) unknown (codex-tui; 0.171.0)', 'codex', '0.171.0'],
  ['Codex Desktop/0.145.1 (Windows 10.0.26100; x86_64) unknown (Codex Desktop; 26.1)', 'codex', '0.145.1'],
  ['kimi-code-cli/2.1.0', 'kimi-code', '2.1.0'],
  ['opencode/1.18.33 ai-sdk/6', 'opencode', '1.18.33'],
])('%s is %s %s', (userAgent, client, version) => {
  expect(clientOfEvent(requestOf(userAgent))).toMatchObject({ client, version })
})

test.each([
  'CodexBar/0.9 (macOS 15; arm64)',
  'codex-proxy/1.4.0',
  'codexia/0.2 (Linux; x86_64)',
  'codex2api/1.0',
  'codex-relay/1 (Linux; x64)',
  'tutti-desktop/0.130.0 (Mac OS 15; arm64)',
  'not codex_exec/0.169.0',
  'curl/8.5.0',
  'axios/1.8.1',
  'my claude-cli/2.1',
  '',
  `claude-cli/2 ${'x'.repeat(600)}`,
])('the user agent "%s" names no client', (userAgent) => expect(clientOfEvent(requestOf(userAgent))).toBeNull())

test.each([[undefined], [null], ['text'], [[null]], [[['user-agent']]], [[['user-agent', 7]]], [[[3, 4]]]])(
  'headers %j name no client',
  (headers) => expect(clientOfEvent(eventOf('model_request', { headers }))).toBeNull(),
)

test('the header of a session names the client if the user agent does not', () => {
  const named = [['X-Claude-Code-Session-Id', 's']]
  expect(clientOfEvent(eventOf('model_request', { headers: named }))).toMatchObject({ client: 'claude-code' })
  const both = [...named, ['user-agent', 'claude-cli/2.1.3 (external, sdk-py)']]
  expect(clientOfEvent(eventOf('model_request', { headers: both }))).toMatchObject({ client: 'agent-sdk' })
})

test('a request with the user agent of Claude Code and none of its marks names no client', () => {
  const headers = [['user-agent', 'claude-cli/0.24.4 (external, cli)']]
  expect(clientOfEvent(eventOf('model_request', { headers, client: [null, null] }))).toBeNull()
  const sdk = [['user-agent', 'Anthropic/JS 0.94.0']]
  const copilot = [...sdk, ['x-interaction-type', 'conversation-agent']]
  expect(clientOfEvent(eventOf('model_request', { headers: copilot }))).toMatchObject({ client: 'copilot-cli' })
})

const CLAUDE = 'claude-cli/2.1.332 (external, cli)'
const IDENTITY = "You are Claude Code, Anthropic's official CLI for Claude."
const PI = 'You are an expert coding assistant operating inside pi, a coding agent harness.'
const QWEN = 'You are Qwen Code, a non-interactive CLI agent developed by Alibaba Group'
const MARKED = { 'x-claude-code-session-id': '0b6f8c1e-0000-4000-8000-000000000001' }
const COPILOT = { 'x-interaction-type': 'conversation-user', 'x-initiator': 'user' }

test.each<[string, string | null, { userAgent: string; headers?: Record<string, string>; system?: string[] }]>([
  ['Claude Code itself', 'claude-code 2.1.332', { userAgent: CLAUDE, headers: MARKED, system: [IDENTITY] }],
  [
    'an agent of Claude Code that plays another',
    'claude-code 2.1.332',
    { userAgent: CLAUDE, headers: MARKED, system: [QWEN] },
  ],
  ['Qwen Code as Claude Code', 'qwen-code 0.24.4', { userAgent: 'claude-cli/0.24.4 (external, cli)', system: [QWEN] }],
  ['Qwen Code before that', 'qwen-code 0.15.10', { userAgent: 'QwenCode/0.15.10 (linux; x64)' }],
  ['pi with a subscription, as Claude Code', 'pi null', { userAgent: CLAUDE, system: [IDENTITY, PI] }],
  [
    'OpenCode with a plug-in, as Claude Code',
    'opencode null',
    { userAgent: CLAUDE, headers: { ...MARKED, 'x-opencode-session-id': 'ses_de15ef1e8ffePXi4' }, system: [IDENTITY] },
  ],
  [
    'OpenCode by its system prompt',
    'opencode null',
    { userAgent: CLAUDE, system: [IDENTITY, 'You are OpenCode, the best coding agent on the planet.'] },
  ],
  [
    'Copilot CLI with the SDK',
    'copilot-cli 1.0.102',
    {
      userAgent: 'Anthropic/JS 0.94.0',
      headers: COPILOT,
      system: ['<version_information>Version number: 1.0.102</version_information>'],
    },
  ],
  ['an editor with the header of Copilot CLI', null, { userAgent: 'GitHubCopilotChat/0.33.0', headers: COPILOT }],
  [
    'the SDK with another such header',
    'anthropic-sdk 0.94.0',
    { userAgent: 'Anthropic/JS 0.94.0', headers: { 'x-interaction-type': 'batch' } },
  ],
  ['a program that begins like another', null, { userAgent: 'opencode-proxy/1.18.34' }],
  ['a program of the same name as pi', null, { userAgent: 'pi/3.14 (raspberry; arm64)' }],
  ['Kimi Code', 'kimi-code 2.1.0', { userAgent: 'kimi-code-cli/2.1.0' }],
  [
    'an unknown client as Claude Code',
    null,
    { userAgent: 'claude-cli/2.1.300 (external, cli)', system: ['You are a helpful assistant.'] },
  ],
])('%s is %s', (_, expected, { userAgent, headers = {}, system = [] }) => {
  const body = { model: 'm', max_tokens: 9, system: system.map((text) => ({ type: 'text', text })), messages: [] }
  const sent = Object.entries({ 'user-agent': userAgent, ...headers })
  const exchange = { exchange: 'e', method: 'POST', path: '/v1/messages', headers: sent, wall: 0, at: 0 }
  const lookups = { hash: (text: string) => text, findAgentCall: () => null }
  const { drafts } = decodeRequest(exchange, body, NO_HISTORY, lookups)
  const fact = clientOfEvent(drafts.at(-1) as unknown as AnyEvent)
  expect(fact === null ? null : `${fact.client} ${fact.version}`).toBe(expected)
})

test('hooks and transcripts name a client by their source, and a transcript its version in a sighting', () => {
  const prompt = (source: string) => clientOfEvent(eventOf('user_prompt', { text: 'a' }, source))
  expect(prompt('hook')).toMatchObject({ client: 'claude-code', version: null })
  expect(prompt('transcript')).toMatchObject({ client: 'claude-code', version: null })
  const ofCodex = eventOf('user_prompt', { text: 'a' }, 'transcript', 'codex-01a205a3')
  expect(clientOfEvent(ofCodex)).toMatchObject({ client: 'codex', version: null })
  expect(prompt('wire')).toBeNull()
  expect(prompt('api')).toBeNull()
  expect(clientOfSighting('transcript', { client: 'agent-sdk', client_version: '2.1.3' }, 's')).toMatchObject({
    client: 'agent-sdk',
    version: '2.1.3',
  })
  expect(clientOfSighting('wire', { client: 7 }, 's')).toBeNull()
  expect(clientOfSighting('transcript', null, 'codex-01a205a3')).toMatchObject({ client: 'codex', version: null })
})

test.each([
  ['claude-cli/2.1.330 (external, sdk-cli)', true],
  ['claude-cli/2.1.330 (external, cli)', false],
  ['claude-cli/2.1.330 (external, sdk-ts, agent-sdk/0.2.7)', false],
  ['curl/8 (sdk-cli)', false],
])('%s exits after its turn: %s', (userAgent, isPrint) => {
  expect(isOfPrintMode([['User-Agent', userAgent]])).toBe(isPrint)
  expect(isOfPrintMode([['accept', userAgent], 'x'])).toBe(false)
})
