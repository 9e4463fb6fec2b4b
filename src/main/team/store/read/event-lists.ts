import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { formatEvent } from '../../../../shared/event-text.ts'
import { EVENT_COLUMNS, EVENT_TABLES, findEvent, toEvents, type TeamEventRow } from './events.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { findSession, unsupported, visible, type ReadContext } from './scope.ts'

/** Events of a session, or one of its turns, in their order. */
export async function listEvents(
  context: ReadContext,
  input: ParsedInput<'events.list'>,
): Promise<OperationOutput<'events.list'>> {
  if (input.session_id === undefined) throw unsupported('events.list without a session; see events.recent')
  const { sql } = context
  const { member_id } = await findSession(context, input.session_id)
  const offset = offsetOf(input.cursor)
  const rows = await sql<TeamEventRow[]>`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM ${sql.unsafe(EVENT_TABLES)}
    WHERE e.session_id = ${input.session_id} AND e.member_id = ${member_id}
      AND ${input.turn_id === undefined ? sql`TRUE` : sql`e.turn_id = ${input.turn_id}`}
      AND ${input.kind === undefined ? sql`TRUE` : sql`e.kind = ${input.kind}`}
    ORDER BY e.turn_id, e.seq, e.id LIMIT ${input.limit + 1} OFFSET ${offset}`
  const items = await toEvents(context, 'events.list', rows.slice(0, input.limit))
  return { items, next: cursorOf(rows.length > input.limit, offset + input.limit) }
}

/** The direct effects of an event, within its session. */
export async function eventChildren(
  context: ReadContext,
  input: ParsedInput<'events.children'>,
): Promise<OperationOutput<'events.children'>> {
  const { sql } = context
  const parent = await findEvent(context, input.uuid)
  const offset = offsetOf(input.cursor)
  const rows = await sql<TeamEventRow[]>`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM ${sql.unsafe(EVENT_TABLES)}
    WHERE e.session_id = ${parent.session_id} AND e.member_id = ${parent.member_id} AND e.parent_uuid = ${parent.uuid}
    ORDER BY e.turn_id, e.seq, e.id LIMIT ${input.limit + 1} OFFSET ${offset}`
  const shown = rows.slice(0, input.limit)
  const events = await toEvents(context, 'events.children', shown)
  const depth = (parent.depth ?? 0) + 1
  return {
    items: events.map((event) => ({ ...event, depth })),
    next: cursorOf(rows.length > input.limit, offset + input.limit),
  }
}

type Slowest = OperationOutput<'stats.slowest'>

/** The slowest tool calls or events; `by=kind` also groups timed events by kind. */
export async function slowestEvents(context: ReadContext, input: ParsedInput<'stats.slowest'>): Promise<Slowest> {
  const { sql } = context
  const timed = sql`e.duration_ms IS NOT NULL AND ${visible(context, 'e')}
    AND ${input.by === 'tool' ? sql`e.kind = 'tool_result' AND e.tool_name IS NOT NULL` : sql`TRUE`}
    AND ${input.session_id === undefined ? sql`TRUE` : sql`e.session_id = ${input.session_id}`}
    AND ${input.project === undefined ? sql`TRUE` : sql`e.project = ${input.project}`}
    AND ${input.since === undefined ? sql`TRUE` : sql`e.ts >= ${input.since}`}`
  const rows = await sql<TeamEventRow[]>`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM ${sql.unsafe(EVENT_TABLES)}
    WHERE ${timed} ORDER BY e.duration_ms DESC, e.id LIMIT ${input.limit}`
  await context.note(
    'stats.slowest',
    rows.filter(({ level }) => level === 'full'),
  )
  const items = rows.map((row) => ({
    uuid: row.uuid,
    session_id: row.session_id,
    turn_id: row.turn_id,
    timestamp: row.ts.toISOString(),
    name: input.by === 'tool' ? (row.tool_name ?? '') : row.kind,
    duration_ms: row.duration_ms ?? 0,
    success: row.success,
    text: row.level === 'full' ? formatEvent(row.kind, row.payload) : '',
  }))
  if (input.by === 'tool') return { items, next: null }
  const groups = await sql<
    NonNullable<Slowest['groups']>
  >`SELECT e.kind, count(*)::int AS count, avg(e.duration_ms) AS mean_ms,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY e.duration_ms) AS p95_ms, max(e.duration_ms) AS max_ms
    FROM events e WHERE ${timed} GROUP BY e.kind ORDER BY sum(e.duration_ms) DESC, e.kind`
  return { items, next: null, groups: [...groups] }
}
