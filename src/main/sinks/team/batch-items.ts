import { isOwnError } from '../../../shared/failures.ts'
import type { EventKind } from '../../../shared/event.ts'
import {
  batchEvent,
  batchSession,
  LONG_TEXT_CHARS,
  type BatchEvent,
  type BatchSession,
} from '../../team/protocol/batch.ts'
import type { KeyedIds } from '../../team/protocol/keyed-ids.ts'
import type { PolicyOf, SessionPolicy } from '../../team/protocol/team-policy.ts'
import type { ReplicatedEvent, ReplicatedSession } from '../../store/read/changes.ts'

/** An event larger than this is sent without its payload: the server would refuse it. */
const MAX_EVENT_CHARS = 12_000_000

/** Deeper values are cut: the server refuses them. */
const MAX_DEPTH = 90

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** An event as it is sent, and the long texts it refers to by hash. */
export interface BatchItem {
  readonly event: BatchEvent
  readonly contents: ReadonlyMap<string, string>
  /** Characters of its JSON, contents included. */
  readonly characters: number
  readonly isCut: boolean
}

/** Turns events and sessions of the log into items of a batch, as the policy allows. */
export class BatchItems {
  readonly #ids: KeyedIds
  readonly #policyOf: PolicyOf

  constructor(ids: KeyedIds, policyOf: PolicyOf) {
    this.#ids = ids
    this.#policyOf = policyOf
  }

  /** Returns the item of an event; null if `[team]` does not send it, `refused` if the server would not accept it. */
  event(replicated: ReplicatedEvent, position: number): BatchItem | null | 'refused' {
    const item = this.#item(replicated, position)
    return item === null || batchEvent.safeParse(item.event).success ? item : 'refused'
  }

  #item(replicated: ReplicatedEvent, position: number): BatchItem | null {
    const rule = this.#policyOf(replicated.event.session_id, replicated.event.project)
    if (rule.policy === 'off') return null
    const metadata = this.#metadata(replicated, position, rule)
    if (rule.policy === 'metadata')
      return { event: { level: 'metadata', ...metadata }, contents: new Map(), characters: 1000, isCut: false }
    return this.#full(replicated, metadata)
  }

  /** Returns the item of a session; null if `[team]` does not send it. */
  session(session: ReplicatedSession): BatchSession | null {
    const rule = this.#policyOf(session.id, session.project)
    if (rule.policy === 'off') return null
    const isFull = rule.policy === 'full'
    const item: BatchSession = {
      session_key: this.sessionKey(session.id),
      session_id: this.#sessionId(session.id, rule),
      level: rule.policy,
      shared: rule.shared,
      project: cut(rule.name, 1000),
      git_branch: isFull && session.git_branch !== null ? cut(session.git_branch, 1000) : null,
      title: isFull && session.title !== null ? cut(session.title, 2000) : null,
      client: cut(session.client, 300),
      client_version: session.client_version === null ? null : cut(session.client_version, 300),
      source: session.source,
      active_ms: Math.max(0, session.active_ms),
      ended_at: session.ended_at,
    }
    return batchSession.safeParse(item).success ? item : null
  }

  eventKey(uuid: string): string {
    return this.#ids.id('event', uuid)
  }

  sessionKey(sessionId: string): string {
    return this.#ids.id('session', sessionId)
  }

  #sessionId(sessionId: string, { policy }: SessionPolicy): string {
    return policy === 'full' && sessionId.length <= 200 ? sessionId : this.sessionKey(sessionId)
  }

  /** Returns the uuid itself under the policy `full`, if it is one; else its key. */
  #uuid(uuid: string, { policy }: SessionPolicy): string {
    return policy === 'full' && UUID.test(uuid) ? uuid : this.eventKey(uuid)
  }

  #metadata({ event, ...known }: ReplicatedEvent, position: number, rule: SessionPolicy): Metadata {
    const named = (uuid: string | null) => (uuid === null ? null : this.#uuid(uuid, rule))
    const keys = [this.eventKey(event.uuid), ...known.keys.slice(0, 49).map((key) => this.#ids.id('key', key))]
    return {
      uuid: this.#uuid(event.uuid, rule),
      keys: [...new Set(keys)],
      session_id: this.#sessionId(event.session_id, rule),
      session_key: this.sessionKey(event.session_id),
      turn_id: event.turn_id,
      seq: event.seq,
      agent_id: agentId(event.agent_id, rule, this.#ids),
      parent_uuid: named(known.parent_uuid),
      parent_key: known.parent_uuid === null ? null : this.eventKey(known.parent_uuid),
      root_uuid: named(known.root_uuid),
      depth: known.depth,
      kind: event.kind,
      source: event.source,
      ts: event.ts_wall,
      duration_ms: event.duration_ms,
      success: event.success,
      position,
      project: cut(rule.name, 1000),
      shared: rule.shared,
      is_prompt: known.is_prompt,
      tool_name: known.tool_name === null ? null : cut(known.tool_name, 300),
      outcome: outcomeOf(event.kind, event.payload, event.success),
      usage: known.usage === null ? null : { ...known.usage, model: cut(known.usage.model, 300) },
      ...this.#ledger(event, known.cache, rule),
    }
  }

  #ledger(
    { kind, payload, user_id: user }: ReplicatedEvent['event'],
    cache: ReplicatedEvent['cache'],
    rule: SessionPolicy,
  ) {
    const told = payload['organization'] ?? user
    const account = typeof told === 'string' ? { account: this.#ids.id('account', told).slice(0, 8) } : {}
    const limits = kind === 'rate_limit' ? limitsOf(payload).map((limit) => ({ ...limit, ...account })) : []
    const exchange = cache === null || cache.exchange === null ? null : this.#uuid(cache.exchange, rule)
    return {
      // The difference of two prices may be slightly negative.
      ...(cache === null
        ? {}
        : {
            cache: { ...cache, exchange, waste_usd: cache.waste_usd === null ? null : Math.max(0, cache.waste_usd) },
          }),
      ...(limits.length === 0 ? {} : { limits }),
    }
  }

  #full({ event }: ReplicatedEvent, metadata: Metadata): BatchItem {
    const contents = new Map<string, string>()
    const payload = this.#withoutLongTexts(withoutBody(event.kind, event.payload), contents)
    const text = textOf(event.kind, event.payload)
    const whole = { ...metadata, level: 'full' as const, error_message: event.error_message }
    const characters =
      lengthOf(payload) + (text?.length ?? 0) + [...contents.values()].reduce((sum, { length }) => sum + length, 0)
    if (characters > MAX_EVENT_CHARS)
      return {
        event: { ...whole, payload: { left_out: characters }, contents: [], text: null },
        contents: new Map(),
        characters: 1000,
        isCut: true,
      }
    const sent = { ...whole, payload: payload as Record<string, unknown>, contents: [...contents.keys()], text }
    return { event: sent, contents, characters: characters + 1000, isCut: false }
  }

  #withoutLongTexts(value: unknown, contents: Map<string, string>, depth = 0): unknown {
    if (depth > MAX_DEPTH) return '[nested too deeply]'
    if (typeof value === 'string') {
      if (value.length <= LONG_TEXT_CHARS) return value
      const hash = this.#ids.contentHash(value)
      contents.set(hash, value)
      return { $content: hash }
    }
    if (Array.isArray(value)) return value.map((item) => this.#withoutLongTexts(item, contents, depth + 1))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#withoutLongTexts(item, contents, depth + 1)]),
    )
  }
}

/** The fields that every event carries under any policy. */
type Metadata = Omit<Extract<BatchEvent, { level: 'metadata' }>, 'level'>

type Payload = { readonly [key: string]: unknown }

/** Leaves out the body of a request: it repeats the whole conversation, which is sent as events. */
const withoutBody = (kind: EventKind, payload: Payload): Payload =>
  kind === 'model_request' ? { ...payload, request: null, shape: null } : payload

/** Returns the text that search finds. */
function textOf(kind: EventKind, payload: Payload): string | null {
  const text = kind === 'compaction' ? payload['summary'] : payload['text']
  const isSearched = kind === 'user_prompt' || kind === 'assistant_text' || kind === 'thinking' || kind === 'compaction'
  return isSearched && typeof text === 'string' && text !== '' ? text : null
}

function outcomeOf(kind: EventKind, payload: Payload, success: boolean | null): BatchEvent['outcome'] {
  if (kind === 'tool_result') {
    if (payload['rejected'] === true) return 'rejected'
    return payload['is_error'] === true || success === false ? 'failed' : 'ok'
  }
  if (kind === 'error') return isOwnError(payload['origin']) ? null : 'api_error'
  return null
}

function agentId(id: string | null, { policy }: SessionPolicy, ids: KeyedIds): string | null {
  if (id === null) return null
  return policy === 'full' ? cut(id, 200) : ids.id('agent', id)
}

/** The most windows of limits in one event. */
const MAX_LIMITS = 12

/** Returns the used shares in a report of the API (`anthropic-ratelimit-unified-<window>-utilization`). */
function limitsOf({ limits }: Payload): NonNullable<BatchEvent['limits']> {
  if (typeof limits !== 'object' || limits === null) return []
  const headers = limits as Payload
  return Object.entries(headers)
    .flatMap(([header, used]) => {
      const window = /^unified-(\d{1,3}[hd](?:_[a-z0-9]{1,20})?)-utilization$/.exec(header)?.[1]
      if (window === undefined || typeof used !== 'number' || used < 0 || used > 1000) return []
      return [{ window, used, resets_at: momentOf(headers[`unified-${window}-reset`]) }]
    })
    .slice(0, MAX_LIMITS)
}

/**
 * Parses a time of the API, seconds since 1970 or ISO 8601; null if it is invalid or outside the years that a team
 * stores.
 */
function momentOf(value: unknown): string | null {
  const time = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return time >= 0 && time < LATEST_MS ? new Date(time).toISOString() : null
}
const LATEST_MS = Date.UTC(2100, 0, 1)

const cut = (text: string, characters: number): string => text.slice(0, characters)

const lengthOf = (value: unknown): number => JSON.stringify(value).length
