import type { AnyEvent, Json, JsonObject } from '../../../src/shared/event.ts'
import type { ReadableDb } from '../../../src/main/store/database/connection.ts'
import { contentReader } from '../../../src/main/store/log/contents.ts'
import { sightingReader } from '../../../src/main/store/log/log.ts'
import { eventsInOrder } from './events-in-order.ts'
import { settled } from '../../../src/main/store/identity/settled.ts'
import { readStore } from './folder.ts'

/** One event of a store, in a form that can be compared with another store of the same run. */
export interface StoredFact {
  readonly kind: string
  readonly session: string
  readonly agent: string | null
  /** The name of its parent. */
  readonly parent: string | null
  readonly payload: JsonObject
}

/** Kinds that wire, hooks and transcripts all report; the others come from one source (docs/reconcile.md). */
export const SHARED_KINDS: ReadonlySet<string> = new Set([
  'user_prompt',
  'thinking',
  'assistant_text',
  'tool_call',
  'tool_result',
  'api_usage',
  'turn_ended',
  'agent_started',
  'agent_ended',
  'task_update',
  'compaction',
])

/** Returns every event of a store under a name that does not depend on which source reported it first. */
export function factsOf(dbPath: string): Map<string, StoredFact> {
  return readStore(dbPath, (plain) => {
    const db = plain as unknown as ReadableDb
    const fetch = contentReader(db)
    const sightingsOf = sightingReader(db, fetch)
    const keysOf = db.prepare<[string], string>('SELECT key FROM event_keys WHERE uuid = ? ORDER BY key').pluck()
    const parentOf = db.prepare<[string], string | null>('SELECT parent_uuid FROM lineage WHERE uuid = ?').pluck()
    const events = eventsInOrder(db, fetch).map((event) => settled(event, sightingsOf(event)))
    const names = new Map<string, string>()
    const times = new Map<string, number>()
    for (const event of events) {
      const base = nameOf(event, keysOf.all(event.uuid))
      const k = (times.get(base) ?? 0) + 1
      times.set(base, k)
      names.set(event.uuid, k === 1 ? base : `${base} (${k})`)
    }
    return new Map(
      events.map((event) => {
        const parent = parentOf.get(event.uuid) ?? null
        return [
          names.get(event.uuid) ?? '',
          {
            kind: event.kind,
            session: event.session_id,
            agent: event.agent_id,
            parent: parent === null ? null : (names.get(parent) ?? `not stored: ${parent}`),
            payload: event.payload as JsonObject,
          },
        ]
      }),
    )
  })
}

function nameOf(event: AnyEvent, keys: readonly string[]): string {
  const named = keys
    .filter((key) => !/^(?:line|exchange|text|spool|event|hook|cost-state):|#/.test(key))
    // A fork's copy has a name by the fork's session, too.
    .toSorted((a, b) => Number(b.includes(event.session_id)) - Number(a.includes(event.session_id)))
  const key =
    named.find((one) => one.startsWith('compaction:')) ?? named.find((one) => one.startsWith('call:')) ?? named[0]
  if (key !== undefined) return key
  const payload = event.payload as { readonly text?: Json; readonly last_text?: Json }
  const text = payload.text ?? payload.last_text
  return `${event.kind}: ${typeof text === 'string' ? text : (keys[0] ?? '')}`
}

/** Returns the tokens and cost of each response in a store, by message. */
export function usageRows(dbPath: string): readonly unknown[] {
  return readStore(dbPath, (db) =>
    db
      .prepare(
        `SELECT (SELECT min(key) FROM event_keys k WHERE k.uuid = u.event_uuid AND k.key LIKE 'usage:%') AS message, session_id, agent_id,
           model, input_tokens, output_tokens, thinking_tokens, cache_read_tokens, cache_creation_tokens,
           cache_creation_1h_tokens, web_search_requests, cost_usd, basis
         FROM api_usage u ORDER BY 1`,
      )
      .all(),
  )
}
