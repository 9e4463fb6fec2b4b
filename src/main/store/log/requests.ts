import type { AnyEvent, AspyEvent, StoredMessage } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import { EVENT_COLUMNS, eventOfRow, type EventRow, type Log } from './log.ts'
import type { Fetch, FetchArchived } from './payload.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'

/** A request with its whole list of messages. */
export interface WholeRequest {
  readonly uuid: string
  readonly messages: readonly StoredMessage[]
}

/** The last request of each session's agent, which the next one is stored against. */
export type Requests = ReturnType<typeof createRequests>

/** Kinds that continue a conversation. Requests of other kinds share no history with the next one. */
const CONVERSATION = new Set<string>(['prompt', 'loop', 'subagent', 'compaction'])
const LISTS_KEPT = 64
const NEWEST_LOOKED_AT = 50

type Request = AspyEvent<'model_request'>

/** `archived` reads archived requests, on which a later one may build. */
export function createRequests(db: WritableDb, log: Log, fetch: Fetch, archived: FetchArchived) {
  const newest = db.prepare<[string, string | null], EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events INDEXED BY events_requests
     WHERE kind = 'model_request' AND session_id = ? AND agent_id IS ? ORDER BY id DESC LIMIT ${NEWEST_LOOKED_AT}`,
  )
  const startingWith = db
    .prepare<[string, string, number], string>(
      'SELECT id FROM sessions WHERE id >= ? AND id < ? ORDER BY started_at DESC, id LIMIT ?',
    )
    .pluck()
  const lastOf = new RecentlyUsed<string, WholeRequest>(LISTS_KEPT)

  const keyOf = (sessionId: string, agentId: string | null) => JSON.stringify([sessionId, agentId])

  /**
   * Joins the messages of a request from its base, back to the first that is stored whole. Null if one of them is no
   * longer stored.
   */
  const wholeMessages = (request: Request): readonly StoredMessage[] | null => {
    const chain: Request[] = []
    const seen = new Set<string>()
    let next: Request | null = request
    let start: readonly StoredMessage[] = []
    for (;;) {
      if (!next?.payload.request || seen.has(next.uuid)) return null
      chain.push(next)
      seen.add(next.uuid)
      const { base, keep } = next.payload.request
      if (base === null || keep === 0) break
      const known = lastOf.get(keyOf(next.session_id, next.agent_id))
      if (known?.uuid === base) {
        start = known.messages
        break
      }
      const row = log.find(base)
      next = row?.kind === 'model_request' ? (eventOfRow(row, fetch, archived) as Request) : null
    }
    let messages = start
    for (const { payload } of chain.reverse())
      if (payload.request) messages = [...messages.slice(0, payload.request.keep), ...payload.request.add]
    return messages
  }

  const isConversation = (event: AnyEvent): event is Request & AnyEvent =>
    event.kind === 'model_request' && event.payload.request !== null && CONVERSATION.has(event.payload.request_kind)

  return {
    last(sessionId: string, agentId: string | null): WholeRequest | null {
      const key = keyOf(sessionId, agentId)
      const known = lastOf.get(key)
      if (known) return known
      for (const row of newest.all(sessionId, agentId)) {
        const event = eventOfRow(row, fetch)
        if (!isConversation(event)) continue
        const messages = wholeMessages(event)
        if (messages === null) continue
        const whole = { uuid: event.uuid, messages }
        lastOf.set(key, whole)
        return whole
      }
      return null
    },
    /** Ids of sessions that begin with `prefix` (ASCII), newest first. */
    sessionsStartingWith: (prefix: string, limit: number) => startingWith.all(prefix, `${prefix}\x7f`, limit),
    /** Call it after a request was stored. */
    note(event: AnyEvent) {
      if (!isConversation(event)) return
      const messages = wholeMessages(event)
      const key = keyOf(event.session_id, event.agent_id)
      if (messages === null) lastOf.delete(key)
      else lastOf.set(key, { uuid: event.uuid, messages })
    },
    clear: () => lastOf.clear(),
  }
}
