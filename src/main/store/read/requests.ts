import type { AspyEvent, StoredRequest } from '../../../shared/event.ts'
import type { ParsedInput, OperationOutput } from '../../../shared/contract/index.ts'
import { REQUESTS } from '../../listings/requests.ts'
import type { EventRow } from '../log/log.ts'
import { narrowed } from './list-page.ts'
import { EVENT_COLUMNS } from './events.ts'
import { fromCursor } from '../../listings/cursor.ts'
import { toPage } from './page.ts'
import type { Reader } from './reader.ts'

/**
 * Returns requests of a session, newest first. Their ids come from the index that holds only requests. That index is
 * ordered by agent first, so the ids are sorted, and only the rows of the page are fetched.
 */
export function requestRows<Item>(
  reader: Reader,
  input: ParsedInput<'requests.list'>,
  toItemOf: (rows: readonly EventRow[]) => (row: EventRow) => Item,
): { items: Item[]; next: string | null } {
  const after = input.cursor === undefined ? [] : [['e.id < ?', ...fromCursor(input.cursor, ['number'])] as const]
  const filter = narrowed(REQUESTS, input, [["e.kind = 'model_request'"], ...after])
  const rows = reader.inTime<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.id IN (
       SELECT e.id FROM events e INDEXED BY events_requests ${filter.sql} ORDER BY e.id DESC LIMIT ?)
     ORDER BY e.id DESC`,
    ...filter.values,
    input.limit + 1,
  )
  return toPage(rows, input.limit, (row) => [row.id], toItemOf(rows), reader.budget)
}

/** Returns events by natural keys; keys of transcript lines are skipped, since they may have no row. */
export function rowsByKeys(reader: Reader, keys: readonly string[]): Map<string, EventRow> {
  const rows = reader.all<EventRow & { readonly natural_key: string }>(
    `SELECT k.key AS natural_key, ${EVENT_COLUMNS} FROM json_each(?) asked CROSS JOIN key_rows k ON k.key = asked.value
     CROSS JOIN events e ON e.id = k.event_id`,
    JSON.stringify(keys),
  )
  return new Map(rows.map(({ natural_key, ...row }) => [natural_key, row]))
}

/** Returns the event with a natural key; the key of a transcript line is not supported. */
export const rowByKey = (reader: Reader, key: string): EventRow | undefined =>
  reader.get<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM key_rows k CROSS JOIN events e ON e.id = k.event_id WHERE k.key = ?`,
    key,
  )

/** Returns the names of the tools whose results these requests send: those that the answer before called. */
export function toolsSent(reader: Reader, ids: readonly number[]): Map<number, string[]> {
  const rows = reader.all<{ readonly id: number; readonly tool_name: string }>(
    `WITH answers AS (
       SELECT r.id, r.session_id, r.agent_id, r.ts_wall, (SELECT max(p.id) FROM events p INDEXED BY events_requests
         WHERE p.kind = 'model_request' AND p.session_id = r.session_id AND p.agent_id IS r.agent_id
           AND p.id < c.event_id) AS asked
       FROM json_each(?) given CROSS JOIN events r ON r.id = given.value
       CROSS JOIN events result ON result.uuid = r.parent_uuid
       CROSS JOIN tool_result_rows t ON t.event_id = result.id CROSS JOIN tool_call_rows c ON c.call_id = t.call_id)
     SELECT a.id, c.tool_name FROM answers a CROSS JOIN events p ON p.id = a.asked
     CROSS JOIN events e INDEXED BY events_by_session_time ON e.session_id = a.session_id
       AND e.ts_wall BETWEEN p.ts_wall AND a.ts_wall AND e.id BETWEEN a.asked AND a.id AND e.agent_id IS a.agent_id
     CROSS JOIN tool_call_rows c ON c.event_id = e.id
     GROUP BY a.id, c.tool_name ORDER BY a.id, min(e.id)`,
    JSON.stringify(ids),
  )
  const tools = new Map<number, string[]>()
  for (const { id, tool_name: tool } of rows) tools.set(id, [...(tools.get(id) ?? []), tool])
  return tools
}

type UsageOfMessage = NonNullable<OperationOutput<'requests.list'>['items'][number]['usage']>

const USAGE_COLUMNS =
  'u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_creation_tokens, u.thinking_tokens, u.cost_usd'

/** Returns the usage and cost of several messages, each by the key of its usage. */
export function usagesByKeys(reader: Reader, keys: readonly string[]): Map<string, UsageOfMessage> {
  const rows = reader.all<UsageOfMessage & { readonly natural_key: string }>(
    `SELECT k.key AS natural_key, ${USAGE_COLUMNS} FROM json_each(?) asked CROSS JOIN key_rows k ON k.key = asked.value
     CROSS JOIN api_usage u ON u.id = k.event_id`,
    JSON.stringify(keys),
  )
  return new Map(rows.map(({ natural_key, ...usage }) => [natural_key, usage]))
}

/** Returns `payload.request` of a request's event; null if there is none. */
export const storedRequestOf = (reader: Reader, uuid: string): StoredRequest | null =>
  // The recorder wrote the log, so the shape is that of the payload.
  (storedPayload(reader, uuid) as unknown as AspyEvent<'model_request'>['payload'] | null)?.request ?? null

/** Returns the payload of a request; null if there is none of this uuid. */
export function storedPayload(reader: Reader, uuid: string): object | null {
  const row = reader.get<{ payload: string }>(
    `SELECT payload FROM events WHERE uuid = ? AND kind = 'model_request'`,
    uuid,
  )
  return row === undefined ? null : reader.payload(row.payload)
}
