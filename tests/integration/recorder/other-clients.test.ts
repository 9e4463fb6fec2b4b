import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedEvents, settled, type RecordedEvent } from '../../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import type { Answer, Step } from '../../support/upstream/messages-answer.ts'
import {
  startMessagesUpstream,
  type MessagesUpstream,
  type SeenRequest,
} from '../../support/upstream/messages-upstream.ts'

/** Requests of real clients with long texts cut: a tool, a resumed session, an error, a subagent, a compaction. */
const RECORDED = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../src/main/decode/fixtures/other-clients.json'), 'utf8'),
) as Readonly<Record<string, readonly Recorded[]>>

interface Recorded {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }
}

interface Listed {
  readonly client: string
  readonly client_version: string | null
  readonly project: string | null
  readonly title: string | null
}

const USAGE = { input_tokens: 100, output_tokens: 7, cache_read_input_tokens: 1000, cache_creation_5m: 50 }

/** Answers a request as the client was answered: with the message that a later request of the client repeats. */
function answerOf(client: readonly Recorded[], { body }: SeenRequest): Answer {
  const length = body?.messages.length ?? 0
  const shared = JSON.stringify(body?.messages)
  const said = client
    .filter(({ body: later }) => JSON.stringify(later.messages.slice(0, length)) === shared)
    .map(({ body: later }) => later.messages[length])
    .find((message) => message?.role === 'assistant')
  const steps = (Array.isArray(said?.content) ? (said.content as Record<string, unknown>[]) : []).flatMap(
    (block): readonly Step[] => {
      if (block['type'] === 'tool_use')
        return [{ tool: String(block['name']), id: String(block['id']), input: block['input'] as object }]
      return block['type'] === 'text' ? [{ text: String(block['text']) }] : []
    },
  )
  return { steps: steps.length > 0 ? steps : [{ text: 'A small title\n' }], usage: USAGE }
}

describe.each(Object.entries(RECORDED))('%s', (name, requests) => {
  let upstream: MessagesUpstream
  let app: TestApp
  let events: RecordedEvent[]
  let sessions: readonly Listed[]
  beforeAll(async () => {
    upstream = await startMessagesUpstream((request) => answerOf(requests, request))
    app = await startApp({ upstream: upstream.url })
    for (const { path, headers, body } of requests) {
      const sent = await fetch(`${app.proxy}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      await sent.text()
    }
    await settled(app)
    events = await recordedEvents(app)
    sessions = (await app.call<{ items: readonly Listed[] }>('sessions.list')).items
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
  })
  const texts = (kind: string) =>
    events.filter((event) => event.kind === kind).map(({ payload }) => payload['text'] ?? payload['to'])
  const kinds = () => events.flatMap(({ kind, payload }) => (kind === 'model_request' ? [payload['request_kind']] : []))

  test('is named with its version and its project in each session', () => {
    const version =
      { pi: '1.6.0', 'kimi-code': '2.1.0', opencode: '1.18.34', 'copilot-cli': '1.0.102' }[name] ?? '0.24.4'
    expect(new Set(sessions.map(({ client, client_version }) => `${client} ${client_version}`))).toEqual(
      new Set([`${name} ${version}`]),
    )
    expect(sessions.map(({ project }) => project)).toEqual(
      sessions.map(() => expect.stringMatching(/^\/home\/zoe\/\w+\/work$/)),
    )
  })

  test('has the sessions and prompts that the person had, each once', () => {
    const quoted = (text: string) => (name === 'opencode' ? `"${text}"` : text)
    const [agent, filled] = [
      name === 'pi' ? [] : ['Use an AGENT now'],
      name === 'kimi-code' ? ['FILL it with zebra'] : [],
    ]
    const prompts = ['Please run echo zebra', 'And again: what did we do?', 'BREAK it', ...agent, ...filled]
    expect(texts('user_prompt').toSorted()).toEqual(prompts.map(quoted).toSorted())
    expect(sessions).toHaveLength(prompts.length - 1)
  })

  test('has subagents, summaries and side calls as such', () => {
    const count = (kind: string) => kinds().filter((each) => each === kind).length
    const expected = {
      pi: [0, 0, 0],
      'kimi-code': [1, 1, 0],
      opencode: [1, 0, 3],
      'copilot-cli': [1, 1, 0],
      'qwen-code': [1, 2, 1],
    }[name]
    expect([count('subagent'), count('compaction'), count('side_call')]).toEqual(expected)
    const started = events.filter(({ kind }) => kind === 'agent_started')
    expect(started.map(({ payload }) => payload['call_id'])).toEqual(
      started.map(() => expect.stringMatching(/^toolu_/)),
    )
    expect(started).toHaveLength(expected?.[0] ?? -1)
    // Also those whose summaries are equal.
    expect(events.filter(({ kind }) => kind === 'compaction')).toHaveLength(expected?.[1] ?? -1)
  })

  test('has a title of its own only if the client made one', () => {
    expect(sessions.some(({ title }) => title === 'A small title')).toBe(name === 'opencode')
    expect(events.filter(({ kind }) => kind === 'unknown')).toEqual([])
  })
})
