import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import type { Json, JsonObject } from '../../../src/shared/event.ts'
import { settled } from '../../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { CacheSimulator, type SimulatedBody, type SimulatedUsage } from '../../support/upstream/cache-simulator.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

type Cause = OperationOutput<'cache.list'>['items'][number]['cause']

const MARK = { cache_control: { type: 'ephemeral' } }
const EFFORT = { output_config: { effort: 'high' } }
const LOST: SimulatedUsage = { input: 10, read: 0, written5m: 5000, written1h: 0 }
const SECRET = `sk-ant-api03-${'Ab1'.repeat(31)}AA`

let upstream: MessagesUpstream
let app: TestApp
let next: SimulatedUsage = LOST
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'Mars.' }],
    usage: {
      input_tokens: next.input,
      cache_read_input_tokens: next.read,
      cache_creation_5m: next.written5m,
      cache_creation_1h: next.written1h,
    },
  }))
  app = await startApp({ upstream: upstream.url })
})
afterAll(async () => {
  await app?.close()
  await upstream?.close()
})

/** Sends requests of one conversation; returns the causes of the later ones, and the bodies as they are stored. */
async function conversation(
  bodies: readonly JsonObject[],
  { usages = [], to = app, betas = '' }: { usages?: readonly SimulatedUsage[]; to?: TestApp; betas?: string } = {},
): Promise<{ causes: readonly Cause[]; stored: readonly Json[] }> {
  const session = randomUUID()
  for (const [at, body] of bodies.entries()) {
    next = usages[at] ?? LOST
    const response = await fetch(`${to.proxy}/v1/messages?beta=true`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'claude-cli/2.1.332 (external, cli)',
        'x-claude-code-session-id': session,
        'anthropic-beta': betas,
      },
      body: JSON.stringify(body),
    })
    await response.text()
    await settled(to)
  }
  const found = await fetch(`${to.app}/api/lifestats/cache?session_id=${session}`, {
    headers: { authorization: `Bearer ${to.token}` },
  })
  const { items } = (await found.json()) as OperationOutput<'cache.list'>
  const { items: requests } = await to.call<OperationOutput<'events.list'>>('events.list', {
    session_id: session,
    kind: 'model_request',
  })
  const exchanges = await Promise.all(
    requests.map(({ uuid }) => to.call<OperationOutput<'requests.get'>>('requests.get', { uuid })),
  )
  const causes = items.toReversed().flatMap(({ cause }) => (cause.kind === 'first_request' ? [] : [cause]))
  return { causes, stored: exchanges.map(({ body }) => body as Json) }
}

const bodyOf = (messages: readonly Json[], more: JsonObject = {}): JsonObject => ({
  model: 'claude-opus-5-5',
  max_tokens: 100,
  system: [{ type: 'text', text: 'You are Claude Code.', ...MARK }],
  messages,
  stream: true,
  ...more,
})
const text = (value: string, more: object = {}): JsonObject => ({ type: 'text', text: value, ...more })
const user = (...content: Json[]): JsonObject => ({ role: 'user', content })
const PROMPT = user(text('Name a planet.'))
const NEWER: readonly Json[] = [{ role: 'assistant', content: [text('Mars.')] }, user(text('And another.', MARK))]
const result = (content: Json): JsonObject => ({ type: 'tool_result', tool_use_id: 'toolu_1', content })
const agents = (marked: boolean): Json[] => {
  const ids = Array.from({ length: 10 }, (_, at) => `toolu_${at}`)
  return [
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'Agent', input: {} })) },
    user(
      ...ids.map((id, at) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: 'done',
        ...(marked && at === 9 ? MARK : {}),
      })),
    ),
  ]
}

interface Case {
  readonly before: readonly Json[]
  /** Its beginning in the next request; the answer and another prompt follow. */
  readonly again: readonly Json[]
  readonly newer?: readonly Json[]
  readonly cause: Partial<Cause>
}
const environment = (content: Json, more: JsonObject = EFFORT): JsonObject => ({ role: 'system', content, ...more })
const SYSTEM = [PROMPT, environment([text('Environment', MARK)])]
const changed = (where: string, detail: unknown): Partial<Cause> => ({
  kind: 'messages_changed',
  where,
  detail: detail as string,
})
const LOST_BY_PROVIDER: Partial<Cause> = { kind: 'provider', where: null }

const CASES: Readonly<Record<string, Case>> = {
  'the system message again, without its mark': {
    before: SYSTEM,
    again: [PROMPT, environment([text('Environment')])],
    cause: LOST_BY_PROVIDER,
  },
  'the system message as a string': {
    before: SYSTEM,
    again: [PROMPT, environment('Environment')],
    cause: changed('messages[1].content[0]', 'blocks → string'),
  },
  'another text in the system message': {
    before: SYSTEM,
    again: [PROMPT, environment([text('Elsewhere')])],
    cause: changed('messages[1].content[0]', expect.stringContaining('changed: text')),
  },
  'another effort in the system message': {
    before: SYSTEM,
    again: [PROMPT, environment([text('Environment')], { output_config: { effort: 'low' } })],
    cause: changed('messages[1].content[0]', 'changed: a field of the message'),
  },
  'a system message of nothing but its effort that is gone': {
    before: [PROMPT, environment([]), user(text('Go on.', MARK))],
    again: [PROMPT, user(text('Go on.'))],
    cause: changed('messages[1].content[0]', 'removed: message of role system'),
  },
  'a role that nobody knows': {
    before: [PROMPT, { role: 'critic', content: [text('Too short.', MARK)] }],
    again: [PROMPT, { role: 'critic', content: [text('Too long.')] }],
    cause: changed('messages[1].content[0]', expect.stringContaining('changed: text')),
  },
  'unknown keys that stay': {
    before: [{ id: 'm1', role: 'user', name: null, content: [text('Hello', MARK)] }],
    again: [{ id: 'm1', role: 'user', name: null, content: [text('Hello')] }],
    cause: LOST_BY_PROVIDER,
  },
  'an unknown key that changes after the last mark': {
    before: [user(text('Hello', MARK)), { ...PROMPT, id: 'm1' }],
    again: [user(text('Hello')), { ...PROMPT, id: 'm2' }],
    cause: LOST_BY_PROVIDER,
  },
  'a first prompt that a resume sends as a string': {
    before: [user(text('Hello', MARK))],
    again: [{ role: 'user', content: 'Hello' }],
    cause: changed('messages[0].content[0]', 'blocks → string'),
  },
  'a change in a result whose mark is inside': {
    before: [PROMPT, user(result([text('one'), text('two', MARK)]))],
    again: [PROMPT, user(result([text('one'), text('three')]))],
    cause: changed('messages[1].content[0]', expect.stringContaining('changed: tool_result')),
  },
  'a mark inside a result that moves': {
    before: [PROMPT, user(result([text('one', MARK), text('two')]))],
    again: [PROMPT, user(result([text('one'), text('two')]))],
    cause: LOST_BY_PROVIDER,
  },
  'a mark on the message itself': {
    before: [{ ...user(text('one'), text('two')), ...MARK }],
    again: [user(text('one'), text('three'))],
    cause: changed('messages[0].content[1]', expect.stringContaining('changed: text')),
  },
  'content that is one block': {
    before: [{ role: 'user', content: text('one', MARK) }],
    again: [{ role: 'user', content: text('two') }],
    cause: changed('messages[0].content[0]', expect.stringContaining('changed: text')),
  },
  'numbers, null and lists among the blocks': {
    before: [{ role: 'user', content: [7, null, [text('one')], text('two', MARK)] }],
    again: [{ role: 'user', content: [7, null, [text('three')], text('two')] }],
    cause: changed('messages[0].content[2]', expect.stringContaining('changed: unknown')),
  },
  'no mark where the entry could be found': {
    before: SYSTEM,
    again: [PROMPT, environment([text('Environment')])],
    newer: [{ role: 'assistant', content: [text('Mars.')] }, user(text('And another.'))],
    cause: { kind: 'marks_changed', where: '/system/0/cache_control' },
  },
  'ten agents at once': {
    before: SYSTEM,
    again: [PROMPT, environment([text('Environment')])],
    newer: agents(true),
    cause: { kind: 'lookback_exceeded' },
  },
  'a number instead of a message': {
    before: [PROMPT, 7, user(text('Go on.', MARK))],
    again: [PROMPT, 7, user(text('Go on.'))],
    cause: { kind: 'unknown', detail: 'the request before was recorded with messages[1] as one block' },
  },
  'a secret in a field of a message': {
    before: [{ ...user(text('Hello', MARK)), token: SECRET }],
    again: [{ ...user(text('Hello')), token: SECRET }],
    cause: { kind: 'unknown', detail: expect.stringContaining('a secret was removed') as unknown as string },
  },
}

test.each(Object.entries(CASES))('%s', async (_, { before, again, newer = NEWER, cause }) => {
  const bodies = [bodyOf(before), bodyOf([...again, ...newer])]
  const { causes, stored } = await conversation(bodies)
  expect(causes).toMatchObject([cause])
  const shown = JSON.stringify(stored)
  expect(shown.replaceAll(/"token":"[^"]*"/g, '"token":""')).toBe(
    JSON.stringify(bodies).replaceAll(/"token":"[^"]*"/g, '"token":""'),
  )
  expect(shown).not.toContain(SECRET)
})

test('without any mark, the first difference is the cause, and a loss without one is the provider’s', async () => {
  const plain = { system: 'You are Claude Code.' }
  const newer = [
    { role: 'assistant', content: 'Mars.' },
    { role: 'user', content: 'And another.' },
  ]
  const causeOf = async (first: string) =>
    (await conversation([bodyOf([user(text('Hello'))], plain), bodyOf([user(text(first)), ...newer], plain)])).causes
  expect(await causeOf('Hello')).toMatchObject([LOST_BY_PROVIDER])
  expect(await causeOf('Goodbye')).toMatchObject([{ kind: 'messages_changed', where: 'messages[0].content[0]' }])
})

test('a parameter of unknown effect that changes leaves the cause open', async () => {
  const bodies = ['a', 'b'].map((container, at) => bodyOf([...SYSTEM, ...(at === 0 ? [] : NEWER)], { container }))
  const { causes } = await conversation(bodies)
  expect(causes).toMatchObject([{ kind: 'unknown', detail: expect.stringContaining('container') }])
})

test('results that the settings do not store could hide a difference', async () => {
  await using sparing = await startApp({ upstream: upstream.url, settings: { 'lifestats.store_tool_io': false } })
  const first = (output: string, more = {}) => [PROMPT, user({ ...result(output), ...more })]
  for (const output of ['one', 'two']) {
    const bodies = [bodyOf(first('one', MARK)), bodyOf([...first(output), ...NEWER])]
    const { causes } = await conversation(bodies, { to: sparing })
    expect(causes).toMatchObject([{ kind: 'unknown', detail: expect.stringContaining('settings') }])
  }
})

test('Claude Code’s own requests: its system message becomes a string, and nothing else is missed', async () => {
  const file = join(import.meta.dirname, '../../fixtures/requests/claude-code-2.1.332.json')
  const sent = JSON.parse(readFileSync(file, 'utf8')) as readonly { betas: string; body: JsonObject }[]
  const betas = sent[0]?.betas ?? ''
  const bodies = sent.map(({ body }) => body)
  const simulator = new CacheSimulator(() => 0)
  // The client's requests have these fields.
  const usages = bodies.map((body) => simulator.send('key', body as unknown as SimulatedBody, betas.split(',')))
  const { causes, stored } = await conversation(bodies, { usages, betas })
  expect(causes).toEqual([{ kind: 'messages_changed', where: 'messages[1].content[0]', detail: 'blocks → string' }])
  const messages = stored.map((body) => (body as JsonObject)['messages'])
  expect(JSON.stringify(messages)).toBe(JSON.stringify(bodies.map((body) => body['messages'])))
})
