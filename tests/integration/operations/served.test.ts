import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { askedFor, servedAs } from '../../../src/main/decode/wire/anthropic-messages/asked.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import type { JsonObject } from '../../../src/shared/event.ts'
import { reading } from '../../support/store/reading.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { commonFields, seeded, timeAt } from '../../support/store/history.ts'

const REQUEST = {
  model: 'claude-opus-4-5',
  speed: 'fast',
  output_config: { effort: 'high' },
  system: [{ type: 'text', text: 'You are', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [{ role: 'user', content: 'hi' }],
}
const USAGE = {
  input_tokens: 5,
  output_tokens: 7,
  cache_creation_input_tokens: 100,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 },
  speed: 'fast',
  service_tier: 'standard',
  inference_geo: 'global',
}
const MODEL = 'claude-opus-4-5-20251101'

interface Exchange {
  readonly request?: JsonObject
  readonly usage?: JsonObject
  readonly model?: string
}

/** An answer as the decoder reports it. */
function answer(n: number, { request, usage, model = MODEL }: Exchange = {}): AnyDraft {
  const asked = askedFor({ ...REQUEST, ...request }, [['anthropic-beta', 'b-2, a-1']])
  if (asked === null) throw new Error('not a request')
  return {
    ...commonFields('wire', 's', n * 1000),
    kind: 'model_response',
    payload: {
      exchange_id: `x${n}`,
      message_id: `m${n}`,
      model,
      status: 200,
      stop_reason: 'end_turn',
      asked,
      served: servedAs({ ...USAGE, ...usage }),
      streamed: true,
      cut_by: null,
      ttft_ms: 1,
      headers: [],
      body_bytes: 1,
    },
    keys: [`exchange:x${n}`],
    parents: [],
  }
}

const listed = (drafts: readonly AnyDraft[]) => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(drafts)
  store.close()
  return reading(dbPath, (reader) => readerHandlers['served.list'](reader, { limit: 100, since: timeAt(0) }))
}

test('each silent change is reported once, with its first answer', () => {
  const found = listed([
    answer(1),
    answer(2),
    answer(3, { model: 'claude-sonnet-4-5' }),
    answer(4, { usage: { speed: 'standard' } }),
    answer(5, { usage: { cache_creation: { ephemeral_5m_input_tokens: 100 } } }),
    answer(6, { usage: { cache_creation: { ephemeral_5m_input_tokens: 100 } } }),
    answer(7, { usage: { inference_geo: 'us' } }),
    answer(8, { usage: { service_tier: 'priority' } }),
    answer(9),
  ])
  expect(
    found.changes
      .map(({ dimension, kind, asked, before, served, answers, timestamp }) => [
        dimension,
        kind,
        asked,
        before,
        served,
        answers,
        timestamp,
      ])
      .reverse(),
  ).toEqual([
    ['model', 'differs', 'claude-opus-4-5', 'claude-opus-4-5', 'claude-sonnet-4-5', 1, timeAt(3000)],
    ['speed', 'differs', 'fast', 'fast', 'standard', 1, timeAt(4000)],
    ['cache_ttl', 'differs', '1h', '1h', '5m', 2, timeAt(5000)],
    ['inference_geo', 'changed', null, 'global', 'us', 1, timeAt(7000)],
    ['service_tier', 'changed', null, 'standard', 'priority', 1, timeAt(8000)],
  ])
  expect(found.combinations[0]).toMatchObject({
    asked_model: 'claude-opus-4-5',
    served_model: MODEL,
    effort: 'high',
    betas: ['a-1', 'b-2'],
    answers: 3,
  })
})

test('answers whose requested values are not known count, and are not compared', () => {
  const old = answer(1)
  const payload = { ...old.payload, asked: null }
  const found = listed([{ ...old, payload } as unknown as AnyDraft, answer(2), answer(3)])
  expect([found.answers, found.unknown, found.combinations.map(({ answers }) => answers)]).toEqual([3, 1, [2]])
})

test('steady traffic raises no alarm, however its requests differ', () => {
  const random = seeded(11)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const models = [
    ['claude-opus-4-5', MODEL],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5-20250929'],
    ['claude-opus-4-5[1m]', MODEL],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku-20241022'],
  ] as const
  const drafts = Array.from({ length: 2000 }, (_, n) => {
    const [asked, model] = pick(models)
    const isFast = random() < 0.3
    const isHour = random() < 0.5
    const written = random() < 0.7 ? 100 : 0
    const ttl = isHour ? { ttl: '1h' } : {}
    return answer(n + 1, {
      model,
      request: {
        model: asked,
        speed: isFast ? 'fast' : null,
        service_tier: pick(['auto', 'standard_only', null]),
        output_config: { effort: pick(['low', 'high']) },
        system: [{ type: 'text', text: 'You are', cache_control: { type: 'ephemeral', ...ttl } }],
      },
      usage: {
        speed: isFast ? 'fast' : 'standard',
        service_tier: pick(['standard', null]),
        inference_geo: pick(['global', 'not_available', null]),
        cache_creation_input_tokens: written,
        cache_creation: isHour
          ? { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: written }
          : { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
      },
    })
  })
  const found = listed(drafts)
  expect(found.changes).toEqual([])
  expect(found.answers).toBe(2000)
})
