import type { OperationOutput } from '../../shared/contract/index.ts'
import type { Columns, Filter, Filters, Key, Listing } from './listing.ts'
import { MEMBER } from './shared-facts.ts'

/** An event as both stores hold it. A team's payload is parsed already. */
export type EventRow = Omit<OperationOutput<'sessions.events'>['items'][number], 'success' | 'payload'> & {
  readonly success: number | null
  /** JSON. */
  readonly payload: string
}

/** The columns of one event. */
export const EVENT_ROW: Columns<EventRow> = {
  id: { local: 'e.id', team: 'e.id::float8' },
  uuid: 'e.uuid',
  session_id: 'e.session_id',
  turn_id: 'e.turn_id',
  seq: 'e.seq',
  agent_id: 'e.agent_id',
  parent_uuid: 'e.parent_uuid',
  kind: 'e.kind',
  source: 'e.source',
  ts_wall: { local: 'e.ts_wall', team: 'e.ts' },
  ts_monotonic: { local: 'e.ts_monotonic', team: 'NULL' },
  duration_ms: 'e.duration_ms',
  success: { local: 'e.success', team: 'e.success::int' },
  error_message: 'e.error_message',
  request_id: { local: 'e.request_id', team: 'NULL' },
  user_id: { local: 'e.user_id', team: MEMBER },
  project: { local: 'e.project', team: "nullif(e.project, '')" },
  schema_version: { local: 'e.schema_version', team: '1' },
  payload: 'e.payload',
}

const EVENTS = { from: 'events e', owner: 'e', columns: EVENT_ROW, sorts: {} } as const

const OF_SESSION = 'e.session_id = ?'
const KINDS: Filter = { local: 'aspy_in_time() AND +e.kind IN (?)', team: 'e.kind = ANY(?)' }

/** By time. A team receives events in a different order than that of the session. */
const BY_TIME: Listing<EventRow, 'sessions.events'>['key'] = {
  local: [
    ['e.ts_wall', 'time'],
    ['e.id', 'number'],
  ],
  team: [
    ['e.ts', 'time'],
    ['e.turn_id', 'number'],
    ['e.seq', 'number'],
    ['e.id', 'number'],
  ],
}

/** Events of a session, newest first. */
export const SESSION_EVENTS: Listing<EventRow, 'sessions.events'> = {
  ...EVENTS,
  where: '',
  filters: {
    session_id: OF_SESSION,
    before: { local: 'e.ts_wall < ?', team: 'e.ts < ?' },
    after: { local: 'e.ts_wall > ?', team: 'e.ts > ?' },
    kinds: KINDS,
  },
  key: BY_TIME,
  order: 'DESC',
}

/** Events of a session, oldest first. */
export const TIMELINE: Listing<EventRow, 'sessions.timeline'> = {
  ...EVENTS,
  where: '',
  filters: {
    session_id: OF_SESSION,
    start: { local: 'e.ts_wall >= ?', team: 'e.ts >= ?' },
    end: { local: 'e.ts_wall <= ?', team: 'e.ts <= ?' },
    kinds: KINDS,
  },
  key: BY_TIME,
  order: 'ASC',
}

/** The newest events. A laptop merges them from those of sessions or kinds: it has no index over all events. */
export const RECENT: Listing<EventRow, 'events.recent'> = {
  ...EVENTS,
  where: '',
  filters: {
    session_id: OF_SESSION,
    project: 'e.project = ?',
    since: { local: 'e.ts_wall >= ?', team: 'e.ts >= ?' },
    until: { local: 'e.ts_wall < ?', team: 'e.ts < ?' },
    kinds: KINDS,
  },
  key: {
    local: [
      ['e.ts_wall', 'time'],
      ['e.id', 'number'],
    ],
    team: [
      ['e.ts', 'time'],
      ['e.id', 'number'],
    ],
  },
  order: 'DESC',
}

const TEAM_ORDER: readonly Key[] = [
  ['e.turn_id', 'number'],
  ['e.seq', 'number'],
  ['e.id', 'number'],
]

/** Events in the order of the log that an index of the laptop gives. */
const inOrder = (kind: string, local: readonly Key[]): Listing<EventRow, 'events.list'> => ({
  ...EVENTS,
  where: '',
  filters: {
    session_id: OF_SESSION,
    // One turn has several numbers if turns were joined.
    turn_id: { local: 'e.turn_id IN (?)', team: 'e.turn_id = ?' },
    agent: {
      local: "aspy_in_time() AND e.agent_id IS nullif(?, 'main')",
      team: "e.agent_id IS NOT DISTINCT FROM nullif(?, 'main')",
    },
    kind: { local: kind, team: 'e.kind = ?' },
  },
  key: { local, team: TEAM_ORDER },
  order: 'ASC',
})

/** Events in the order of the log; a session's by turn, a kind's by time. */
export const LOG = {
  ofSession: inOrder('aspy_in_time() AND +e.kind = ?', [
    ['e.turn_id', 'number'],
    ['e.seq', 'number'],
  ]),
  ofKind: inOrder('e.kind = ?', [
    ['e.ts_wall', 'time'],
    ['e.id', 'number'],
  ]),
  ofAll: inOrder('e.kind = ?', [['e.id', 'number']]),
}

/** The direct effects of an event; in a team, within its session. */
export const CHILDREN: Listing<EventRow & { readonly depth: number }, 'events.children'> = {
  ...EVENTS,
  from: { local: 'ancestry l CROSS JOIN events e ON e.id = l.event_id', team: 'events e' },
  where: '',
  columns: {
    ...EVENT_ROW,
    id: { local: 'l.event_id', team: 'e.id::float8' },
    depth: { local: 'l.depth', team: 'e.depth' },
  },
  filters: { uuid: { local: 'l.parent_id = (SELECT id FROM events WHERE uuid = ?)', team: 'e.parent_uuid = ?' } },
  key: { local: [['l.event_id', 'number']], team: TEAM_ORDER },
  order: 'ASC',
}

/** Filters for a count of events. */
export const COUNTED: Filters<'events.count'> = {
  session_id: OF_SESSION,
  turn_id: { local: 'e.turn_id IN (?)', team: 'e.turn_id = ?' },
  kind: { local: '+e.kind = ?', team: 'e.kind = ?' },
}

/** Filters for the slowest events. */
export const SLOWEST: Filters<'stats.slowest'> = {
  // The caller chooses its columns.
  by: 'TRUE',
  session_id: { local: 'aspy_in_time() AND e.session_id = ?', team: OF_SESSION },
  project: { local: 'aspy_in_time() AND e.project = ?', team: 'e.project = ?' },
  since: { local: '+e.ts_wall >= ?', team: 'e.ts >= ?' },
}
