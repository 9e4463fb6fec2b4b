import { describe, expect, test } from 'vitest'
import { createPricing, withOwnPrices } from '../../store/pricing/pricing.ts'
import { estimate } from './estimate.ts'
import { readRequest, type ReadRequest } from './read-request.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const options = { pricing: createPricing(withOwnPrices([])), isStrict: false, wall: NOW }
const MODEL = 'claude-sonnet-5-5'
const LONG = 'word '.repeat(4000)

function read(body: object, headers: readonly string[] = []): ReadRequest {
  const request = readRequest(headers, new TextEncoder().encode(JSON.stringify({ max_tokens: 100, ...body })), NOW)
  if (request === null) throw new Error('not a request')
  return request
}
const marked = (text: string, ttl?: string) => ({
  type: 'text',
  text,
  cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) },
})
const asked = (system: object, message: object) =>
  read({ model: MODEL, system: [system], messages: [{ role: 'user', content: [message] }] })
const usd = (request: ReadRequest, past: Parameters<typeof estimate>[1] = []) =>
  estimate(request, past, options)?.usd ?? 0

describe('the price of what a request writes to the cache', () => {
  const [short, long] = [asked(marked(LONG), marked(LONG)), asked(marked(LONG, '1h'), marked(LONG, '1h'))]
  const mixed = asked(marked(LONG, '1h'), marked(LONG))

  test('is that of each part: five minutes, an hour, or one after the other', () => {
    expect([short.hourTokens, long.hourTokens]).toEqual([0, long.inputTokens])
    expect(mixed.hourTokens).toBeGreaterThan(mixed.inputTokens * 0.4)
    expect(mixed.hourTokens).toBeLessThan(mixed.inputTokens * 0.6)
    // Writes cost 1.25 and 2 times the input; the answer is the same in all.
    const answer = usd({ ...short, inputTokens: 0 })
    const [five, hour, both] = [short, long, mixed].map((request) => usd(request) - answer)
    expect((hour ?? 0) / (five ?? 1)).toBeCloseTo(2 / 1.25, 2)
    expect(both).toBeCloseTo(((five ?? 0) + (hour ?? 0)) / 2, 3)
  })

  test('is not paid again while it is kept, however long that is', () => {
    const past = (minutes: number) => [
      {
        model: MODEL,
        timestamp: new Date(NOW - minutes * 60_000).toISOString(),
        prompt_tokens: long.inputTokens,
        output_tokens: 100,
      },
    ]
    expect(usd(long, past(30))).toBeLessThan(usd(long) / 5)
    expect(usd(short, past(30))).toBeCloseTo(usd(short, []), 1)
    expect(usd(short, past(30))).toBeGreaterThan(usd(short, past(3)) * 3)
    expect(usd(mixed, past(30))).toBeGreaterThan(usd(mixed, past(3)))
    expect(usd(mixed, past(30))).toBeLessThan(usd(mixed, past(90)))
  })
})

describe('the length of the answer', () => {
  const request = asked(marked(LONG), marked(LONG))
  const tokens = (max: number | null, past: readonly (number | null)[], how: object) => {
    const calls = past.map((output_tokens) => ({ model: 'another', timestamp: '', prompt_tokens: 0, output_tokens }))
    const found = estimate({ ...request, maxTokens: max }, calls, { ...options, ...how })
    return (found?.tokens ?? 0) - request.inputTokens
  }

  test('is the mean of whole ones: one that ended early says nothing', () => {
    expect(tokens(9000, [3000, null, 5000, null], {})).toBe(4000)
    expect(tokens(9000, [null, null], {})).toBe(1000)
    expect(tokens(9000, [null, null], { isReserved: true })).toBe(2250)
  })

  test('is reserved as recorded answers show it: few of the agent, or of its model, are longer', () => {
    const lengths = (count: number, factor = 1) => Array.from({ length: count }, (_, at) => (at + 1) * factor)
    const reserved = (past: readonly number[], outputs: readonly number[]) =>
      tokens(32_000, past, { isReserved: true, outputs })
    expect(reserved([], lengths(19))).toBe(8000)
    expect(reserved([], [20_000, 20_000, 20_000, 20_000])).toBe(8000)
    expect(reserved([], [20_000, 15_000, 20_000, 18_000, 10])).toBe(20_000)
    expect(reserved([100, 200, 9000, 300, 400], [])).toBe(9000)
    expect(reserved([], lengths(100, 10))).toBe(900)
    expect(reserved([], lengths(100, 1000))).toBe(32_000)
    expect(reserved(lengths(20, 100), lengths(100, 10))).toBe(1800)
    expect(reserved([5000, 7000], lengths(100, 10))).toBe(6000)
    expect(tokens(32_000, [], { outputs: lengths(100, 10) })).toBe(505)
    expect(tokens(32_000, [], { outputs: lengths(100, 10), isReserved: true, isStrict: true })).toBe(32_000)
  })

  test('is bounded if the request names no limit, too', () => {
    expect(tokens(null, [], { isStrict: true })).toBe(128_000)
    expect(tokens(null, [], { isReserved: true })).toBe(8000)
    expect(tokens(9000, [10], { isStrict: true })).toBe(9000)
  })
})

test('what a request asks for that changes the price is priced', () => {
  const plain = { model: MODEL, messages: [{ role: 'user', content: LONG }] }
  expect(usd(read({ ...plain, inference_geo: 'us' })) / usd(read(plain))).toBeCloseTo(1.1, 3)
  const opus = { ...plain, model: 'claude-opus-4-6' }
  expect(usd(read({ ...opus, speed: 'fast' })) / usd(read(opus))).toBeGreaterThan(1.5)
  const codex = { model: 'gpt-5-codex', input: [{ role: 'user', content: LONG }] }
  expect(usd(read({ ...codex, service_tier: 'priority' })) / usd(read(codex))).toBeGreaterThan(1.5)
})

test('a request of Codex has the session that its events have', () => {
  const thread = '01a2066c-4a20-7f91-a2a3-105d46a86a51'
  const headers = ['session-id', thread, 'thread-id', thread]
  const { sessionId, inputTokens } = read(
    { model: 'gpt-5.6-sol', input: [{ role: 'user', content: 'hello' }] },
    headers,
  )
  expect([sessionId, inputTokens > 0]).toEqual([`codex-${thread}`, true])
})
