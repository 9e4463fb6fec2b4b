import type { CacheMiss } from '../../shared/contract/cache.ts'
import type { CacheCauseKind } from '../../shared/cache-causes.ts'
import type { Filters, Listing } from './listing.ts'
import { ofSession, userOf } from './shared-facts.ts'

/** A request with the tokens that it missed, as both stores hold it. */
export interface CacheRow extends Omit<CacheMiss, 'cause' | 'vendor'> {
  readonly kind: CacheCauseKind
  readonly place: string | null
  readonly detail: string | null
  readonly vendor_type: string | null
  readonly vendor_tokens: number | null
}

/** Filters for requests of the ledger. */
export const CACHE_RANGE: Filters<'cache.summary'> = {
  since: { local: 'c.timestamp >= ?', team: 'e.cache_sent_at >= ?' },
  until: { local: 'c.timestamp < ?', team: 'e.cache_sent_at < ?' },
  project: { local: `${ofSession('project', 'c').local} = ?`, team: 'e.project = ?' },
}

/** Requests with a cause, newest first. The position in the request and the API's verdict are only on the laptop. */
export const MISSES: Listing<CacheRow, 'cache.list'> = {
  from: { local: 'cache_calls c', team: 'events e' },
  owner: 'e',
  where: { local: 'c.kind IS NOT NULL', team: 'e.cache_sent_at IS NOT NULL AND e.cache_cause IS NOT NULL' },
  columns: {
    exchange: { local: 'c.request_uuid', team: 'e.cache_exchange' },
    session_id: { local: 'c.session_id', team: 'e.session_id' },
    user_id: userOf('c'),
    turn_id: { local: 'c.turn_id', team: 'e.turn_id' },
    agent_id: { local: 'c.agent_id', team: 'e.agent_id' },
    ts_wall: { local: 'c.timestamp', team: 'e.cache_sent_at' },
    model: { local: 'c.model', team: "coalesce(e.model, '')" },
    could_read: { local: 'c.could_read', team: 'e.cache_could_read::float8' },
    read: { local: 'c.read_tokens', team: 'e.cache_read_tokens::float8' },
    missed_tokens: { local: 'c.missed_tokens', team: 'e.cache_missed_tokens::float8' },
    waste_usd: { local: 'c.waste_usd', team: 'e.cache_waste_usd' },
    kind: { local: 'c.kind', team: 'e.cache_cause' },
    place: { local: 'c.place', team: 'NULL' },
    detail: { local: 'c.detail', team: 'NULL' },
    vendor_type: { local: 'c.vendor_type', team: 'NULL' },
    vendor_tokens: { local: 'c.vendor_tokens', team: 'NULL' },
  },
  filters: {
    ...CACHE_RANGE,
    session_id: { local: 'c.session_id = ?', team: 'e.session_id = ?' },
    cause: { local: 'aspy_in_time() AND c.kind = ?', team: 'e.cache_cause = ?' },
  },
  sorts: {},
  key: {
    local: [
      ['c.timestamp', 'time'],
      ['c.id', 'number'],
    ],
    team: [
      ['e.cache_sent_at', 'time'],
      ['e.id', 'number'],
    ],
  },
  order: 'DESC',
}

/** Returns a row in the form of the contract. */
export const toMiss = ({
  kind,
  place,
  detail,
  vendor_type: type,
  vendor_tokens: tokens,
  ...row
}: CacheRow): CacheMiss => ({
  ...row,
  cause: { kind, where: place, detail },
  vendor: type === null ? null : { type, tokens },
})
