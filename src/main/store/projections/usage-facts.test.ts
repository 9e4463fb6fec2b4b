import { describe, expect, test } from 'vitest'
import type { AspyEvent, EventSource, JsonObject } from '../../../shared/event.ts'
import type { Sighting } from '../log/log.ts'
import { createPricing } from '../pricing/pricing.ts'
import { createUsageFacts, usageFacts } from './usage-facts.ts'

const pricing = createPricing({
  web_search_usd_per_1000: 10,
  inference_geo_us_multiplier: 1,
  models: [
    {
      model: 'm',
      from: '2026-01-01',
      fast_multiplier: 1,
      input: 1,
      output: 4,
      cache_read: 0.5,
      cache_write_5m: 2,
      cache_write_1h: 8,
    },
  ],
})

const fieldsOf = (output: number, basis: string, more: JsonObject = {}): JsonObject => ({
  model: 'm',
  basis,
  usage: { input_tokens: 0, output_tokens: output },
  ...more,
})

function usage(payload: JsonObject, source: EventSource = 'wire', more: Partial<AspyEvent<'api_usage'>> = {}) {
  return {
    source,
    ts_wall: '2026-06-01T00:00:00Z',
    duration_ms: null,
    payload,
    ...more,
  } as unknown as AspyEvent<'api_usage'>
}

const sighting = (source: EventSource, payload: JsonObject | null) => ({ source, payload }) as unknown as Sighting

/** Output tokens and basis of the best report; the first report is the event itself. */
function best(...reports: readonly (readonly [EventSource, JsonObject])[]) {
  const [[source, payload] = ['wire', {}] as const, ...others] = reports
  const facts = usageFacts(
    usage(payload, source),
    others.map((other) => sighting(...other)),
    pricing,
  )
  return [facts?.usage.output_tokens, facts?.basis]
}

describe('the best report of a usage', () => {
  const measured = ['wire', fieldsOf(50, 'measured')] as const
  const cut = ['wire', fieldsOf(900, 'lower_bound')] as const
  const line = (output: number) => ['transcript', fieldsOf(output, 'lower_bound')] as const

  test('is a measured one before a lower bound, in any order', () => {
    for (const other of [cut, line(900), line(7)]) {
      expect(best(measured, other)).toEqual([50, 'measured'])
      expect(best(other, measured)).toEqual([50, 'measured'])
    }
  })

  test('is the one with the most tokens among equals', () => {
    expect(best(line(1), line(90), line(40))).toEqual([90, 'lower_bound'])
    expect(best(line(90), line(1))).toEqual([90, 'lower_bound'])
    const cached = ['transcript', fieldsOf(1, 'lower_bound', { usage: { cache_read_input_tokens: 100 } })] as const
    expect(best(line(90), cached)).toEqual([0, 'lower_bound'])
  })

  test('is what the wire says where nobody says how much is known', () => {
    expect(best(line(900), ['wire', { model: 'm', usage: { output_tokens: 5 } }])).toEqual([5, 'measured'])
    expect(best(['transcript', { model: 'm', usage: { output_tokens: 5 } }])).toEqual([5, 'lower_bound'])
  })

  test('is that of the wire if both have as many tokens', () => {
    const named = (source: EventSource, speed: string) =>
      [source, fieldsOf(9, 'measured', { usage: { output_tokens: 9, speed } })] as const
    const facts = usageFacts(
      usage(named('transcript', 'line')[1], 'transcript'),
      [sighting(...named('wire', 'wire')), sighting(...named('wire', 'later'))],
      pricing,
    )
    expect(facts?.usage.speed).toBe('wire')
  })

  test('needs a usage: a sighting without one changes nothing', () => {
    const facts = usageFacts(
      usage(fieldsOf(5, 'lower_bound')),
      [sighting('wire', { basis: 'measured' }), sighting('wire', null)],
      pricing,
    )
    expect([facts?.usage.output_tokens, facts?.basis]).toEqual([5, 'lower_bound'])
  })
})

test('what the best report lacks comes from another', () => {
  const facts = usageFacts(
    usage(fieldsOf(900, 'lower_bound', { request_kind: 'prompt', ttft_ms: 12 }), 'transcript'),
    [sighting('wire', fieldsOf(50, 'measured', { request_kind: 'loop' })), sighting('hook', { duration_ms: 77 })],
    pricing,
  )
  expect(facts).toMatchObject({
    request_kind: 'loop',
    ttft_ms: 12,
    duration_ms: 77,
    tokens: 50,
    cost_usd: expect.closeTo(0.0002, 9),
  })
  expect(
    usageFacts(
      usage(fieldsOf(1, 'measured'), 'wire', { duration_ms: 5 }),
      [sighting('hook', { duration_ms: 77 })],
      pricing,
    ),
  ).toMatchObject({ duration_ms: 5, ttft_ms: null })
})

test('a model without a price costs null, and lines that the client writes itself are no usage', () => {
  expect(usageFacts(usage(fieldsOf(5, 'measured', { model: 'other' })), [], pricing)).toMatchObject({
    cost_usd: null,
    price_basis: null,
    tokens: 5,
  })
  expect(usageFacts(usage(fieldsOf(5, 'measured')), [], pricing)).toMatchObject({ price_basis: 'list' })
  expect(usageFacts(usage(fieldsOf(5, 'measured', { model: '<synthetic>' })), [], pricing)).toBeNull()
})

test('damaged counts are not reported', () => {
  const damaged = {
    input_tokens: -1,
    output_tokens: '7 or so',
    cache_read_input_tokens: 1e12,
    thinking_tokens: null,
    service_tier: 3,
  }
  expect(usageFacts(usage(fieldsOf(0, 'measured', { usage: damaged })), [], pricing)?.usage).toMatchObject({
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    thinking_tokens: null,
    service_tier: null,
  })
})

test('the facts of an event are computed once, and again with its sightings', () => {
  const factsOf = createUsageFacts(pricing)
  const one = usage(fieldsOf(5, 'lower_bound'))
  expect(factsOf(one, [])).toBe(factsOf(one, []))
  expect(factsOf(one, [sighting('wire', fieldsOf(6, 'measured'))])?.tokens).toBe(6)
  expect(factsOf(usage(fieldsOf(8, 'measured')), [])?.tokens).toBe(8)
})

test.each([
  ['a model without a price', { model: 'x' }, 0.25, 'client'],
  ['an answer without tokens', { usage: {} }, 0.25, 'client'],
  ['an answer that has a price', {}, 0.0004, 'list'],
])('the cost that the client wrote beside %s', (_, more, cost, basis) => {
  const facts = usageFacts(
    usage(fieldsOf(100, 'lower_bound', { client_cost_usd: 0.25, ...more }), 'transcript'),
    [],
    pricing,
  )
  expect([facts?.cost_usd?.toFixed(6), facts?.price_basis]).toEqual([cost.toFixed(6), basis])
})
