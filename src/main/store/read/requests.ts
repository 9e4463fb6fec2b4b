import type { AspyEvent, StoredRequest } from '../../../shared/event.ts'
import type { EventRow } from '../log.ts'
import { EVENT_COLUMNS } from './events.ts'
import { fromCursor, toPage } from './page.ts'
import type { Reader } from './reader.ts'

/** Requests of a session, newest first, by the index that holds nothing but requests. */
export function requestRows<Item>(
  reader: Reader,
  options: { session_id: string; limit: number; cursor?: string },
  toItem: (row: EventRow) => Item,
): { items: Item[]; next: string | null } {
  const before = options.cursor === undefined ? Number.MAX_SAFE_INTEGER : fromCursor(options.cursor, ['number'])[0]
  const rows = reader.inTime<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e INDEXED BY events_requests
     WHERE e.kind = 'model_request' AND e.session_id = ? AND e.id < ? ORDER BY e.id DESC LIMIT ?`,
    options.session_id,
    before,
    options.limit + 1,
  )
  return toPage(rows, options.limit, (row) => [row.id], toItem, reader.budget)
}

/** The event that has a natural key. */
export function rowByKey(reader: Reader, key: string): EventRow | undefined {
  return reader.get<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM event_keys k CROSS JOIN events e ON e.uuid = k.uuid WHERE k.key = ?`,
    key,
  )
}

interface UsageOfMessage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_creation_tokens: number
  readonly thinking_tokens: number | null
  readonly cost_usd: number | null
}

/** What a message used and cost, by the key of its usage. */
export function usageByKey(reader: Reader, key: string): UsageOfMessage | null {
  return (
    reader.get<UsageOfMessage>(
      `SELECT u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_creation_tokens, u.thinking_tokens, u.cost_usd
       FROM event_keys k CROSS JOIN api_usage u ON u.event_uuid = k.uuid WHERE k.key = ?`,
      key,
    ) ?? null
  )
}

/** `payload.request` of a request's event; null where there is none. */
export function storedRequestOf(reader: Reader, uuid: string): StoredRequest | null {
  const row = reader.get<{ payload: string }>(
    `SELECT payload FROM events WHERE uuid = ? AND kind = 'model_request'`,
    uuid,
  )
  if (row === undefined) return null
  // The log holds what the recorder wrote: the shape is that of the payload.
  return (reader.payload(row.payload) as unknown as AspyEvent<'model_request'>['payload']).request ?? null
}
