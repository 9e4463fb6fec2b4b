import { shortAccount } from '../../shared/account.ts'
import type { AnyEvent, JsonObject } from '../../shared/event.ts'
import type { EventSummary } from '../../shared/live-feed.ts'

/** The recorder's counts for `/metrics` since its start. Plain numbers, so that they can be posted between threads. */
export interface Measures {
  /** By kind. */
  readonly events: Counts
  /** By model, then by type: input, output, cache_read, cache_creation. */
  readonly tokens: { readonly [model: string]: Counts }
  readonly cost_usd: Counts
  /** Calls to models without a price. */
  readonly unpriced: Counts
  /** By model, then by HTTP status; 0 for no response. */
  readonly responses: { readonly [model: string]: Counts }
  /** By tool, then ok, failed, rejected. */
  readonly tool_calls: { readonly [tool: string]: Counts }
  /** Failed requests to the API, by client. */
  readonly api_errors: Counts
  /** Failed tool calls by client, without those that a person rejected. */
  readonly failed_tools: Counts
  /** By model, in seconds. */
  readonly request_seconds: Durations
  readonly first_token_seconds: Durations
  /** By tool, in seconds. */
  readonly tool_seconds: Durations
  /** Limits as last reported, by account and the API's names. Shares are 0 to 1, times in seconds since 1970. */
  readonly limits: { readonly [account: string]: Counts }
}

export interface Counts {
  readonly [name: string]: number
}

export interface Durations {
  readonly [name: string]: Distribution
}

/** Number of observations up to each of `BOUNDS`; the last entry counts all. */
export interface Distribution {
  readonly counts: readonly number[]
  readonly sum: number
}

/** Upper bounds of the buckets in seconds, from a cached tool call to the longest request of a turn. */
export const BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const

export const NO_MEASURES: Measures = {
  events: {},
  tokens: {},
  cost_usd: {},
  unpriced: {},
  responses: {},
  tool_calls: {},
  api_errors: {},
  failed_tools: {},
  request_seconds: {},
  first_token_seconds: {},
  tool_seconds: {},
  limits: {},
}

/** Limit of distinct names per table. Names come from outside; the rest are counted together. */
const MAX_NAMES = 40
export const OTHER = 'other'
/** Accepted names; any other counts as `other`. */
const PLAIN = /^[\w.:@/ [\]()+-]{1,80}$/

type Writable<T> = { -readonly [K in keyof T]: T[K] extends object ? Writable<T[K]> : T[K] }

const noMeasures = () => structuredClone(NO_MEASURES) as Writable<Measures>

/** Counts committed events. */
export type MeasuresInProgress = ReturnType<typeof createMeasures>

/** `clientOf` returns the client of an event's session; it is called with every event, in order. */
export function createMeasures(clientOf: (event: AnyEvent) => string) {
  const measures = noMeasures()

  function take(event: AnyEvent, summary: EventSummary | undefined): void {
    count(measures.events, event.kind)
    const client = clientOf(event)
    if (summary?.failure === 'api') count(measures.api_errors, client)
    else if (summary?.failure === 'tool') count(measures.failed_tools, client)
    switch (event.kind) {
      case 'api_usage': {
        const { model, usage } = event.payload
        const tokens = entry(measures.tokens, model, noCounts)
        count(tokens, 'input', usage.input_tokens)
        count(tokens, 'output', usage.output_tokens)
        count(tokens, 'cache_read', usage.cache_read_input_tokens)
        count(tokens, 'cache_creation', usage.cache_creation_input_tokens)
        const cost = summary?.cost_usd
        if (typeof cost === 'number') count(measures.cost_usd, model, cost)
        else if (cost === null) count(measures.unpriced, model)
        return
      }
      case 'model_response': {
        const { model, status, ttft_ms } = event.payload
        const name = model ?? 'unknown'
        count(entry(measures.responses, name, noCounts), String(status))
        observe(measures.request_seconds, name, event.duration_ms)
        observe(measures.first_token_seconds, name, ttft_ms)
        return
      }
      case 'tool_result': {
        const { tool_name, is_error, rejected } = event.payload
        const outcome = rejected ? 'rejected' : is_error ? 'failed' : 'ok'
        count(entry(measures.tool_calls, tool_name ?? 'unknown', noCounts), outcome)
        return observe(measures.tool_seconds, tool_name ?? 'unknown', event.duration_ms)
      }
      case 'rate_limit':
        measures.limits[boundName(measures.limits, accountOf(event))] = limitsOf(event.payload.limits)
    }
  }

  return {
    /** `added` are the same events as summaries for the live feed, which carry the cost. */
    add(events: readonly AnyEvent[], added: readonly EventSummary[]) {
      const summaries = new Map(added.map((summary) => [summary.uuid, summary]))
      for (const event of events) take(event, summaries.get(event.uuid))
    },
    read: () => structuredClone(measures),
  }
}

/** Adds up the measures of an earlier recorder and its successor. */
export function sumOfMeasures(before: Measures, now: Measures): Measures {
  const sum = structuredClone(before) as Writable<Measures>
  addCounts(sum.events, now.events)
  addCounts(sum.cost_usd, now.cost_usd)
  addCounts(sum.unpriced, now.unpriced)
  addCounts(sum.api_errors, now.api_errors)
  addCounts(sum.failed_tools, now.failed_tools)
  for (const table of ['tokens', 'responses', 'tool_calls'] as const)
    for (const [name, counts] of Object.entries(now[table])) addCounts(entry(sum[table], name, noCounts), counts)
  for (const table of ['request_seconds', 'first_token_seconds', 'tool_seconds'] as const)
    for (const [name, more] of Object.entries(now[table])) {
      const known = entry(sum[table], name, nothingObserved)
      known.counts = known.counts.map((value, at) => value + (more.counts[at] ?? 0))
      known.sum += more.sum
    }
  for (const [account, limits] of Object.entries(now.limits)) sum.limits[boundName(sum.limits, account)] = limits
  return sum
}

const noCounts = () => ({})
const nothingObserved = () => ({ counts: Array.from({ length: BOUNDS.length + 1 }, () => 0), sum: 0 })

/** Returns the entry for a name, creating it if needed. */
function entry<T>(table: { [name: string]: T }, name: string, create: () => T): T {
  const key = boundName(table, name)
  return (table[key] ??= create())
}

function boundName(table: object, name: string): string {
  // `__proto__` and the like must not become entries.
  const plain = PLAIN.test(name) && !(name in Object.prototype) ? name : OTHER
  return Object.hasOwn(table, plain) || Object.keys(table).length < MAX_NAMES ? plain : OTHER
}

function count(counts: { [name: string]: number }, name: string, amount = 1): void {
  const key = boundName(counts, name)
  counts[key] = (counts[key] ?? 0) + (Number.isFinite(amount) && amount > 0 ? amount : 0)
}

function addCounts(counts: { [name: string]: number }, more: Counts): void {
  for (const [name, amount] of Object.entries(more)) count(counts, name, amount)
}

function observe(table: Writable<Durations>, name: string, ms: number | null): void {
  if (ms === null || !Number.isFinite(ms) || ms < 0) return
  const seconds = ms / 1000
  const known = entry(table, name, nothingObserved)
  for (const [at, bound] of BOUNDS.entries()) if (seconds <= bound) known.counts[at] = (known.counts[at] ?? 0) + 1
  known.counts[BOUNDS.length] = (known.counts[BOUNDS.length] ?? 0) + 1
  known.sum += seconds
}

/** Whose limits an event reports. */
const accountOf = ({ payload, user_id: user }: Extract<AnyEvent, { kind: 'rate_limit' }>): string =>
  shortAccount(payload.organization ?? user ?? 'unknown')

/** Extracts limits such as `unified-5h-utilization`, `requests-remaining` and `unified-5h-reset`, with dates as seconds. */
function limitsOf(limits: JsonObject): Counts {
  const out: Record<string, number> = {}
  for (const [name, value] of Object.entries(limits)) {
    if (Object.keys(out).length >= MAX_NAMES || !/^[a-z0-9-]{1,60}$/.test(name)) continue
    const number = typeof value === 'string' && name.endsWith('-reset') ? Date.parse(value) / 1000 : value
    if (typeof number === 'number' && Number.isFinite(number)) out[name] = number
  }
  return out
}
