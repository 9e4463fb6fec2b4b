import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject, StoredMessage, StoredRequest } from '../../../../shared/event.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import { createConversations } from './conversation.ts'
import { restoreRequest } from '../../../requests/restore-request.ts'

/** Replaces the word SECRET and counts the amount of text it scanned. */
function makeRedactor() {
  let looked = 0
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') {
      looked += value.length
      return value.replaceAll('SECRET', '[redacted]')
    }
    if (Array.isArray(value)) return value.map(json)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [json(name), json(field)]))
  }
  const redactor: Pick<Redactor, 'json' | 'hash'> = {
    json: <T>(value: T) => json(value) as T,
    hash: (text) => createHash('sha256').update(text).digest('hex').slice(0, 32),
  }
  return { redactor: redactor as Redactor, looked: () => looked }
}

/** Contents and requests as the store keeps them. */
function makeHarness() {
  const contents = new Map<string, string>()
  const requests = new Map<string, StoredRequest>()
  const last = new Map<string, { uuid: string; messages: readonly StoredMessage[] }>()
  const { redactor, looked } = makeRedactor()
  const open = () =>
    createConversations({
      redactor,
      putContent(text) {
        const hash = redactor.hash(text)
        contents.set(hash, text)
        return hash
      },
      lastRequest: (sessionId, agentId) => last.get(JSON.stringify([sessionId, agentId])) ?? null,
    })
  let conversations = open()
  let count = 0
  const source = {
    storedRequest: (uuid: string) => requests.get(uuid) ?? null,
    getContent: (hash: string) => contents.get(hash) ?? null,
  }
  const messagesOf = (request: StoredRequest): StoredMessage[] => {
    const base = request.base === null ? undefined : requests.get(request.base)
    return [...(base ? messagesOf(base).slice(0, request.keep) : []), ...request.add]
  }
  return {
    contents,
    looked,
    redactor,
    send(body: JsonObject, sessionId = 'session', agentId: string | null = null, uuid = `request-${++count}`) {
      const taken = conversations.take({ uuid, sessionId, agentId }, body)
      requests.set(uuid, taken.request)
      last.set(JSON.stringify([sessionId, agentId]), { uuid, messages: messagesOf(taken.request) })
      return { uuid, ...taken }
    },
    answered: (uuid: string) => conversations.ended({ uuid, sessionId: 'session', agentId: null }, 1, true),
    restart: () => {
      conversations = open()
    },
    rebuild: (uuid: string) => restoreRequest(source, uuid),
  }
}

const user = (text: string): JsonObject => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (text: string): JsonObject => ({ role: 'assistant', content: [{ type: 'text', text }] })
const body = (...messages: JsonObject[]): JsonObject => ({ model: 'm', max_tokens: 10, messages })

describe('a request is compared with the one before it', () => {
  test('shared messages are known, new ones are added', () => {
    const harness = makeHarness()
    const first = harness.send(body(user('one')))
    expect(first.history).toMatchObject({ knownMessages: 0, previousMessages: 0, previousRequestUuid: null })
    harness.answered(first.uuid)
    const second = harness.send(body(user('one'), assistant('1'), user('two')))
    expect(second.history).toEqual({
      knownMessages: 1,
      previousMessages: 1,
      previousRequestUuid: first.uuid,
      identicalToPrevious: false,
      previousResponseSeen: true,
      lastEndAt: 1,
    })
    expect(second.request).toMatchObject({ base: first.uuid, keep: 1 })
    expect(second.request.add).toHaveLength(2)
  })

  test('the same messages again without an answer are a retry; after an answer they are not', () => {
    const harness = makeHarness()
    const first = harness.send(body(user('one')))
    const retry = harness.send({ ...body(user('one')), stream: false })
    expect(retry.history).toMatchObject({ identicalToPrevious: true, previousRequestUuid: first.uuid })
    harness.answered(retry.uuid)
    expect(harness.send(body(user('one'))).history.identicalToPrevious).toBe(false)
  })

  test('a side call in between does not hide the history', () => {
    const harness = makeHarness()
    const main = harness.send(body(user('one')))
    harness.send(body(user('make a title')))
    const next = harness.send(body(user('one'), assistant('1'), user('two')))
    expect(next.request).toMatchObject({ base: main.uuid, keep: 1 })
  })

  test('sessions and agents with the same text never mix', () => {
    const harness = makeHarness()
    harness.send(body(user('one')), 'a')
    expect(harness.send(body(user('one'), assistant('1')), 'b').request.base).toBeNull()
    expect(harness.send(body(user('one'), assistant('1')), 'a', 'agent').request.base).toBeNull()
    expect(harness.send(body(user('one'), assistant('1')), 'a').request.keep).toBe(1)
  })

  test('a cache breakpoint that moves changes no block', () => {
    const harness = makeHarness()
    const marked: JsonObject = {
      role: 'user',
      content: [{ type: 'text', text: 'one', cache_control: { type: 'ephemeral' } }],
    }
    const first = harness.send(body(marked))
    const second = harness.send(body(user('one'), assistant('1'), user('two')))
    expect(second.request.keep).toBe(1)
    expect(harness.rebuild(first.uuid)).toEqual(body(marked))
    expect(harness.rebuild(second.uuid)).toEqual(body(user('one'), assistant('1'), user('two')))
  })

  test('a restart compares with the requests of the previous run', () => {
    const harness = makeHarness()
    const first = harness.send(body(user('SECRET one')))
    harness.restart()
    const second = harness.send(body(user('SECRET one'), assistant('1')))
    expect(second.request).toMatchObject({ base: first.uuid, keep: 1 })
    harness.restart()
    const replayed = harness.send(body(user('SECRET one'), assistant('1')), 'session', null, second.uuid)
    expect(replayed.alreadyStored).toBe(true)
    expect(replayed.request.base).not.toBe(second.uuid)
  })
})

test('known text is not processed again, however long the history', () => {
  const harness = makeHarness()
  const history: JsonObject[] = []
  for (let turn = 0; turn < 50; turn++) {
    history.push(user(`${turn} `.repeat(1000)))
    harness.send(body(...history))
  }
  const sent = JSON.stringify(history).length
  expect(harness.looked()).toBeLessThan(sent * 1.5)
})

test('images leave their size and hash, never their bytes', () => {
  const harness = makeHarness()
  const data = Buffer.from('picture bytes').toString('base64')
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
  const { uuid } = harness.send(
    body({
      role: 'user',
      content: [image, { type: 'tool_result', tool_use_id: 'x', content: [image] }],
    }),
  )
  expect([...harness.contents.values()].join()).not.toContain(data)
  const reference = { ...image, source: { ...image.source, data: { bytes: 13, hash: harness.redactor.hash(data) } } }
  expect(harness.rebuild(uuid)['messages']).toEqual([
    { role: 'user', content: [reference, { type: 'tool_result', tool_use_id: 'x', content: [reference] }] },
  ])
})

describe('any request is restored equal to the redacted one', () => {
  const word = fc.constantFrom('a', 'SECRET', 'b c', 'long '.repeat(20), '\u{1F600}', '__proto__')
  const mark = fc.option(fc.constant({ type: 'ephemeral' }), { nil: undefined })
  const marked = <T extends object>(block: T, cacheControl: object | undefined) =>
    cacheControl ? { ...block, cache_control: cacheControl } : block
  const textBlock = fc.tuple(word, mark).map(([text, cache]) => marked({ type: 'text', text }, cache))
  const resultBlock = fc
    .tuple(fc.oneof(word, fc.array(textBlock, { maxLength: 3 })), mark)
    .map(([content, cache]) => marked({ type: 'tool_result', tool_use_id: 't', content }, cache))
  const message = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        role: fc.constantFrom('user', 'assistant', 'system'),
        content: fc.oneof(word, fc.array(fc.oneof(textBlock, resultBlock), { maxLength: 3 })),
      }),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
  const rest = fc.record(
    {
      model: word,
      system: fc.oneof(word, fc.array(textBlock, { maxLength: 2 }), fc.constant(null)),
      tools: fc.array(
        fc.tuple(word, mark).map(([name, cache]) => marked({ name }, cache)),
        { maxLength: 3 },
      ),
      thinking: fc.jsonValue({ maxDepth: 2 }),
      cache_control: fc.constant({ type: 'ephemeral' }),
    },
    { requiredKeys: ['model'] },
  )
  const step = fc.record({
    keep: fc.nat(8),
    add: fc.array(message, { maxLength: 4 }),
    rest,
    session: fc.constantFrom('one', 'two'),
    restart: fc.boolean(),
  })

  test('random histories that grow, shrink, fork and restart', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const harness = makeHarness()
        const histories = new Map<string, Json[]>()
        const expected = new Map<string, unknown>()
        for (const { keep, add, rest, session, restart } of steps) {
          const messages = [...(histories.get(session) ?? []).slice(0, keep), ...(add as Json[])]
          histories.set(session, messages)
          // As parsed from a body: JSON writes zero in one way only.
          const sent = JSON.parse(JSON.stringify({ ...rest, messages })) as JsonObject
          if (restart) harness.restart()
          expected.set(harness.send(sent, session).uuid, harness.redactor.json(sent))
        }
        for (const [uuid, redacted] of expected) expect(harness.rebuild(uuid)).toEqual(redacted)
      }),
      { numRuns: 300 },
    )
  })
})
