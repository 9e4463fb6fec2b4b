import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { AspyError } from '../../../../shared/contract/errors.ts'
import type { EventKind, EventSource } from '../../../../shared/event.ts'
import { fillContents } from './event-contents.ts'
import { toLine } from './event-line.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { findSession, unsupported, visible, type Owned, type ReadContext } from './scope.ts'

/** A row of `events` with its member's name. */
export interface TeamEventRow extends Owned {
  readonly id: number
  readonly uuid: string
  readonly member: string
  readonly turn_id: number
  readonly seq: number
  readonly agent_id: string | null
  readonly parent_uuid: string | null
  readonly depth: number | null
  readonly kind: EventKind
  readonly source: EventSource
  readonly ts: Date
  readonly duration_ms: number | null
  readonly success: boolean | null
  readonly error_message: string | null
  readonly project: string
  readonly level: 'metadata' | 'full'
  readonly tool_name: string | null
  readonly outcome: string | null
  readonly model: string | null
  readonly payload: Readonly<Record<string, unknown>>
}

/** Columns of a `TeamEventRow`, and the tables that have them. */
export const EVENT_COLUMNS = `e.id::float8 AS id, e.uuid, e.member_id, m.name AS member, e.session_id, e.turn_id, e.seq, e.agent_id, e.parent_uuid,
  e.depth, e.kind, e.source, e.ts, e.duration_ms, e.success, e.error_message, e.project, e.level, e.tool_name, e.outcome,
  e.model, e.payload`
export const EVENT_TABLES = 'events e JOIN members m ON m.id = e.member_id'

type EventAnswer = OperationOutput<'sessions.events'>['items'][number]

function toEvent(row: TeamEventRow): EventAnswer {
  const { ts, member, member_id: _, project, depth: _depth, level: _level, tool_name, outcome, model, ...rest } = row
  const known = { tool_name, outcome, model }
  return {
    ...rest,
    ts_wall: ts.toISOString(),
    ts_monotonic: null,
    request_id: null,
    user_id: member,
    project: project === '' ? null : project,
    schema_version: 1,
    // Of metadata alone, the columns are all there is.
    payload:
      row.level === 'metadata' ? Object.fromEntries(Object.entries(known).filter(([, v]) => v !== null)) : row.payload,
  }
}

const full = (rows: readonly TeamEventRow[]) => rows.filter(({ level }) => level === 'full')

/** Returns rows as events with their long texts, and notes who reads them. */
export async function toEvents(
  context: ReadContext,
  operation: string,
  rows: readonly TeamEventRow[],
): Promise<EventAnswer[]> {
  await context.note(operation, full(rows))
  return (await fillContents(context, rows)).map(toEvent)
}

export async function sessionEvents(
  context: ReadContext,
  input: ParsedInput<'sessions.events'>,
): Promise<OperationOutput<'sessions.events'>> {
  const { sql } = context
  const found = await findSession(context, input.session_id)
  const offset = offsetOf(input.cursor)
  const direction = sql.unsafe(input.order === 'newest' ? 'DESC' : 'ASC')
  const rows = await sql<TeamEventRow[]>`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM ${sql.unsafe(EVENT_TABLES)}
    WHERE e.session_id = ${input.session_id} AND e.member_id = ${found.member_id}
      AND ${input.before === undefined ? sql`TRUE` : sql`e.ts < ${input.before}`}
      AND ${input.after === undefined ? sql`TRUE` : sql`e.ts > ${input.after}`}
      AND ${input.kinds === undefined || input.kinds.length === 0 ? sql`TRUE` : sql`e.kind = ANY(${input.kinds})`}
    ORDER BY e.ts ${direction}, e.turn_id ${direction}, e.seq ${direction} LIMIT ${input.limit + 1} OFFSET ${offset}`
  const items = await toEvents(context, 'sessions.events', rows.slice(0, input.limit))
  return { items, next: cursorOf(rows.length > input.limit, offset + input.limit) }
}

export async function sessionTimeline(
  context: ReadContext,
  input: ParsedInput<'sessions.timeline'>,
): Promise<OperationOutput<'sessions.timeline'>> {
  const { sql } = context
  const found = await findSession(context, input.session_id)
  const offset = offsetOf(input.cursor)
  const rows = await sql<TeamEventRow[]>`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM ${sql.unsafe(EVENT_TABLES)}
    WHERE e.session_id = ${input.session_id} AND e.member_id = ${found.member_id}
      AND ${input.start === undefined ? sql`TRUE` : sql`e.ts >= ${input.start}`}
      AND ${input.end === undefined ? sql`TRUE` : sql`e.ts <= ${input.end}`}
      AND ${input.kinds === undefined || input.kinds.length === 0 ? sql`TRUE` : sql`e.kind = ANY(${input.kinds})`}
    ORDER BY e.ts, e.turn_id, e.seq LIMIT ${input.limit + 1} OFFSET ${offset}`
  const shown = rows.slice(0, input.limit)
  await context.note('sessions.timeline', full(shown))
  return { items: shown.map(toLine), next: cursorOf(rows.length > input.limit, offset + input.limit) }
}

/** The newest events: of a session, a project, or all that the caller may read. */
export async function recentEvents(
  context: ReadContext,
  input: ParsedInput<'events.recent'>,
): Promise<OperationOutput<'events.recent'>> {
  const { sql } = context
  const owner = input.session_id === undefined ? null : (await findSession(context, input.session_id)).member_id
  const rows = await sql<
    TeamEventRow[]
  >`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM ${sql.unsafe(EVENT_TABLES)} WHERE ${visible(context, 'e')}
      AND ${owner === null ? sql`TRUE` : sql`e.session_id = ${input.session_id ?? ''} AND e.member_id = ${owner}`}
      AND ${input.project === undefined ? sql`TRUE` : sql`e.project = ${input.project}`}
      AND ${input.kinds === undefined || input.kinds.length === 0 ? sql`TRUE` : sql`e.kind = ANY(${input.kinds})`}
    ORDER BY e.ts DESC, e.id DESC LIMIT ${input.limit}`
  await context.note('events.recent', full(rows))
  return { items: rows.map(toLine), next: null }
}

/** Returns an event that the caller may read. Throws `not_found`. */
export async function findEvent(context: ReadContext, uuid: string): Promise<TeamEventRow> {
  const { sql } = context
  const missing = new AspyError('not_found', `the team's history has no event ${uuid} that you may read`)
  if (!/^[0-9a-f-]{36}$/i.test(uuid)) throw missing
  const [row] = await sql<TeamEventRow[]>`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM ${sql.unsafe(EVENT_TABLES)}
    WHERE e.uuid::text = ${uuid.toLowerCase()} AND e.uuid = ${uuid} AND ${visible(context, 'e')}
    ORDER BY (e.member_id = ${context.caller.memberId}) DESC, e.id LIMIT 1`
  if (row === undefined) throw missing
  return row
}

export async function getEvent(
  context: ReadContext,
  { uuid }: ParsedInput<'events.get'>,
): Promise<OperationOutput<'events.get'>> {
  const row = await findEvent(context, uuid)
  const [event] = await toEvents(context, 'events.get', [row])
  if (event === undefined) throw unsupported('the event was withdrawn')
  return { ...event, sightings: [], keys: [] }
}

/** Parents of an event, nearest first, of its own member; at most 1,000. */
async function ancestors(context: ReadContext, { uuid, member_id }: TeamEventRow): Promise<TeamEventRow[]> {
  const { sql } = context
  return sql<TeamEventRow[]>`WITH RECURSIVE chain AS (
      (SELECT 0 AS step, e.month, e.member_id, e.uuid, e.parent_uuid, ARRAY[e.uuid] AS met FROM events e
       WHERE e.uuid = ${uuid} AND e.member_id = ${member_id} LIMIT 1)
      UNION ALL
      SELECT c.step + 1, p.month, p.member_id, p.uuid, p.parent_uuid, c.met || p.uuid FROM chain c CROSS JOIN LATERAL (
        SELECT e.* FROM events e WHERE e.uuid = c.parent_uuid AND e.member_id = c.member_id LIMIT 1) p
      WHERE c.step < 1000 AND p.uuid <> ALL (c.met))
    SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM chain c JOIN events e ON e.month = c.month AND e.member_id = c.member_id AND e.uuid = c.uuid
      JOIN members m ON m.id = e.member_id ORDER BY c.step`
}

export async function eventChain(
  context: ReadContext,
  { uuid }: ParsedInput<'events.chain'>,
): Promise<OperationOutput<'events.chain'>> {
  const rows = await ancestors(context, await findEvent(context, uuid))
  const events = await toEvents(context, 'events.chain', rows)
  const items = events.reverse().map((event, depth) => ({ ...event, depth }))
  const state = stateOf(rows)
  return { items, next: null, ...state }
}

/** Explains an event: its chain as lines, root first. */
export async function traceEvent(
  context: ReadContext,
  input: ParsedInput<'events.trace'>,
): Promise<OperationOutput<'events.trace'>> {
  if (input.uuid === undefined || input.down || input.last_error)
    throw unsupported('it traces one event back to its prompt; give its uuid')
  const rows = await ancestors(context, await findEvent(context, input.uuid))
  const [event] = await toEvents(context, 'events.trace', rows)
  if (event === undefined) throw unsupported('the event was withdrawn')
  const items = rows
    .map(toLine)
    .reverse()
    .map((line, depth) => ({ ...line, depth }))
  return { event, items, ...stateOf(rows) }
}

function stateOf(rows: readonly TeamEventRow[]): { truncated: boolean; cycle: boolean; gap: boolean } {
  const last = rows.at(-1)
  const isWhole = last === undefined || last.parent_uuid === null
  const cycle = !isWhole && rows.some(({ uuid }) => uuid === last.parent_uuid)
  const truncated = rows.length > 1000
  return { truncated, cycle, gap: !isWhole && !cycle && !truncated }
}

export async function countEvents(
  context: ReadContext,
  input: ParsedInput<'events.count'>,
): Promise<OperationOutput<'events.count'>> {
  const { sql } = context
  const [row] = await sql<{ n: number }[]>`SELECT count(*)::float8 AS n FROM events e WHERE ${visible(context, 'e')}
    AND ${input.session_id === undefined ? sql`TRUE` : sql`e.session_id = ${input.session_id}`}
    AND ${input.turn_id === undefined ? sql`TRUE` : sql`e.turn_id = ${input.turn_id}`}
    AND ${input.kind === undefined ? sql`TRUE` : sql`e.kind = ${input.kind}`}`
  return { count: row?.n ?? 0 }
}
