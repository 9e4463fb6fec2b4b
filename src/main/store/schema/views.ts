import { accountSql } from '../../../shared/account.ts'

/** A view; a rebuild of its group replaces it. */
export interface View {
  readonly group?: string
  readonly fullText?: string
  /** The SQL that creates it, unless a projection does. */
  readonly sql?: readonly string[]
}

/** Refuses changes of a view of the log. */
const refused = (view: string): readonly string[] =>
  (['delete', 'update'] as const).map(
    (change) =>
      `CREATE TRIGGER ${view}_refuse_${change} INSTEAD OF ${change.toUpperCase()} ON ${view} BEGIN SELECT RAISE(ABORT, '${view} is append-only'); END`,
  )

/** Every view of the database. */
export const VIEWS = {
  thinking_blocks: { group: 'thinking_blocks', fullText: 'thinking_fts' },
  assistant_responses: { group: 'assistant_responses', fullText: 'responses_fts' },
  tool_calls: { group: 'tool_calls' },
  tool_results: { group: 'tool_results' },
  tool_texts: { group: 'tool_texts', fullText: 'tools_fts' },
  session_events: {
    sql: [
      `CREATE VIEW session_events AS
SELECT e.id, e.uuid AS event_id, e.session_id, e.turn_id, e.seq, e.agent_id,
       coalesce((SELECT p.uuid FROM events p WHERE p.id = a.parent_id), a.missing_parent, e.parent_uuid) AS parent_event_id,
       (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_event_id, a.depth,
       e.kind AS event_type, e.source, e.ts_wall, e.ts_monotonic, e.duration_ms, e.success, e.error_message, e.payload,
       e.uuid AS uuid, e.session_id AS instance_id,
       coalesce((SELECT p.uuid FROM events p WHERE p.id = a.parent_id), a.missing_parent, e.parent_uuid) AS parent_uuid,
       (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_uuid, e.ts_wall AS timestamp
FROM events e LEFT JOIN ancestry a ON a.event_id = e.id`,
    ],
  },
  sightings: {
    sql: [
      `CREATE VIEW sightings AS
SELECT CAST(-e.id AS INTEGER) AS id, e.uuid, e.source, e.session_id, e.ts_wall AS seen_at, CAST(NULL AS TEXT) AS payload FROM events e
WHERE NOT EXISTS (SELECT 1 FROM sighting_rows r WHERE r.event_id = e.id AND r.with_first = 1)
UNION ALL
SELECT s.id, e.uuid, s.source, CAST(coalesce(s.other_session_id, e.session_id) AS TEXT) AS session_id, s.seen_at, s.payload
FROM sighting_rows s JOIN events e ON e.id = s.event_id`,
      ...refused('sightings'),
    ],
  },
  lineage: {
    sql: [
      `CREATE VIEW lineage AS
SELECT e.uuid, p.uuid AS parent_uuid, (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_uuid, a.depth, a.cut
FROM ancestry a JOIN events p ON p.id = a.parent_id JOIN events e ON e.id = a.event_id
UNION ALL
SELECT e.uuid, a.missing_parent AS parent_uuid, (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_uuid, a.depth, a.cut
FROM ancestry a JOIN events e ON e.id = a.event_id WHERE a.parent_id IS NULL`,
    ],
  },
  event_keys: {
    sql: [
      `CREATE VIEW event_keys AS
SELECT k.key, e.uuid FROM key_rows k JOIN events e ON e.id = k.event_id
UNION ALL
SELECT CAST('line:' || e.uuid AS TEXT) AS key, e.uuid FROM events e WHERE e.is_line = 1`,
      ...refused('event_keys'),
    ],
  },
  limit_steps: {
    sql: [
      `CREATE VIEW limit_steps AS
SELECT id, event_uuid, session_id, account, timestamp, limit_window, used, resets_at,
  used - lag(used) OVER (PARTITION BY account, limit_window, resets_at ORDER BY timestamp, id) AS step
FROM (
  SELECT e.id, e.uuid AS event_uuid, e.session_id, ${accountSql('e.')} AS account,
    e.ts_wall AS timestamp, substr(l.key, 9, length(l.key) - 20) AS limit_window,
    l.value AS used, json_extract(e.payload, '$.limits."unified-' || substr(l.key, 9, length(l.key) - 20) || '-reset"') AS resets_at
  FROM events e, json_each(e.payload, '$.limits') l
  WHERE e.kind = 'rate_limit' AND l.key LIKE 'unified-_%-utilization' AND l.type IN ('integer', 'real')
)`,
    ],
  },
} as const satisfies Readonly<Record<string, View>>
