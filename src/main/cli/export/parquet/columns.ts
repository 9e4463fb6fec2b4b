import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { Session } from '../../../../shared/contract/sessions.ts'
import type { Exported } from '../../../session-page/exported.ts'

type UsageRow = OperationOutput<'usage.export'>['items'][number]

/** Types of columns: `timestamp` is in milliseconds, UTC, without a zone. */
export type ColumnType = 'string' | 'integer' | 'double' | 'boolean' | 'timestamp'
/** One value of a row; a timestamp is given as ISO 8601. */
export type Cell = string | number | boolean | null
export type Row<Table extends TableName> = { readonly [Column in keyof (typeof COLUMNS)[Table] | 'ts_wall']: Cell }
export type TableName = keyof typeof COLUMNS

const PLACE = {
  uuid: 'string',
  session_id: 'string',
  turn_id: 'integer',
  agent_id: 'string',
  ts_wall: 'timestamp',
} as const

/** The tables of a Parquet export with their columns, as docs/parquet.md describes them. Every column may be null. */
export const COLUMNS = {
  events: {
    ...PLACE,
    seq: 'integer',
    parent_uuid: 'string',
    kind: 'string',
    source: 'string',
    ts_monotonic: 'double',
    duration_ms: 'double',
    success: 'boolean',
    error_message: 'string',
    request_id: 'string',
    user_id: 'string',
    project: 'string',
    schema_version: 'integer',
    payload: 'string',
  },
  texts: {
    ...PLACE,
    seq: 'integer',
    kind: 'string',
    tool_name: 'string',
    project: 'string',
    text: 'string',
  },
  usage: {
    ...PLACE,
    project: 'string',
    git_branch: 'string',
    user_id: 'string',
    client: 'string',
    model: 'string',
    request_kind: 'string',
    input_tokens: 'integer',
    output_tokens: 'integer',
    thinking_tokens: 'integer',
    cache_read_tokens: 'integer',
    cache_creation_tokens: 'integer',
    cache_creation_1h_tokens: 'integer',
    web_search_requests: 'integer',
    cost_usd: 'double',
    price_basis: 'string',
    basis: 'string',
    service_tier: 'string',
    speed: 'string',
    inference_geo: 'string',
    ttft_ms: 'double',
    duration_ms: 'double',
  },
} as const satisfies { readonly [table: string]: { readonly [column: string]: ColumnType } }

/** Returns the row of an event. */
export const eventRow = ({ event }: Exported): Row<'events'> => ({ ...event, payload: JSON.stringify(event.payload) })

/** Returns the row of a priced call of a session. */
export function usageRow(call: UsageRow, session: Session): Row<'usage'> {
  const { project, git_branch, user_id, client } = session
  return { ...call, ts_wall: call.timestamp, project, git_branch, user_id, client }
}
