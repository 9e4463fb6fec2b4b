import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { formatEvent } from '../../../../shared/event-text.ts'
import { CHILDREN, LOG, SLOWEST } from '../../../listings/events.ts'
import { EVENT_COLUMNS, findEvent, inTeam, isFull, ofOwner, withTexts, type TeamEventRow } from './events.ts'
import { listPage, narrowed, withMoments } from './list-page.ts'
import { unsupported, type ReadContext, type TeamHandler } from './scope.ts'

/** Events of a session, or one of its turns, in their order. */
export const listEvents: TeamHandler<'events.list'> = async (context, input) => {
  if (input.session_id === undefined) throw unsupported('events.list without a session; see events.recent')
  const conditions = await ofOwner(context, input.session_id)
  const reading = { operation: 'events.list', hasText: isFull, conditions } as const
  const { items, next } = await listPage(context, inTeam(LOG.ofSession), input, reading)
  return { items: await withTexts(context, items), next }
}

/** The direct effects of an event, within its session. */
export const eventChildren: TeamHandler<'events.children'> = async (context, input) => {
  const parent = await findEvent(context, input.uuid)
  const { items, next } = await listPage(context, inTeam(CHILDREN), input, {
    operation: 'events.children',
    hasText: isFull,
    conditions: [
      ['e.session_id = ?', parent.session_id],
      ['e.member_id = ?', parent.member_id],
    ],
  })
  const depth = (parent.depth ?? 0) + 1
  return { items: (await withTexts(context, items)).map((event) => ({ ...event, depth })), next }
}

type Slowest = OperationOutput<'stats.slowest'>

/** The slowest tool calls or events; `by=kind` also groups timed events by kind. */
export async function slowestEvents(context: ReadContext, input: ParsedInput<'stats.slowest'>): Promise<Slowest> {
  const { sql } = context
  const timed = narrowed(context, 'e', SLOWEST, input, [
    ['e.duration_ms IS NOT NULL'],
    [input.by === 'tool' ? "e.kind = 'tool_result' AND e.tool_name IS NOT NULL" : ''],
  ])
  const found = await sql<TeamEventRow[]>`SELECT ${sql.unsafe(EVENT_COLUMNS)} FROM events e ${timed}
    ORDER BY e.duration_ms DESC, e.id LIMIT ${input.limit}`
  const rows = found.map(withMoments)
  await context.note('stats.slowest', rows.filter(isFull))
  const items = rows.map((row) => ({
    uuid: row.uuid,
    session_id: row.session_id,
    user_id: row.user_id,
    turn_id: row.turn_id,
    timestamp: row.ts_wall,
    name: input.by === 'tool' ? (row.tool_name ?? '') : row.kind,
    duration_ms: row.duration_ms ?? 0,
    upper_bound: false,
    success: row.success === null ? null : row.success !== 0,
    text: row.level === 'full' ? formatEvent(row.kind, row.payload) : '',
  }))
  if (input.by === 'tool') return { items, next: null }
  const groups = await sql<
    NonNullable<Slowest['groups']>
  >`SELECT e.kind, count(*)::int AS count, avg(e.duration_ms) AS mean_ms,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY e.duration_ms) AS p95_ms, max(e.duration_ms) AS max_ms
    FROM events e ${timed} GROUP BY e.kind ORDER BY sum(e.duration_ms) DESC, e.kind`
  return { items, next: null, groups: [...groups] }
}
