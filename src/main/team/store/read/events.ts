import type { OperationName, OperationOutput } from '../../../../shared/contract/index.ts'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { COUNTED, EVENT_ROW, RECENT, SESSION_EVENTS, TIMELINE, type EventRow } from '../../../listings/events.ts'
import type { Columns, Listing } from '../../../listings/listing.ts'
import { columnsOf, type Condition } from '../../../listings/page-query.ts'
import { fillContents } from './event-contents.ts'
import { toLine } from './event-line.ts'
import { listPage, narrowed, withMoments } from './list-page.ts'
import { findSession, unsupported, visible, type ReadContext, type TeamHandler } from './scope.ts'

/** An event with the facts that only a team's store has. */
export interface TeamEventRow extends Omit<EventRow, 'payload'> {
  readonly member_id: number
  readonly depth: number | null
  readonly level: 'metadata' | 'full'
  readonly tool_name: string | null
  readonly outcome: string | null
  readonly model: string | null
  readonly payload: Readonly<Record<string, unknown>>
}

const TEAM_COLUMNS = {
  ...EVENT_ROW,
  member_id: 'e.member_id',
  depth: 'e.depth',
  level: 'e.level',
  tool_name: 'e.tool_name',
  outcome: 'e.outcome',
  model: 'e.model',
} satisfies Columns<TeamEventRow>

/** Columns of a `TeamEventRow` of the table `events e`, for SQL by hand: its moments are dates. */
export const EVENT_COLUMNS = columnsOf('team', TEAM_COLUMNS)

/** Returns a list of events with the facts that only a team's store has. */
export const inTeam = <Name extends OperationName>(listing: Listing<EventRow, Name>): Listing<TeamEventRow, Name> => ({
  ...listing,
  columns: TEAM_COLUMNS,
})

type EventAnswer = OperationOutput<'sessions.events'>['items'][number]

function toEvent(found: TeamEventRow): EventAnswer {
  const { depth: _, member_id: _id, level, tool_name, outcome, model, ...row } = found
  const known = Object.entries({ tool_name, outcome, model }).filter(([, value]) => value !== null)
  return {
    ...row,
    success: row.success === null ? null : row.success !== 0,
    // If only metadata was sent, there are only the columns.
    payload: level === 'metadata' ? Object.fromEntries(known) : row.payload,
  }
}

export const isFull = ({ level }: TeamEventRow): boolean => level === 'full'

/** Returns rows as events with their long texts, and notes who reads them. */
export async function toEvents(
  context: ReadContext,
  operation: string,
  rows: readonly TeamEventRow[],
): Promise<EventAnswer[]> {
  await context.note(operation, rows.filter(isFull))
  return withTexts(context, rows)
}

/** Returns rows as events with their long texts. */
export const withTexts = async (context: ReadContext, rows: readonly TeamEventRow[]): Promise<EventAnswer[]> =>
  (await fillContents(context, rows)).map(toEvent)

/** Returns the condition that is true only for rows of a session's owner. */
export async function ofOwner(context: ReadContext, session: string): Promise<Condition[]> {
  return [['e.member_id = ?', (await findSession(context, session)).member_id]]
}

export const sessionEvents: TeamHandler<'sessions.events'> = async (context, input) => {
  const conditions = await ofOwner(context, input.session_id)
  const reading = { operation: 'sessions.events', hasText: isFull, conditions } as const
  const { items, next } = await listPage(context, inTeam(SESSION_EVENTS), input, reading)
  return { items: await withTexts(context, items), next }
}

export const sessionTimeline: TeamHandler<'sessions.timeline'> = async (context, input) => {
  const conditions = await ofOwner(context, input.session_id)
  const reading = { operation: 'sessions.timeline', hasText: isFull, conditions } as const
  const { items, next } = await listPage(context, inTeam(TIMELINE), input, reading)
  return { items: items.map(toLine), next }
}

/** The newest events of a session or a project, or of all that the caller may read. */
export const recentEvents: TeamHandler<'events.recent'> = async (context, input) => {
  const conditions = input.session_id === undefined ? [] : await ofOwner(context, input.session_id)
  const reading = { operation: 'events.recent', hasText: isFull, conditions } as const
  const { items } = await listPage(context, inTeam(RECENT), input, reading)
  return { items: items.map(toLine), next: null }
}

/** Returns an event that the caller may read. Throws `not_found`. */
export async function findEvent(context: ReadContext, uuid: string): Promise<TeamEventRow> {
  const { sql } = context
  const missing = new AspyError('not_found', `the team's history has no event ${uuid} that you may read`)
  if (!/^[0-9a-f-]{36}$/i.test(uuid)) throw missing
  const [row] = await sql<TeamEventRow[]>`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM events e
    WHERE e.uuid::text = ${uuid.toLowerCase()} AND e.uuid = ${uuid} AND ${visible(context, 'e')}
    ORDER BY (e.member_id = ${context.caller.memberId}) DESC, e.id LIMIT 1`
  if (row === undefined) throw missing
  return withMoments(row)
}

export const getEvent: TeamHandler<'events.get'> = async (context, { uuid }) => {
  const row = await findEvent(context, uuid)
  const [event] = await toEvents(context, 'events.get', [row])
  if (event === undefined) throw unsupported('the event was withdrawn')
  return { ...event, sightings: [], keys: [] }
}

/** Parents of an event, nearest first, of the same member; at most 1,000. */
async function ancestors(context: ReadContext, { uuid, member_id }: TeamEventRow): Promise<TeamEventRow[]> {
  const { sql } = context
  const rows = await sql<TeamEventRow[]>`WITH RECURSIVE chain AS (
      (SELECT 0 AS step, e.month, e.member_id, e.uuid, e.parent_uuid, ARRAY[e.uuid] AS met FROM events e
       WHERE e.uuid = ${uuid} AND e.member_id = ${member_id} LIMIT 1)
      UNION ALL
      SELECT c.step + 1, p.month, p.member_id, p.uuid, p.parent_uuid, c.met || p.uuid FROM chain c CROSS JOIN LATERAL (
        SELECT e.* FROM events e WHERE e.uuid = c.parent_uuid AND e.member_id = c.member_id LIMIT 1) p
      WHERE c.step < 1000 AND p.uuid <> ALL (c.met))
    SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM chain c JOIN events e ON e.month = c.month AND e.member_id = c.member_id AND e.uuid = c.uuid
    ORDER BY c.step`
  return rows.map(withMoments)
}

export const eventChain: TeamHandler<'events.chain'> = async (context, { uuid }) => {
  const rows = await ancestors(context, await findEvent(context, uuid))
  const events = await toEvents(context, 'events.chain', rows)
  const items = events.reverse().map((event, depth) => ({ ...event, depth }))
  const state = stateOf(rows)
  return { items, next: null, ...state }
}

/** Explains an event: its chain as lines, root first. */
export const traceEvent: TeamHandler<'events.trace'> = async (context, input) => {
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

export const countEvents: TeamHandler<'events.count'> = async (context, input) => {
  const [row] = await context.sql<{ n: number }[]>`SELECT count(*)::float8 AS n FROM events e
    ${narrowed(context, 'e', COUNTED, input)}`
  return { count: row?.n ?? 0 }
}
