import type { Json, JsonObject } from '../../../shared/event.ts'
import type { Projection } from './projection.ts'

const COLUMNS = [
  'requests_limit',
  'requests_remaining',
  'tokens_limit',
  'tokens_remaining',
  'input_tokens_limit',
  'input_tokens_remaining',
  'output_tokens_limit',
  'output_tokens_remaining',
  'unified_status',
  'claim',
  'five_hour_used',
  'five_hour_resets_at',
  'seven_day_used',
  'seven_day_resets_at',
] as const

/** The account's limits over time, from the headers of each response (`anthropic-ratelimit-…`). */
export const rateLimits: Projection = {
  name: 'rate_limits',
  define: (t, own) => [
    `CREATE TABLE ${t.rate_limits} (
  id                      INTEGER PRIMARY KEY,
  event_uuid              TEXT    NOT NULL,
  session_id              TEXT    NOT NULL,
  timestamp               TEXT    NOT NULL,
  requests_limit          REAL,
  requests_remaining      REAL,
  tokens_limit            REAL,
  tokens_remaining        REAL,
  input_tokens_limit      REAL,
  input_tokens_remaining  REAL,
  output_tokens_limit     REAL,
  output_tokens_remaining REAL,
  unified_status          TEXT,
  claim                   TEXT, -- the window that binds (representative-claim)
  five_hour_used          REAL, -- share of the limit, 0 to 1
  five_hour_resets_at     TEXT,
  seven_day_used          REAL,
  seven_day_resets_at     TEXT
) STRICT`,
    `CREATE INDEX ${own('rate_limits_by_time')} ON ${t.rate_limits} (timestamp, id)`,
  ],
  open({ prepare, tables: t }) {
    const insert = prepare(
      `INSERT INTO ${t.rate_limits} (id, event_uuid, session_id, timestamp, ${COLUMNS.join(', ')})
       VALUES (?, ?, ?, ?, ${COLUMNS.map(() => '?').join(', ')})`,
    )
    return {
      apply(event) {
        if (event.kind !== 'rate_limit') return
        const { limits } = event.payload
        insert.run(
          event.id,
          event.uuid,
          event.session_id,
          event.ts_wall,
          number(limits, 'requests-limit'),
          number(limits, 'requests-remaining'),
          number(limits, 'tokens-limit'),
          number(limits, 'tokens-remaining'),
          number(limits, 'input-tokens-limit'),
          number(limits, 'input-tokens-remaining'),
          number(limits, 'output-tokens-limit'),
          number(limits, 'output-tokens-remaining'),
          text(limits['unified-status']),
          text(limits['unified-representative-claim']),
          number(limits, 'unified-5h-utilization'),
          moment(limits['unified-5h-reset']),
          number(limits, 'unified-7d-utilization'),
          moment(limits['unified-7d-reset']),
        )
      },
    }
  },
}

const number = (limits: JsonObject, name: string): number | null => {
  const value = limits[name]
  return typeof value === 'number' ? value : null
}
const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** Parses a header with seconds since 1970, or a date. */
function moment(value: Json | undefined): string | null {
  const time = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : null
}
