import { naturalKey, ownName } from '../../decode/draft.ts'
import type { EventRow } from '../log/log.ts'
import type { Payloads } from '../../../shared/event.ts'
import type { Reader } from './reader.ts'
import { rowByKey } from './requests.ts'

/**
 * What is stored of the cost of an exchange. `final`: all of it. `lower_bound`: the answer ended before it said what it
 * cost; these amounts were seen. `free`: there was no answer to pay. `unknown`: nothing is stored, or it names no cost.
 */
export type ExchangeCost =
  | { readonly kind: 'final' | 'free' | 'unknown' }
  | { readonly kind: 'lower_bound'; readonly usd: number; readonly tokens: number }

interface StoredUsage {
  readonly basis: string
  readonly usd: number
  readonly tokens: number
}

/** Returns what is stored of the cost of an exchange, by its id. */
export function exchangeCost(reader: Reader, exchange: string): ExchangeCost {
  const row = rowByKey(reader, naturalKey.exchange(exchange, 'response'))
  if (row === undefined) return { kind: 'unknown' }
  const response = reader.head(row.payload) as unknown as Payloads['model_response']
  const usage = usageOf(reader, usageKeys(row, response))
  if (usage !== null) {
    const { basis, usd, tokens } = usage
    return basis === 'lower_bound' ? { kind: basis, usd, tokens } : { kind: 'final' }
  }
  const { status, cut_by: cutBy } = response
  const isRefused = status >= 400 || (status === 0 && cutBy !== 'client')
  return { kind: isRefused || (cutBy === null && hasFailed(reader, exchange)) ? 'free' : 'unknown' }
}

/**
 * Returns the keys that the usage of an answer may have: an id that is not unique is prefixed by its session, or
 * omitted.
 */
export function usageKeys(
  row: Pick<EventRow, 'session_id'>,
  { exchange_id: exchange, message_id: id }: Pick<Payloads['model_response'], 'exchange_id' | 'message_id'>,
): readonly string[] {
  const names = id === null ? [] : [`${row.session_id}:${id}`, id]
  return [...(exchange === null ? [] : [ownName.wire(exchange)]), ...names].map(naturalKey.usage)
}

function usageOf(reader: Reader, keys: readonly string[]): StoredUsage | null {
  return (
    reader.get<StoredUsage>(
      `SELECT u.basis, coalesce(u.cost_usd, 0.0) AS usd,
         u.input_tokens + u.output_tokens + u.cache_read_tokens + u.cache_creation_tokens AS tokens
       FROM json_each(?) asked CROSS JOIN key_rows k ON k.key = asked.value CROSS JOIN api_usage u ON u.id = k.event_id
       LIMIT 1`,
      JSON.stringify(keys),
    ) ?? null
  )
}

/** The API answered with an error event, rather than not at all. */
function hasFailed(reader: Reader, exchange: string): boolean {
  const row = rowByKey(reader, naturalKey.exchange(exchange, 'error'))
  return row !== undefined && (reader.head(row.payload) as unknown as Payloads['error']).origin === 'stream'
}
