import { expect, test } from 'vitest'
import type { AnyEvent, AspyEvent } from '../../shared/event.ts'
import type { EventDraft } from '../decode/draft.ts'
import { createRedactor } from '../redaction/create-redactor.ts'
import { createPipeline } from './pipeline.ts'
import type { Processor } from './processor.ts'

const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`

function makePipeline(...processors: Processor[]) {
  const logged: unknown[] = []
  const log = (...values: unknown[]) => void logged.push(values)
  const pipeline = createPipeline({
    redactor: createRedactor({ hashKey: Buffer.alloc(32), enabled: true }),
    isDemo: false,
    logger: { debug: log, info: log, warn: log, error: log },
    processors,
  })
  return { pipeline, logged }
}

const notification = (text: string): AspyEvent<'notification'> => ({
  id: 1,
  uuid: 'u',
  session_id: 's',
  turn_id: 1,
  seq: 0,
  agent_id: null,
  parent_uuid: null,
  kind: 'notification',
  source: 'hook',
  ts_wall: '2026-11-21T10:00:00.000Z',
  ts_monotonic: null,
  duration_ms: null,
  success: null,
  error_message: null,
  request_id: null,
  user_id: null,
  project: '/p',
  schema_version: 1,
  payload: { text },
})

const appending = (name: string): Processor => ({
  name,
  process: (event) =>
    event.kind === 'notification' ? { ...event, payload: { text: `${event.payload.text}${name}` } } : event,
})

const textOf = (event: AnyEvent | 'drop') =>
  event !== 'drop' && event.kind === 'notification' ? event.payload.text : null

test('processors run in the order of the list', () => {
  const { pipeline } = makePipeline(appending('a'), appending('b'))
  expect(textOf(pipeline.accept(notification('-')))).toBe('-ab')
})

test('a processor that throws is logged, redacted and counted, and the event continues', () => {
  const broken: Processor = {
    name: 'broken',
    process: () => {
      throw new Error(`cannot read ${secret}`)
    },
  }
  const { pipeline, logged } = makePipeline(broken, appending('b'))
  expect(textOf(pipeline.accept(notification('-')))).toBe('-b')
  expect(pipeline.status()).toMatchObject([
    { name: 'broken', seen: 1, errors: 1 },
    { name: 'b', errors: 0 },
  ])
  expect(JSON.stringify(logged)).toContain('broken')
  expect(JSON.stringify(logged)).not.toContain(secret)
})

test('a dropped event is counted and reaches no later step', () => {
  const { pipeline } = makePipeline({ name: 'filter', process: () => 'drop' }, appending('b'))
  expect(pipeline.accept(notification('-'))).toBe('drop')
  expect(pipeline.status()).toMatchObject([{ seen: 1, dropped: 1 }, { seen: 0 }])
})

test('an event changed by a processor is redacted again', () => {
  const { pipeline } = makePipeline(appending(` ${secret}`))
  expect(textOf(pipeline.accept(notification('-')))).toMatch(/^- \[redacted:/)
})

test('a processor that returns a promise counts as failed, since events are written in one transaction', () => {
  const { pipeline } = makePipeline({ name: 'late', process: (event) => Promise.resolve(event) })
  expect(textOf(pipeline.accept(notification('-')))).toBe('-')
  expect(pipeline.status()).toMatchObject([{ errors: 1 }])
})

test('only headers on the allow-list are kept', () => {
  const { pipeline } = makePipeline()
  const draft: EventDraft<'model_request'> = {
    kind: 'model_request',
    source: 'wire',
    session_id: 's',
    agent_id: null,
    ts_wall: '2026-11-21T10:00:00.000Z',
    ts_monotonic: 1,
    keys: [],
    parents: [],
    payload: {
      exchange_id: 'e',
      request_kind: 'prompt',
      method: 'POST',
      path: '/v1/messages',
      model: null,
      headers: [
        ['x-api-key', 'short'],
        ['cookie', 'a=b'],
        ['user-agent', 'claude-cli'],
      ],
      request: null,
      message_count: 0,
      body_bytes: 0,
    },
  }
  expect(pipeline.redact(draft).payload).toMatchObject({ headers: [['user-agent', 'claude-cli']] })
})

test('shutdown runs in reverse order and names the slow processor', async () => {
  const order: string[] = []
  const ending = (name: string, end: () => Promise<void>): Processor => ({
    name,
    process: (event) => event,
    shutdown: () => {
      order.push(name)
      return end()
    },
  })
  const { pipeline, logged } = makePipeline(
    ending('first', () => Promise.resolve()),
    ending('slow', () => new Promise(() => undefined)),
    ending('last', () => Promise.reject(new Error('no'))),
  )
  await pipeline.shutdown(30)
  expect(order).toEqual(['last', 'slow', 'first'])
  expect(JSON.stringify(logged)).toMatch(/last.*slow/)
})
