import { expect, test } from 'vitest'
import type { AnyEvent } from '../../../shared/event.ts'
import { clientOfEvent, clientOfSighting } from './client-of-event.ts'

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
])('%s is %s %s', (userAgent, client, version) => {
  expect(clientOfEvent(requestOf(userAgent))).toMatchObject({ client, version })
})

test.each(['curl/8.5.0', 'axios/1.8.1', 'my claude-cli/2.1', '', `claude-cli/2 ${'x'.repeat(600)}`])(
  'the user agent "%s" names no client',
  (userAgent) => expect(clientOfEvent(requestOf(userAgent))).toBeNull(),
)

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
