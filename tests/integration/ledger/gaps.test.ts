import { expect, test } from 'vitest'
import { cacheList, cacheSummary } from '../../../src/main/operations/reader/cache.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { CacheMiss } from '../../../src/shared/contract/cache.ts'
import type { Json } from '../../../src/shared/event.ts'
import { draftOf } from '../../support/store/seeded-store.ts'
import { createTimedExchanges, type TimedExchange } from '../../support/recorder/timed-exchanges.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'

const START = Date.parse('2026-11-20T08:00:00Z')
const MODEL = 'claude-sonnet-4-5'
const MARK = { cache_control: { type: 'ephemeral' } }
const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Sent extends Partial<Omit<TimedExchange, 'body' | 'answer'>> {
  /** Number of answers before its prompt, or the messages themselves. */
  readonly turns: number
  readonly id: string
  readonly system?: string
  readonly first?: string
  /** Null figures are not reported; absent ones are missing. */
  readonly usage: { readonly [name: string]: number | null }
}

/** Usage of a request that read and wrote this many tokens. */
const used = (read: number, written: number, input = 10) => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
  output_tokens: 10,
})

function exchangeOf({ turns, id, usage, system = 'Be short.', first = 'Begin.', ...more }: Sent): TimedExchange {
  const messages: { role: string; content: { type: string; text: string; cache_control?: object }[] }[] = []
  for (let turn = 0; turn <= turns; turn += 1) {
    if (turn > 0) messages.push({ role: 'assistant', content: [{ type: 'text', text: `answer ${turn}` }] })
    const text = turn === 0 ? first : `prompt ${turn}`
    messages.push({ role: 'user', content: [{ type: 'text', text, ...(turn === turns ? MARK : {}) }] })
  }
  return {
    wall: START,
    session: 's',
    body: {
      model: MODEL,
      max_tokens: 100,
      system: [{ type: 'text', text: `You are Claude Code. ${system}`, ...MARK }],
      messages,
    },
    answer: {
      id,
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: 'done' }],
      stop_reason: 'end_turn',
      usage,
    },
    ...more,
  }
}

function recorder() {
  const opened = openTestStore()
  const record = createTimedExchanges(opened.store)
  const usageOfTranscript = (id: string, wall: number, usage: { readonly [name: string]: Json }) =>
    opened.store.ingest.append([
      {
        kind: 'api_usage',
        source: 'transcript',
        session_id: 's',
        agent_id: null,
        ts_wall: new Date(wall).toISOString(),
        ts_monotonic: null,
        account: null,
        project: null,
        parents: [],
        keys: [`usage:${id}`],
        payload: {
          message_id: id,
          model: MODEL,
          usage: {
            input_tokens: 10,
            output_tokens: 10,
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_creation_1h_input_tokens: 0,
            thinking_tokens: null,
            web_search_requests: 0,
            service_tier: null,
            speed: null,
            inference_geo: null,
            ...usage,
          },
          request_kind: null,
          basis: 'lower_bound',
          ttft_ms: null,
        },
      },
    ])
  /** Every miss, oldest first, and sums that hold for any history. */
  const misses = (): readonly CacheMiss[] => {
    const { items, summary } = reading(opened.dbPath, (reader) => ({
      items: cacheList(reader, { limit: 100 }).items.toReversed(),
      summary: cacheSummary(reader, {}),
    }))
    for (const { missed_tokens: missed, waste_usd: waste } of items) {
      expect(missed).toBeGreaterThanOrEqual(0)
      expect(waste).toBeGreaterThanOrEqual(0)
    }
    const unknown = items.filter(({ cause }) => cause.kind === 'unknown')
    for (const { cause } of unknown) expect(cause.detail).toMatch(/\w+ \w+/)
    expect(summary.requests - summary.judged).toBe(unknown.length)
    // What was not judged costs something; without it, the two are equal.
    const unjudged = summary.cost_usd - summary.judged_cost_usd
    expect(unjudged > 1e-12, `${unknown.length} unknown, ${unjudged} USD`).toBe(unknown.length > 0)
    expect(unjudged).toBeGreaterThanOrEqual(-1e-12)
    return items
  }
  return {
    ...opened,
    send: (sent: Sent) => record(exchangeOf(sent)),
    start: (sent: Sent) => record.start(exchangeOf(sent)),
    usageOfTranscript,
    misses,
  }
}

/** Causes of misses, without first requests. */
const causes = (items: readonly CacheMiss[]) =>
  items.flatMap(({ cause }) => (cause.kind === 'first_request' ? [] : [`${cause.kind}: ${cause.detail ?? ''}`]))

test('a transcript says when a request was sent: when the prompt or the result that it sent was written', () => {
  const { store, usageOfTranscript, misses } = recorder()
  const full = { cache_creation_input_tokens: 9000 }
  const promptAt = (wall: number, agent: string | null = null) =>
    store.ingest.append([
      draftOf('user_prompt', { text: `at ${wall}`, origin: 'typed' } as never, {
        at: new Date(wall).toISOString(),
        session_id: 's',
        agent_id: agent,
        keys: [`prompt:${wall}`],
      }),
    ])
  const second = 1000
  usageOfTranscript('m1', START, full)
  // Answers that take 3 s: sent a second too late for a cache of five minutes, within the tolerance, and certainly late.
  promptAt(START + 5 * MINUTE + second)
  usageOfTranscript('m2', START + 5 * MINUTE + 4 * second, full)
  promptAt(START + 11 * MINUTE)
  usageOfTranscript('m3', START + 11 * MINUTE + 3 * second, full)
  // An answer of two minutes, sent in time.
  promptAt(START + 15 * MINUTE)
  usageOfTranscript('m4', START + 17 * MINUTE, full)
  // The prompt of an agent says nothing of the main thread's request.
  promptAt(START + 23 * MINUTE + 30 * second, 'a1')
  usageOfTranscript('m5', START + 24 * MINUTE, full)
  expect(causes(misses())).toEqual([
    'unknown: the request was not captured, so it may have been sent in time',
    'ttl_expired: last used 5 min 56 s before; it lives 5 min',
    'unknown: the request was not captured or its body is gone',
    'unknown: the request was not captured, so it may have been sent in time',
  ])
})

test('of a session that only transcripts know, time and model are known, and nothing else', () => {
  const { usageOfTranscript, misses } = recorder()
  const full = { cache_creation_input_tokens: 9000 }
  usageOfTranscript('m1', START, full)
  usageOfTranscript('m2', START + MINUTE, { cache_read_input_tokens: 9000, cache_creation_input_tokens: 500 })
  usageOfTranscript('m3', START + 2 * MINUTE, full)
  // A line has the time at which its answer ended: this one may have been sent in time.
  usageOfTranscript('m4', START + 8 * MINUTE, full)
  usageOfTranscript('m5', START + HOUR, full)
  expect(causes(misses())).toEqual([
    'unknown: the request was not captured or its body is gone',
    'unknown: the request was not captured, so it may have been sent in time',
    'ttl_expired: last used 52 min before; it lives 5 min',
  ])
})

test('a prompt that is much shorter than what was left is that of a cleared conversation: nothing was missed', () => {
  const { store, usageOfTranscript, misses } = recorder()
  const full = { cache_creation_input_tokens: 90_000 }
  usageOfTranscript('m1', START, full)
  usageOfTranscript('m2', START + HOUR, { cache_creation_input_tokens: 60_000 })
  usageOfTranscript('m3', START + 2 * HOUR, { cache_creation_input_tokens: 59_000 })
  usageOfTranscript('m4', START + 2 * HOUR + MINUTE, { cache_read_input_tokens: 59_000, ...full })
  const compact = (ms: number) => {
    const sizes = { trigger: 'manual' as const, tokens_before: null, tokens_after: null }
    const place = { at: new Date(START + ms).toISOString(), session_id: 's', keys: [`compaction:${ms}`] }
    store.ingest.append([draftOf('compaction', { ...sizes, summary: `so far: ${ms}` }, place)])
  }
  compact(2 * HOUR + 2 * MINUTE)
  usageOfTranscript('m5', START + 2 * HOUR + 3 * MINUTE, {
    cache_read_input_tokens: 28_000,
    cache_creation_input_tokens: 22_000,
  })
  compact(3 * HOUR)
  usageOfTranscript('m6', START + 4 * HOUR, { cache_creation_input_tokens: 45_000 })
  const found = misses()
  expect(causes(found)).toEqual([
    'unknown: the prompt is much shorter than the one before, as after /clear: what it could have read is not known',
    'ttl_expired: last used 1 h before; it lives 5 min; at most: earlier messages changed, too, since it is shorter',
    'compaction: ',
    'compaction: ',
  ])
  expect(found.filter(({ cause }) => cause.kind !== 'first_request').map((one) => one.missed_tokens)).toEqual([
    0, 59_010, 0, 0,
  ])
})

test('usage with null or missing figures is unknown, and so is the request after it', async () => {
  const { send, misses } = recorder()
  await send({ turns: 0, id: 'm1', usage: used(0, 9000) })
  await send({ turns: 1, id: 'm2', wall: START + MINUTE, usage: { ...used(0, 0), cache_read_input_tokens: null } })
  await send({ turns: 2, id: 'm3', wall: START + 2 * MINUTE, usage: used(0, 9000) })
  await send({ turns: 3, id: 'm4', wall: START + 3 * MINUTE, usage: { input_tokens: 10, output_tokens: 10 } })
  await send({ turns: 4, id: 'm5', wall: START + 4 * MINUTE, usage: used(0, 9500) })
  await send({ turns: 5, id: 'm6', wall: START + 5 * MINUTE, usage: { ...used(500, 9000), input_tokens: null } })
  const found = misses()
  expect(causes(found)).toEqual([
    'unknown: the API did not report what it read from the cache',
    'unknown: the API did not report what the request before left in the cache',
    'unknown: the API did not report what it read from the cache',
    'unknown: the API did not report what the request before left in the cache',
    'unknown: the API did not report what it read from the cache',
  ])
  for (const { missed_tokens: missed, waste_usd: waste } of found) expect([missed, waste]).toEqual([0, 0])
})

test('a clock that was set back or forward blames no expiry, and hides none', async () => {
  const back = recorder()
  await back.send({ turns: 0, id: 'm1', wall: START + 2 * HOUR, monotonic: 1000, usage: used(0, 9000) })
  await back.send({ turns: 1, id: 'm2', wall: START, monotonic: 21_000, usage: used(0, 9100) })
  // 40 minutes passed, but the clock says one: it was set back by less than the pause.
  await back.send({ turns: 2, id: 'm3', wall: START + MINUTE, monotonic: 21_000 + 40 * MINUTE, usage: used(0, 9200) })
  expect(causes(back.misses())).toEqual([
    'unknown: the clock was set back between the two requests',
    'unknown: the clock was set back between the two requests',
  ])

  // With the upstream's clock the time is known: 20 s passed, whatever ours says.
  const forward = recorder()
  await forward.send({ turns: 0, id: 'm1', wall: START, answeredAt: START, usage: used(0, 9000) })
  const later = { wall: START + 3 * HOUR, answeredAt: START + 20_000 }
  await forward.send({ turns: 1, id: 'm2', ...later, usage: used(0, 9100) })
  const expired = { wall: START + 3 * HOUR + MINUTE, answeredAt: START + HOUR }
  await forward.send({ turns: 2, id: 'm3', ...expired, usage: used(0, 9200) })
  const earlier = { wall: START, answeredAt: START + HOUR + 20_000 }
  await forward.send({ turns: 3, id: 'm4', ...earlier, usage: used(0, 9300) })
  expect(causes(forward.misses())).toEqual([
    // By our clock the last one came first.
    'provider: the prefix is equal and in time',
    'provider: the prefix is equal and in time',
    'ttl_expired: last used 59 min 40 s before; it lives 5 min',
  ])
})

test('requests that run at the same time are compared with what had begun before them', async () => {
  const { send, start, misses } = recorder()
  await send({ turns: 1, id: 'm1', usage: used(0, 9000) })
  const one = await start({ turns: 2, id: 'm2', wall: START + 20_000, tookMs: 30_000, usage: used(9000, 300) })
  const other = await start({ turns: 3, id: 'm3', wall: START + 21_000, tookMs: 1000, usage: used(9000, 600) })
  await other()
  await one()
  // After both: what the longer of the two wrote is there.
  await send({ turns: 4, id: 'm4', wall: START + 60_000, usage: used(9600, 100) })
  expect(causes(misses())).toEqual([])
})

test('a fork is a line of its own, and its original continues', async () => {
  const { send, misses } = recorder()
  await send({ turns: 1, id: 'm1', usage: used(0, 9000) })
  await send({ turns: 2, id: 'm2', session: 'fork', wall: START + 20_000, usage: used(9000, 300) })
  await send({ turns: 2, id: 'm3', wall: START + 40_000, usage: used(9300, 0) })
  await send({ turns: 3, id: 'm4', session: 'fork', wall: START + 60_000, usage: used(9300, 200) })
  expect(causes(misses())).toEqual([])
})

test('what another machine on the same key left in the cache is not negative waste', async () => {
  const { send, misses } = recorder()
  await send({ turns: 0, id: 'm1', usage: used(8000, 500) })
  await send({ turns: 1, id: 'm2', wall: START + 20_000, usage: used(12_000, 0) })
  await send({ turns: 2, id: 'm3', wall: START + 40_000, usage: used(12_000, 300) })
  expect(causes(misses())).toEqual([])
})

test('two conversations in one line are each compared with their own', async () => {
  const { send, misses } = recorder()
  await send({ turns: 0, id: 'a1', first: 'Alpha.', usage: used(0, 9000) })
  await send({ turns: 0, id: 'b1', first: 'Beta.', wall: START + 10_000, usage: used(4000, 5200) })
  await send({ turns: 1, id: 'a2', first: 'Alpha.', wall: START + 20_000, usage: used(9000, 300) })
  await send({ turns: 1, id: 'b2', first: 'Beta.', wall: START + 30_000, usage: used(9200, 100) })
  await send({ turns: 2, id: 'a3', first: 'Alpha.', wall: START + 40_000, usage: used(0, 9500) })
  const [miss, ...more] = misses().filter(({ cause }) => cause.kind !== 'first_request')
  expect(more).toEqual([])
  expect(miss).toMatchObject({ could_read: 9300, missed_tokens: 9300, cause: { kind: 'provider' } })
})

test('if a request in the middle was not captured, nobody is blamed for what it may explain', async () => {
  const gap = recorder()
  await gap.send({ turns: 0, id: 'm1', usage: used(0, 9000) })
  await gap.send({ turns: 1, id: 'm2', wall: START + 20_000, usage: used(9000, 100) })
  // Recording was off for the third one.
  await gap.send({ turns: 3, id: 'm4', wall: START + 60_000, usage: used(0, 9300) })
  await gap.send({ turns: 6, id: 'm7', wall: START + 20 * MINUTE, usage: used(0, 9600) })
  await gap.send({ turns: 9, id: 'm9', wall: START + 21 * MINUTE, system: 'Be long.', usage: used(0, 9600) })
  // Nothing was missed.
  await gap.send({ turns: 12, id: 'm12', wall: START + 22 * MINUTE, system: 'Be long.', usage: used(9800, 100) })
  expect(causes(gap.misses())).toEqual(Array(3).fill('unknown: a request in between was not captured'))

  // Its transcript was imported: the request before is the one of the transcript.
  const imported = recorder()
  await imported.send({ turns: 0, id: 'm1', usage: used(0, 9000) })
  imported.usageOfTranscript('m2', START + 20_000, { cache_read_input_tokens: 9000, cache_creation_input_tokens: 100 })
  await imported.send({ turns: 2, id: 'm3', wall: START + 40_000, usage: used(0, 9300) })
  expect(causes(imported.misses())).toEqual(['unknown: the request before was not captured'])
  expect(imported.misses().at(-1)?.could_read).toBe(9100)
})

test('a model that others take turns with is not a gap', async () => {
  const { send, misses } = recorder()
  const body = (turns: number, id: string, model: string, wall: number, usage: object) => {
    const { answer, ...sent } = exchangeOf({ turns, id, wall, usage: used(0, 0) })
    return { ...sent, body: { ...sent.body, model }, answer: { ...answer, model, usage } }
  }
  const { store, dbPath } = openTestStore()
  const record = createTimedExchanges(store)
  await record(body(0, 'm1', MODEL, START, used(0, 9000)))
  await record(body(1, 'm2', 'claude-sonnet-4-6', START + 20_000, used(0, 9100)))
  await record(body(2, 'm3', 'claude-sonnet-4-6', START + 40_000, used(9100, 100)))
  await record(body(3, 'm4', MODEL, START + 60_000, used(0, 9300)))
  const items = reading(dbPath, (reader) => cacheList(reader, { limit: 10 }).items.toReversed())
  expect(causes(items)).toEqual([
    `model_changed: ${MODEL} → claude-sonnet-4-6`,
    'provider: the prefix is equal and in time',
  ])
  await send({ turns: 0, id: 'n1', usage: used(0, 9000) })
  expect(misses()).toHaveLength(1)
})

test('a request whose body is gone is unknown, and rebuilt rows are the same', async () => {
  const { store, dbPath, send, misses } = recorder()
  await send({ turns: 0, id: 'm1', usage: used(0, 9000) })
  await send({ turns: 1, id: 'm2', wall: START + 20_000, answeredAt: START + 20_000, usage: used(0, 9100) })
  expect(causes(misses())).toEqual(['provider: the prefix is equal and in time'])
  // As an earlier version recorded it, without a shape, whose archive no longer exists.
  store.close()
  withWriter(dbPath, (db) => {
    const followed = contentsOfProjections(db)['cache_calls']
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(contentsOfProjections(db)['cache_calls']).toEqual(followed)
    db.exec("INSERT INTO metadata (key, value) VALUES ('log_open', '1')")
    db.prepare(`UPDATE events SET payload = '{"request":null,"headers":[]}' WHERE kind = 'model_request'`).run()
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
  })
  expect(causes(misses())).toEqual(['unknown: the request was not captured or its body is gone'])
})
