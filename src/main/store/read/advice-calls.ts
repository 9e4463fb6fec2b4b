import { HOUR_MS } from '../../../shared/time-units.ts'
import { asksForPage, asksForSuggestion } from '../../decode/client/suggestion.ts'
import type { Reader } from './reader.ts'
import { createCacheBlocks } from '../projections/cache-blocks.ts'
import { storedPayload, storedRequestOf } from './requests.ts'

/** An answer with usage, as the kinds of advice see it. */
export interface AdviceCall {
  /** The event of its usage. */
  readonly id: number
  readonly session_id: string
  readonly is_captured: boolean
  readonly turn_id: number
  readonly agent_id: string | null
  readonly model: string
  /** Milliseconds since 1970: when the request was sent. */
  readonly at: number
  readonly request_kind: string | null
  /** Returns what its request asked for, as far as that is stored: a suggestion of the next prompt, a page for a call. */
  readonly asksFor: () => 'suggestion' | 'page' | null
  /** Web searches that the API ran for it. */
  readonly searches: number
  /** 0: unpriced. */
  readonly cost_usd: number
  readonly waste_usd: number
  /** The cause of its cache miss; null if it read what it could. */
  readonly cause: string | null
  readonly place: string | null
  readonly detail: string | null
  /** True if it would have missed in time, too: something else changed. */
  readonly changed_too: boolean
  /** Returns the block at that place in the request before and in its own; null if they are not stored. */
  readonly changedText: () => ChangedText | null
  /** Milliseconds since the request that it was compared with; null for the first of a line. */
  readonly pause_ms: number | null
  /** True if it does not continue the turn of the request that it was compared with. */
  readonly begins_turn: boolean
  /** Whether what the call before it had left lasts for an hour; null for the first of a line. */
  readonly was_hour: boolean | null
  /** Whether all that it wrote lasts for an hour; null if it wrote nothing. */
  readonly is_hour: boolean | null
  /** All input of its request: what was in the context. */
  readonly context_tokens: number
  readonly output_tokens: number
  /** Returns the price of tokens for its model at its time; null if that is not known. */
  readonly wouldCost: (tokens: CallTokens) => number | null
  /** Returns what writing for an hour cost more than writing for five minutes. */
  readonly hourCosts: () => number
  /** Returns its cost minus its cost if all writes lasted for an hour; negative if that is more expensive. */
  readonly hourSaves: () => number
}

/** The text of a block in two requests. */
export interface ChangedText {
  readonly before: string
  readonly after: string
}

/** Tokens of a request: read from the cache, written to it for five minutes, and answered. */
export interface CallTokens {
  readonly read: number
  readonly written: number
  readonly output: number
}

/** What is shown as it is stored. */
type Stored = 'id' | 'session_id' | 'turn_id' | 'agent_id' | 'model' | 'request_kind' | 'searches' | 'cause' | 'place'

interface CallRow extends Pick<AdviceCall, Stored | 'detail' | 'output_tokens'> {
  readonly timestamp: string
  readonly before_id: number | null
  readonly ttl_ms: number | null
  readonly request_uuid: string | null
  readonly speed: string | null
  readonly input_tokens: number
  readonly read_tokens: number
  readonly written_tokens: number
  readonly written_1h_tokens: number
  readonly could_read: number | null
  readonly waste_usd: number | null
  readonly cost_usd: number | null
  readonly service_tier: string | null
  readonly inference_geo: string | null
}

/** Returns the answers of sessions, given as a JSON list of ids, in the order of the log. */
export function adviceCalls(reader: Reader, sessions: string): readonly AdviceCall[] {
  const rows = reader.all<CallRow>(
    `SELECT u.id, u.session_id, u.turn_id, u.agent_id, coalesce(c.timestamp, u.timestamp) AS timestamp, c.before_id, c.ttl_ms,
       c.request_uuid, u.model, u.speed, u.input_tokens, u.output_tokens, u.cache_read_tokens AS read_tokens, u.cache_creation_tokens AS written_tokens,
       u.cache_creation_1h_tokens AS written_1h_tokens, c.could_read, c.waste_usd, u.cost_usd,
       CASE WHEN c.id IS NULL THEN 'unknown' ELSE c.kind END AS cause, c.place, c.detail, u.request_kind,
       u.web_search_requests AS searches, u.service_tier, u.inference_geo
     FROM api_usage u LEFT JOIN cache_calls c ON c.id = u.id
     WHERE u.session_id IN (SELECT value FROM json_each(?)) AND u.id > 0 ORDER BY u.id`,
    sessions,
  )
  const sent = new Map(rows.map((row) => [row.id, { ...row, at: Date.parse(row.timestamp) }]))
  return rows.map((row) => {
    const at = Date.parse(row.timestamp)
    const before = row.before_id === null ? undefined : sent.get(row.before_id)
    const pause = before === undefined ? null : at - before.at
    return {
      ...row,
      is_captured: row.request_uuid !== null,
      at,
      asksFor: () => asksFor(reader, row),
      cost_usd: row.cost_usd ?? 0,
      waste_usd: row.waste_usd ?? 0,
      changed_too: changedToo(row),
      changedText: () => changedText(reader, row, before?.request_uuid ?? null),
      pause_ms: pause,
      begins_turn: before?.turn_id !== row.turn_id,
      was_hour: before === undefined ? null : (before.ttl_ms ?? 0) >= HOUR_MS,
      is_hour: row.written_tokens === 0 ? null : row.written_1h_tokens === row.written_tokens,
      context_tokens: row.input_tokens + row.read_tokens + row.written_tokens,
      wouldCost: ({ read, written, output }) =>
        priceOf(
          reader,
          { ...row, input_tokens: 0 },
          { read_tokens: read, written_tokens: written, written_1h_tokens: 0, output_tokens: output },
        ),
      hourCosts: () => hourCosts(reader, row),
      hourSaves: () => hourSaves(reader, row, pause),
    }
  })
}

/** In a transcript, a suggestion is the answer of an agent of its own. */
function asksFor(reader: Reader, { agent_id: agent, request_uuid: uuid }: CallRow): 'suggestion' | 'page' | null {
  if (agent?.includes('prompt_suggestion') === true) return 'suggestion'
  const added = uuid === null ? [] : (storedRequestOf(reader, uuid)?.add ?? [])
  const texts = added.flatMap(({ blocks }) => blocks.map((hash) => plainText(reader.content(hash) ?? '')))
  if (texts.some(asksForSuggestion)) return 'suggestion'
  return texts.some(asksForPage) ? 'page' : null
}

const changedToo = ({ detail }: CallRow): boolean => detail?.endsWith(' changed, too') === true

const PLACE = /^(system|messages)\[(\d+)\](?:\.content\[(\d+)\])?$/

function changedText(reader: Reader, { request_uuid: uuid, place }: CallRow, other: string | null): ChangedText | null {
  const [, list, at, block] = PLACE.exec(place ?? '') ?? []
  if (uuid === null || other === null || list === undefined) return null
  const source = createCacheBlocks((id) => storedPayload(reader, id))
  const [before, after] = [other, uuid].map((id) => {
    const found = source.of(id)
    const blocks = list === 'system' ? found?.system : found?.messages[Number(at)]?.blocks
    const hash = blocks?.[Number(list === 'system' ? at : (block ?? 0))]?.hash
    const text = hash === undefined ? null : reader.content(hash)
    return text === null ? null : plainText(text)
  })
  return typeof before === 'string' && typeof after === 'string' ? { before, after } : null
}

/** Returns the text of a block of text, with line ends as they were sent; of another one, its JSON. */
const plainText = (block: string): string =>
  block.replaceAll(/^\{"type":"text","text":"|"\}$/g, '').replaceAll('\\n', '\n')

function hourCosts(reader: Reader, row: CallRow): number {
  if (row.written_1h_tokens === 0) return 0
  const now = priceOf(reader, row, { ...row, output_tokens: 0 })
  const short = priceOf(reader, row, { ...row, written_1h_tokens: 0, output_tokens: 0 })
  return now === null || short === null ? 0 : now - short
}

/** Compares a call's input with the same input if all entries lasted for an hour. */
function hourSaves(reader: Reader, row: CallRow, pause: number | null): number {
  if (row.written_tokens === row.written_1h_tokens) return 0
  const wouldRead = row.cause === 'ttl_expired' && !changedToo(row) && pause !== null && pause < HOUR_MS
  const missed = wouldRead ? Math.min((row.could_read ?? 0) - row.read_tokens, row.written_tokens) : 0
  const now = priceOf(reader, row, { ...row, output_tokens: 0 })
  const written = row.written_tokens - missed
  const asHour = {
    read_tokens: row.read_tokens + missed,
    written_tokens: written,
    written_1h_tokens: written,
    output_tokens: 0,
  }
  const hour = priceOf(reader, row, asHour)
  return now === null || hour === null ? 0 : now - hour
}

type Input = Pick<CallRow, 'read_tokens' | 'written_tokens' | 'written_1h_tokens' | 'output_tokens'>

const priceOf = (reader: Reader, row: CallRow, input: Input): number | null =>
  reader.pricing.price(
    row.model,
    {
      input_tokens: row.input_tokens,
      output_tokens: input.output_tokens,
      cache_read_input_tokens: input.read_tokens,
      cache_creation_input_tokens: input.written_tokens,
      cache_creation_1h_input_tokens: input.written_1h_tokens,
      web_search_requests: 0,
      service_tier: row.service_tier,
      speed: row.speed,
      inference_geo: row.inference_geo,
    },
    row.timestamp,
  )
