import { SKILL_LIST, type CARRY_GROUPS } from '../../../shared/contract/carry.ts'
import { where } from './page.ts'
import { OUTSIDE_WEEKS, sumsByWeek } from './carry-weeks.ts'
import type { Reader } from './reader.ts'

export interface CarryRange {
  readonly since?: string
  readonly until?: string
  readonly project?: string
  readonly session_id?: string
}

/** Carried input, as the API charged it. */
export interface CarrySums {
  readonly requests: number
  readonly read_tokens: number
  readonly read_usd: number
  readonly written_tokens: number
  readonly written_usd: number
  readonly uncached_tokens: number
  readonly uncached_usd: number
}

export interface CarryGroupRow extends CarrySums {
  readonly key: string | null
  /** One of its sessions. */
  readonly in_session: string
  readonly blocks: number
  readonly bytes: number
}

/** `mcp_definition`: by tool, only the definitions of MCP tools. */
export type CarryBy = (typeof CARRY_GROUPS)[number] | 'mcp_definition'

/** The key of a group `g` of a line `line`: of the groups by turn for BY_TURN, else of those by kind. */
const GROUP_KEYS: Readonly<Record<CarryBy, string>> = {
  kind: 'g.kind',
  tool: 'g.tool',
  mcp_server: 'g.server',
  file: "CASE WHEN g.kind <> 'skill' THEN g.name END",
  skill: `CASE WHEN g.kind = 'skill' THEN coalesce(g.name, '${SKILL_LIST}') END`,
  agent: 'line.agent_id',
  prompt: "line.session_id || '/' || g.turn_id",
  session: 'line.session_id',
  project: 's.project',
  mcp_definition: 'g.tool',
}
const BY_TURN: ReadonlySet<CarryBy> = new Set(['agent', 'prompt', 'session', 'project'])

/** The key of a request whose blocks are not known, if it has one; `q` is its row in the cache ledger. */
const UNKNOWN_KEYS: Readonly<Partial<Record<CarryBy, string>>> = {
  kind: "'unknown'",
  agent: 'q.agent_id',
  prompt: "q.session_id || '/' || q.turn_id",
  session: 'q.session_id',
  project: 's.project',
}

/** Filters lines by place. */
function placed({ project, session_id }: CarryRange): ReturnType<typeof where> {
  const filter = where()
  if (session_id !== undefined) filter.add('line.session_id = ?', session_id)
  if (project !== undefined) filter.add('s.project = ?', project)
  return filter
}

/** Filters lines to those that are in the range from beginning to end. */
function whole(range: CarryRange): ReturnType<typeof where> {
  const filter = placed(range)
  if (range.since !== undefined) filter.add('line.first_at >= ?', Date.parse(range.since))
  if (range.until !== undefined) filter.add('line.last_at < ?', Date.parse(range.until))
  return filter
}

const SUMS = `sum(g.requests + g.open_blocks * line.requests) AS requests,
  total(g.read_tokens + g.open_tokens * line.read_tokens) AS read_tokens, total(g.read_usd + g.open_tokens * line.read_usd) AS read_usd,
  total(g.written_tokens) AS written_tokens, total(g.written_usd) AS written_usd,
  total(g.uncached_tokens) AS uncached_tokens, total(g.uncached_usd) AS uncached_usd`

const LINE_FIRST = 'carry_lines line CROSS JOIN carry_groups g ON g.event_id = line.line_id'
/** Faster for all lines: the larger table is read in its own order. */
const GROUP_FIRST = 'carry_groups g CROSS JOIN carry_lines line ON line.line_id = g.event_id'
const IS_DEFINITION = "g.kind = 'tool_schema' AND g.server IS NOT NULL"

/** Sums what blocks cost by group, over the lines that are whole in the range. */
export function carriedGroups(reader: Reader, by: CarryBy, range: CarryRange): CarryGroupRow[] {
  const weeks = sumsByWeek(reader, by, range)
  const filter = whole(range)
  const from = filter.values.length > 0 || weeks !== null ? LINE_FIRST : GROUP_FIRST
  const needsSession = by === 'project' || range.project !== undefined
  if (weeks !== null) filter.add(OUTSIDE_WEEKS, JSON.stringify(weeks.counted))
  filter.add(`g.turn_id IS ${BY_TURN.has(by) ? 'NOT NULL' : 'NULL'}`)
  if (by === 'mcp_definition') filter.add(IS_DEFINITION)
  const lines = reader.all<CarryGroupRow>(
    `SELECT found.*, (SELECT session_id FROM carry_lines WHERE line_id = found.in_line) AS in_session FROM (
       SELECT ${GROUP_KEYS[by]} AS key, max(g.event_id) AS in_line, sum(g.blocks) AS blocks, sum(g.bytes) AS bytes, ${SUMS}
       FROM ${from} ${needsSession ? 'LEFT JOIN sessions s ON s.id = line.session_id' : ''} ${filter.sql} GROUP BY 1
     ) found`,
    ...filter.values,
  )
  return [...(weeks?.rows ?? []), ...lines]
}

export interface PartialLine {
  readonly line_id: number
  readonly session_id: string
  readonly agent_id: string | null
  readonly project: string | null
}

/** Returns the lines with requests both in the range and outside. */
export function partialLines(reader: Reader, range: CarryRange): PartialLine[] {
  if (range.since === undefined && range.until === undefined) return []
  const filter = placed(range)
  const outside: string[] = []
  const edges: number[] = []
  if (range.since !== undefined) {
    filter.add('line.last_at >= ?', Date.parse(range.since))
    outside.push('line.first_at < ?')
    edges.push(Date.parse(range.since))
  }
  if (range.until !== undefined) {
    filter.add('line.first_at < ?', Date.parse(range.until))
    outside.push('line.last_at >= ?')
    edges.push(Date.parse(range.until))
  }
  filter.add(`(${outside.join(' OR ')})`, ...edges)
  return reader.all(
    `SELECT line.line_id, line.session_id, line.agent_id, s.project FROM carry_lines line
     LEFT JOIN sessions s ON s.id = line.session_id ${filter.sql}`,
    ...filter.values,
  )
}

export interface UnknownRow {
  readonly key: string | null
  readonly in_session: string
  readonly reason: string
  readonly requests: number
  readonly tokens: number
  readonly usd: number
}

const OF_CALL = 'JOIN cache_calls q ON q.id = call.event_id LEFT JOIN sessions s ON s.id = q.session_id'

/** Sums requests whose blocks are not known. */
export function carriedUnknown(reader: Reader, by: CarryBy, range: CarryRange): UnknownRow[] {
  const filter = callsInRange(range)
  filter.add('call.reason IS NOT NULL AND call.line_id IS NULL')
  return reader.all(
    `SELECT ${UNKNOWN_KEYS[by] ?? 'NULL'} AS key, max(q.session_id) AS in_session, call.reason, count(*) AS requests,
       total(call.rest_tokens) AS tokens, total(call.rest_usd) AS usd
     FROM carry_calls call ${OF_CALL} ${filter.sql} GROUP BY 1, call.reason`,
    ...filter.values,
  )
}

/** Sums requests whose blocks are estimated. */
export function carriedEstimate(reader: Reader, range: CarryRange): Omit<CarryTotal, 'unpriced'> | undefined {
  const filter = callsInRange(range)
  filter.add('call.reason IS NOT NULL AND call.line_id IS NOT NULL')
  const isPlaced = range.session_id !== undefined || range.project !== undefined
  return reader.get(
    `SELECT count(*) AS requests, coalesce(sum(call.input_tokens), 0) AS tokens, total(call.input_usd) AS usd
     FROM carry_calls call ${isPlaced ? OF_CALL : ''} ${filter.sql}`,
    ...filter.values,
  )
}

export interface CarryTotal {
  readonly requests: number
  readonly tokens: number
  readonly usd: number
  readonly unpriced: number
}

/** Sums the input of all requests in the range. */
export function carryTotal(reader: Reader, range: CarryRange): CarryTotal | undefined {
  const filter = callsInRange(range)
  const isPlaced = range.session_id !== undefined || range.project !== undefined
  return reader.get<CarryTotal>(
    `SELECT count(*) AS requests, coalesce(sum(call.input_tokens), 0) AS tokens, total(call.input_usd) AS usd,
       count(*) FILTER (WHERE call.input_usd IS NULL) AS unpriced
     FROM carry_calls call ${isPlaced ? OF_CALL : ''} ${filter.sql}`,
    ...filter.values,
  )
}

function callsInRange({ since, until, project, session_id }: CarryRange): ReturnType<typeof where> {
  const filter = where()
  if (session_id !== undefined) filter.add('q.session_id = ?', session_id)
  if (project !== undefined) filter.add('s.project = ?', project)
  if (since !== undefined) filter.add('call.sent_at >= ?', Date.parse(since))
  if (until !== undefined) filter.add('call.sent_at < ?', Date.parse(until))
  return filter
}

/** Counts the calls of a tool in the range: in its time, and in its session or project. */
export function callsOfTool(reader: Reader, tool: string, range: CarryRange, limit = -1): number {
  const { since, until, session_id, project } = range
  const calls = where()
  calls.add('r.tool_name = ?', tool)
  if (since !== undefined) calls.add('r.timestamp >= ?', since)
  if (until !== undefined) calls.add('r.timestamp < ?', until)
  if (session_id !== undefined) calls.add('e.session_id = ?', session_id)
  if (project !== undefined) calls.add('s.project = ?', project)
  const isPlaced = session_id !== undefined || project !== undefined
  const found = reader.get<{ calls: number }>(
    `SELECT count(*) AS calls FROM (SELECT 1 FROM tool_call_rows r
     ${isPlaced ? 'JOIN events e ON e.id = r.event_id LEFT JOIN sessions s ON s.id = e.session_id' : ''} ${calls.sql} LIMIT ?)`,
    ...calls.values,
    limit,
  )
  return found?.calls ?? 0
}
