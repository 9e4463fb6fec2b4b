import type { Json, JsonObject, Usage } from '../../shared/event.ts'
import { filledString, isObject, listOf, objectOf } from '../../shared/json-fields.ts'

/** Figures of the input: Claude Code 2.1.332 ignores a zero for them in a `message_delta`. Any other figure replaces. */
const INPUT_FIGURES: ReadonlySet<string> = new Set([
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'ephemeral_5m_input_tokens',
  'ephemeral_1h_input_tokens',
])

/**
 * Merges `message_delta`'s usage into `message_start`'s as Claude Code 2.1.332 does: figures are cumulative, unchanged
 * ones are missing or null, and a zero replaces no figure of the input. Nested objects merge the same way.
 */
export function mergeUsage(before: JsonObject, after: JsonObject): JsonObject {
  const merged: { [key: string]: Json } = { ...before }
  // A split that has a figure counts as a whole: its zero is then a real one.
  const isSplit = Object.entries(after).some(([key, value]) => key.startsWith('ephemeral_') && countOf(value) !== 0)
  for (const [key, value] of Object.entries(after)) {
    if (value === null) continue
    const known = merged[key]
    if (countOf(value) === 0 && INPUT_FIGURES.has(key) && countOf(known) !== null && !isSplit) continue
    merged[key] = isObject(value) && isObject(known) ? mergeUsage(known, value) : value
  }
  return merged
}

/**
 * No response has that many tokens, so a larger figure is an error. Sums of such figures still fit into an SQL integer.
 */
const MAX_COUNT = 1e9

/** Relays write a figure as a text, also with thousands set off. */
const DIGITS = /^(?:\d{1,10}|\d{1,3}(?:,\d{3}){1,3})$/

/** A count from outside as a whole number; null if it is missing or cannot be one (negative, endless, another text). */
export function countOf(told: unknown): number | null {
  const value = typeof told === 'string' && DIGITS.test(told) ? Number(told.replaceAll(',', '')) : told
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? Math.trunc(value) : null
}

/** Converts the Messages API's usage (any field may be null or missing) to the stored form. */
export function readUsage(told: JsonObject): Usage {
  const raw = ownNames(told) ?? {}
  const creation = objectOf(raw['cache_creation'])
  const count = (value: unknown) => countOf(value) ?? 0
  const fiveMinutes = count(creation['ephemeral_5m_input_tokens'])
  const oneHour = count(creation['ephemeral_1h_input_tokens'])
  const created = count(raw['cache_creation_input_tokens'])
  return {
    input_tokens: count(raw['input_tokens']),
    output_tokens: count(raw['output_tokens']),
    cache_read_input_tokens: count(raw['cache_read_input_tokens']),
    cache_creation_input_tokens: Math.max(created, fiveMinutes + oneHour),
    cache_creation_1h_input_tokens: oneHour,
    thinking_tokens: countOf(objectOf(raw['output_tokens_details'])['thinking_tokens']),
    web_search_requests: count(objectOf(raw['server_tool_use'])['web_search_requests']),
    service_tier: filledString(raw['service_tier']),
    speed: filledString(raw['speed']),
    inference_geo: filledString(raw['inference_geo']),
  }
}

/** Names of a figure: its own, Bedrock's Converse API's, those of Bedrock's metrics, and OpenAI's chat API's. */
const NAMES = {
  input_tokens: ['input_tokens', 'inputTokens', 'inputTokenCount'],
  output_tokens: ['output_tokens', 'outputTokens', 'outputTokenCount', 'completion_tokens'],
  cache_read_input_tokens: ['cache_read_input_tokens', 'cacheReadInputTokens', 'cacheReadInputTokenCount'],
  cache_creation_input_tokens: [
    'cache_creation_input_tokens',
    'cacheCreationInputTokens',
    'cacheWriteInputTokens',
    'cacheWriteInputTokenCount',
  ],
} as const

/** Tokens of a prompt that were read from the cache, by OpenAI and Moonshot, and by DeepSeek. */
const READ_OF_PROMPT = ['cached_tokens', 'prompt_cache_hit_tokens']
/** Tokens of a prompt that were written to the cache, by LiteLLM and new-api. */
const WRITTEN_OF_PROMPT = ['cache_creation_tokens', 'cached_creation_tokens']

/** The first figure that is more than zero; null if none is a figure. */
function figureIn(raw: JsonObject, names: readonly string[]): number | null {
  const figures = names.flatMap((name) => countOf(raw[name]) ?? [])
  return figures.find((figure) => figure > 0) ?? figures[0] ?? null
}

/** Returns how many tokens of a prompt were cached: by its details, or beside them. */
export const cachedOf = (raw: JsonObject, details = objectOf(raw['prompt_tokens_details'])): number =>
  figureIn(details, READ_OF_PROMPT) ?? figureIn(raw, READ_OF_PROMPT) ?? 0

/**
 * Fills in what a relay left under other names. Of those, only `prompt_tokens` has the cached ones in it, and an input
 * that equals it. An input that is what is left of it is the input.
 */
export function ownNames(raw: Json | undefined): JsonObject | undefined {
  if (!isObject(raw)) return undefined
  const [input, output, read, created] = Object.values(NAMES).map((names) => figureIn(raw, names))
  const prompt = figureIn(raw, ['prompt_tokens'])
  const cached = Math.min(cachedOf(raw), prompt ?? 0)
  const told = figureIn(objectOf(raw['prompt_tokens_details']), WRITTEN_OF_PROMPT) ?? 0
  const written = Math.min(told, (prompt ?? 0) - cached)
  const isAlike = prompt !== null && [0, prompt, prompt - cached - written].includes(input ?? 0)
  const isPrompt = isAlike && (read ?? 0) + (created ?? 0) === 0
  return {
    ...raw,
    input_tokens: isPrompt ? prompt - cached - written : (input ?? null),
    output_tokens: output ?? null,
    cache_read_input_tokens: isPrompt ? cached : (read ?? null),
    cache_creation_input_tokens: isPrompt && written > 0 ? written : (created ?? null),
  }
}

/** True if a usage says how many tokens the output has. */
export const reportsOutput = (raw: JsonObject): boolean => figureIn(raw, NAMES.output_tokens) !== null

/** Returns the entries of `usage.iterations`, one per sampling or part; undefined if there are none. */
export function iterationsOf(raw: JsonObject): readonly Json[] | undefined {
  const iterations = listOf(raw['iterations'])
  return iterations.length > 0 ? iterations : undefined
}

/** All tokens. Of two sightings of one usage, the larger is the better. */
export const totalTokens = (usage: Usage): number =>
  usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens

/** Tokens of the model's input. */
export const contextTokens = (usage: Usage): number =>
  usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens

/** Kinds of `usage.iterations` that the totals of a usage omit (Claude Code 2.1.332); the others are its samplings. */
const OMITTED: ReadonlySet<string> = new Set(['advisor_message', 'compaction'])
/** Each becomes an event, so their number is bounded. */
const MAX_OMITTED = 100

/** A part of a response that the totals omit. */
export interface OmittedPart {
  /** Index in `usage.iterations`. */
  readonly at: number
  readonly type: string
  /** null: the model of the response. */
  readonly model: string | null
  readonly usage: Usage
}

/** Returns the parts that the totals omit: an advisor's, priced by its own model, or a compaction inside the response. */
export function omittedParts(raw: JsonObject): readonly OmittedPart[] {
  const parts = listOf(raw['iterations']).flatMap((entry, at): OmittedPart[] => {
    const part = objectOf(entry)
    const type = filledString(part['type']) ?? ''
    if (!OMITTED.has(type)) return []
    const usage = { ...readUsage(part), inference_geo: filledString(raw['inference_geo']) }
    return totalTokens(usage) === 0 ? [] : [{ at, type, model: filledString(part['model']), usage }]
  })
  return parts.slice(0, MAX_OMITTED)
}

/** Returns the model that answered in place of the requested one (`fallback_message`); null if none did. */
export function fallbackModel(raw: JsonObject): string | null {
  const parts = listOf(raw['iterations']).map(objectOf)
  return filledString(parts.findLast((part) => part['type'] === 'fallback_message' && part['model'])?.['model'])
}

/**
 * Returns the usage of each sampling, the last of which has the context that the response ended with. One is the usage
 * itself, also if the reported ones do not add up to it.
 */
export function samplings(usage: Usage, iterations: Json | undefined): readonly [...Usage[], Usage] {
  const { service_tier, speed, inference_geo } = usage
  const terms = { service_tier, speed, inference_geo }
  const reported = listOf(iterations)
    .map(objectOf)
    .filter(({ type }) => type === 'message' || type === 'fallback_message')
    .map((part): Usage => ({ ...readUsage(part), ...terms, web_search_requests: 0, thinking_tokens: null }))
  const [last, ...others] = reported.toReversed()
  const fits = COUNTS.every((name) => reported.reduce((sum, each) => sum + each[name], 0) === usage[name])
  if (last === undefined || others.length === 0 || !fits || contextTokens(last) === 0) return [usage]
  return [...others.toReversed(), { ...last, web_search_requests: usage.web_search_requests }]
}

const COUNTS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const
