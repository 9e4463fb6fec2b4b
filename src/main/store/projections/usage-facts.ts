import type { AspyEvent, Json, JsonObject, Usage } from '../../../shared/event.ts'
import { contextTokens, countOf, samplings } from '../../decode/usage.ts'
import type { Sighting } from '../log/log.ts'
import { onGrid, type PriceBasis, type Pricing } from '../pricing/pricing.ts'

/** The usage of one response, from the best of its sightings. */
export interface UsageFacts {
  readonly model: string
  readonly usage: Usage
  /** Usage of the last sampling, whose input is the context that the answer ended with. */
  readonly last: Usage
  /** Input of the last sampling; null if there was one only. */
  readonly context_tokens: number | null
  readonly basis: 'measured' | 'lower_bound'
  readonly request_kind: string | null
  readonly ttft_ms: number | null
  readonly duration_ms: number | null
  /** USD at the event's time; null if the model has no price. */
  readonly cost_usd: number | null
  readonly price_basis: PriceBasis | null
  /** input + output + cache read + cache creation */
  readonly tokens: number
}

/** The model in lines that the client writes itself, without a call. */
const SYNTHETIC = '<synthetic>'

interface Candidate {
  readonly source: string
  readonly fields: JsonObject
}

export type UsageFactsOf = (event: AspyEvent<'api_usage'>, sightings: readonly Sighting[]) => UsageFacts | null

/** Computes the facts of an event, once for consecutive callers. */
export function createUsageFacts(pricing: Pricing): UsageFactsOf {
  let last: { readonly event: AspyEvent<'api_usage'>; readonly facts: UsageFacts | null } | null = null
  return (event, sightings) => {
    if (sightings.length > 0) return usageFacts(event, sightings, pricing)
    if (last?.event !== event) last = { event, facts: usageFacts(event, sightings, pricing) }
    return last.facts
  }
}

/** Returns the best sighting of a usage: complete wire answers before others, larger before smaller, earlier before later. */
export function usageFacts(
  event: AspyEvent<'api_usage'>,
  sightings: readonly Sighting[],
  pricing: Pricing,
): UsageFacts | null {
  const candidates: Candidate[] = [{ source: event.source, fields: event.payload as unknown as JsonObject }]
  for (const { source, payload } of sightings)
    if (payload && isObject(payload.usage)) candidates.push({ source, fields: payload })
  let best: Candidate | undefined
  for (const candidate of candidates) if (!best || isBetter(candidate, best)) best = candidate
  if (!best) return null
  const usage = usageOf(best.fields.usage)
  const model = text(best.fields.model) ?? event.payload.model
  if (model === SYNTHETIC) return null
  const first = <T>(pick: (fields: JsonObject) => T | null): T | null => {
    for (const { fields } of [best, ...candidates]) {
      const value = pick(fields)
      if (value !== null) return value
    }
    return null
  }
  const durations = sightings.map(({ payload }) => number(payload?.duration_ms))
  const sampled = samplings(usage, best.fields.iterations ?? event.payload.iterations)
  const last = sampled.at(-1) ?? usage
  const prices = sampled.map((each) => pricing.price(model, each, event.ts_wall))
  const byTable = prices.includes(null) ? null : prices.reduce<number>((sum, price) => sum + (price ?? 0), 0)
  const tokens = totalTokens(usage)
  // Nothing better is known.
  const byClient = byTable === null || tokens === 0 ? first((fields) => number(fields.client_cost_usd)) : null
  const cost = byClient === null ? byTable : onGrid(byClient)
  const basis = byClient === null ? pricing.basis(usage.service_tier, model, event.ts_wall) : 'client'
  return {
    model,
    usage,
    last,
    context_tokens: sampled.length > 1 ? contextTokens(last) : null,
    basis: isMeasured(best) ? 'measured' : 'lower_bound',
    request_kind: first((fields) => text(fields.request_kind)),
    ttft_ms: first((fields) => number(fields.ttft_ms)),
    duration_ms: event.duration_ms ?? durations.find((value) => value !== null) ?? null,
    cost_usd: cost,
    price_basis: cost === null ? null : basis,
    tokens,
  }
}

/** input + output + cache read + cache creation */
export const totalTokens = (usage: Usage): number =>
  usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens

function isBetter(a: Candidate, b: Candidate): boolean {
  const measured = Number(isMeasured(a)) - Number(isMeasured(b))
  if (measured !== 0) return measured > 0
  const more = totalTokens(usageOf(a.fields.usage)) - totalTokens(usageOf(b.fields.usage))
  return more > 0 || (more === 0 && a.source === 'wire' && b.source !== 'wire')
}

/** A truncated answer reports only the tokens read, on the wire too. */
const isMeasured = ({ source, fields }: Candidate): boolean =>
  fields.basis === 'measured' || (source === 'wire' && fields.basis !== 'lower_bound')

/** A sighting's usage comes from outside: missing or invalid values count as not reported. */
function usageOf(value: Json | undefined): Usage {
  const fields: JsonObject = isObject(value) ? value : {}
  const count = (name: string) => countOf(fields[name]) ?? 0
  return {
    input_tokens: count('input_tokens'),
    output_tokens: count('output_tokens'),
    cache_read_input_tokens: count('cache_read_input_tokens'),
    cache_creation_input_tokens: count('cache_creation_input_tokens'),
    cache_creation_1h_input_tokens: count('cache_creation_1h_input_tokens'),
    thinking_tokens: countOf(fields.thinking_tokens),
    web_search_requests: count('web_search_requests'),
    service_tier: text(fields.service_tier),
    speed: text(fields.speed),
    inference_geo: text(fields.inference_geo),
  }
}

const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
