import type { CacheCauseKind } from '../../../shared/cache-causes.ts'
import { agrees } from '../../ledger/agreement.ts'
import { LINE_KEY, type EventRow } from '../log/log.ts'
import { EVENT_COLUMNS, eventsOf, type EventAnswer } from './events.ts'
import type { Reader } from './reader.ts'

/** An entry of the change log: the change, by id. */
export interface Change {
  readonly position: number
  readonly kind: 'event' | 'sighting' | 'correction' | 'redaction' | 'removal' | 'tombstone' | 'session'
  readonly event_id: number | null
  /** The uuid of a removed event, or a session. */
  readonly name: string | null
}

export function changesAfter(reader: Reader, position: number, limit: number): readonly Change[] {
  return reader.all(
    'SELECT position, kind, event_id, name FROM changes WHERE position > ? ORDER BY position LIMIT ?',
    position,
    limit,
  )
}

/** Returns the number of entries after a position, at most `limit`. */
export function countChanges(reader: Reader, position: number, limit: number): number {
  const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM changes WHERE position > ? LIMIT ?)'
  return reader.get<{ n: number }>(sql, position, limit)?.n ?? 0
}

/** Returns whether an entry after a position removes data, which a team must follow at once. */
export function takesAway(reader: Reader, position: number, limit: number): boolean {
  const sql = `SELECT 1 FROM (SELECT kind FROM changes WHERE position > ? ORDER BY position LIMIT ?)
    WHERE kind IN ('removal', 'redaction', 'tombstone') LIMIT 1`
  return reader.get(sql, position, limit) !== undefined
}

/**
 * Identifies the entry at a position by its kind and the uuid of its event or session, to detect a log that was
 * replaced by an older copy. null if there is no such entry.
 */
export function signatureAt(reader: Reader, position: number): string | null {
  const change = reader.get<Pick<Change, 'kind' | 'name'> & { readonly uuid: string | null }>(
    `SELECT c.kind, c.name, (SELECT e.uuid FROM events e WHERE e.id = c.event_id) AS uuid
     FROM changes c WHERE c.position = ?`,
    position,
  )
  return change === undefined ? null : [change.kind, change.uuid ?? change.name ?? ''].join(' ')
}

/** An event with facts from projections: its place in the lineage, its usage, whether it counts as a prompt. */
export interface ReplicatedEvent {
  readonly event: EventAnswer
  readonly keys: readonly string[]
  readonly parent_uuid: string | null
  readonly root_uuid: string | null
  readonly depth: number | null
  readonly is_prompt: boolean
  readonly tool_name: string | null
  readonly usage: ReplicatedUsage | null
  readonly cache: ReplicatedCache | null
}

/** The cache ledger's facts about an answer's request. */
export interface ReplicatedCache {
  readonly sent_at: string
  readonly exchange: string | null
  readonly could_read: number
  readonly missed_tokens: number
  readonly waste_usd: number | null
  readonly cause: CacheCauseKind | null
  readonly vendor_agrees: boolean | null
}

export interface ReplicatedUsage {
  readonly model: string
  readonly basis: 'measured' | 'lower_bound'
  readonly input_tokens: number
  readonly output_tokens: number
  readonly thinking_tokens: number | null
  readonly cache_read_tokens: number
  readonly cache_creation_tokens: number
  readonly cache_creation_1h_tokens: number
  /** USD; null: unpriced. */
  readonly cost_usd: number | null
}

interface LinkedRow extends EventRow {
  readonly known_parent: string | null
  readonly missing_parent: string | null
  readonly root_uuid: string | null
  readonly depth: number | null
  readonly is_prompt: number
  readonly tool: string | null
  readonly is_line: number
}

/** Reads events by id, in that order. Hidden and deleted ones are missing from the answer. */
export function* replicatedEvents(reader: Reader, ids: readonly number[]): Generator<ReplicatedEvent> {
  const wanted = JSON.stringify(ids)
  const rows = reader.all<LinkedRow>(
    `SELECT ${EVENT_COLUMNS}, p.uuid AS known_parent, a.missing_parent, r.uuid AS root_uuid, a.depth, e.is_line,
       EXISTS (SELECT 1 FROM user_prompts u WHERE u.id = e.id) AS is_prompt,
       coalesce((SELECT c.tool_name FROM tool_call_rows c WHERE c.event_id = e.id),
         (SELECT t.tool_name FROM tool_result_rows t WHERE t.event_id = e.id)) AS tool
     FROM json_each(?) asked CROSS JOIN events e ON e.id = asked.value LEFT JOIN ancestry a ON a.event_id = e.id
       LEFT JOIN events p ON p.id = a.parent_id LEFT JOIN events r ON r.id = a.root_id ORDER BY asked.key`,
    wanted,
  )
  const usage = new Map(
    reader
      .all<ReplicatedUsage & { readonly id: number }>(
        `SELECT u.id, u.model, u.basis, u.input_tokens, u.output_tokens, u.thinking_tokens, u.cache_read_tokens,
           u.cache_creation_tokens, u.cache_creation_1h_tokens, u.cost_usd
         FROM json_each(?) asked CROSS JOIN api_usage u ON u.id = asked.value`,
        wanted,
      )
      .map(({ id, ...facts }) => [id, facts] as const),
  )
  const cache = cacheFacts(reader, wanted)
  const keys = Map.groupBy(
    reader.all<{ event_id: number; key: string }>(
      'SELECT k.event_id, k.key FROM json_each(?) asked CROSS JOIN key_rows k ON k.event_id = asked.value',
      wanted,
    ),
    ({ event_id }) => event_id,
  )
  const toEvent = eventsOf(reader, rows)
  for (const row of rows) {
    const { known_parent, missing_parent, root_uuid, depth, is_prompt, tool, is_line } = row
    yield {
      event: toEvent(row),
      keys: [...(is_line === 1 ? [LINE_KEY + row.uuid] : []), ...(keys.get(row.id) ?? []).map(({ key }) => key)],
      parent_uuid: known_parent ?? missing_parent ?? row.parent_uuid,
      root_uuid,
      depth,
      is_prompt: is_prompt !== 0,
      tool_name: tool,
      usage: usage.get(row.id) ?? null,
      cache: cache.get(row.id) ?? null,
    }
  }
}

function cacheFacts(reader: Reader, wanted: string): ReadonlyMap<number, ReplicatedCache> {
  type Row = Omit<ReplicatedCache, 'vendor_agrees'> & { readonly id: number; readonly vendor_type: string | null }
  const rows = reader.all<Row>(
    `SELECT c.id, c.timestamp AS sent_at, c.request_uuid AS exchange, c.could_read, c.missed_tokens, c.waste_usd,
       c.kind AS cause, c.vendor_type
     FROM json_each(?) asked CROSS JOIN cache_calls c ON c.id = asked.value`,
    wanted,
  )
  return new Map(
    rows.map(({ id, vendor_type: vendor, ...facts }) => {
      const vendor_agrees = vendor === null || facts.cause === null ? null : agrees(facts.cause, vendor)
      return [id, { ...facts, vendor_agrees }] as const
    }),
  )
}

/** Returns the ids of the answers to these requests: the ledger judges an answer when its response ends. */
export function judgedAnswers(reader: Reader, exchanges: readonly string[]): readonly number[] {
  if (exchanges.length === 0) return []
  return reader
    .all<{ id: number }>(
      'SELECT c.id FROM json_each(?) asked CROSS JOIN cache_calls c ON c.request_uuid = asked.value',
      JSON.stringify(exchanges),
    )
    .map(({ id }) => id)
}

/** Returns whether an event is left out only because the deletion of its session is pending. */
export const isLeftOut = (reader: Reader, id: number): boolean =>
  reader.get('SELECT 1 FROM events WHERE id = ?', id) !== undefined

/** Replicated facts about a session other than its events. */
export interface ReplicatedSession {
  readonly id: string
  readonly project: string | null
  readonly git_branch: string | null
  readonly title: string | null
  readonly client: string
  readonly client_version: string | null
  readonly source: 'hook' | 'warmup' | 'first_seen' | 'transcript'
  readonly active_ms: number
  readonly ended_at: string | null
}

export function replicatedSessions(reader: Reader, ids: readonly string[]): readonly ReplicatedSession[] {
  return reader.all(
    `SELECT s.id, s.project, s.git_branch, coalesce(l.title, s.title) AS title, s.client, s.client_version, s.source, s.active_ms,
       s.ended_at
     FROM json_each(?) asked CROSS JOIN recorded_sessions s ON s.id = asked.value LEFT JOIN session_labels l ON l.session_id = s.id`,
    JSON.stringify(ids),
  )
}

/** Every session with its project. */
export const sessionsWithProject = (
  reader: Reader,
): readonly { readonly id: string; readonly project: string | null }[] =>
  reader.all('SELECT id, project FROM recorded_sessions ORDER BY id')

/** The working directories of events of these sessions, since a session may have several. */
export function projectsOfSessions(
  reader: Reader,
  ids: readonly string[],
): readonly { readonly id: string; readonly project: string }[] {
  return reader.all(
    `SELECT DISTINCT e.session_id AS id, e.project FROM json_each(?) asked CROSS JOIN events e ON e.session_id = asked.value
     WHERE e.project IS NOT NULL ORDER BY e.session_id, e.project`,
    JSON.stringify(ids),
  )
}

/** The sessions of the log by project, without those that are left out, for a preview. */
export function sessionsByProject(
  reader: Reader,
  excluded: readonly string[] = [],
): readonly {
  readonly project: string | null
  readonly sessions: number
  readonly cost_usd: number
  readonly events: number
}[] {
  return reader.all(
    `SELECT s.project, count(*) AS sessions, sum(s.total_cost_usd) AS cost_usd,
       sum((SELECT count(*) FROM events e WHERE e.session_id = s.id)) AS events
     FROM recorded_sessions s WHERE s.id NOT IN (SELECT value FROM json_each(?))
     GROUP BY s.project ORDER BY sessions DESC, s.project`,
    JSON.stringify(excluded),
  )
}
