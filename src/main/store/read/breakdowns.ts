import type { OperationOutput } from '../../../shared/contract/index.ts'
import { where } from './page.ts'
import type { Reader } from './reader.ts'
import { isAllTime } from './rollups.ts'
import { quarterOf } from '../projections/rollups.ts'
import { NOTHING_SPENT, type Spend, UNPRICED, UNPRICED_OF_CALLS, UNPRICED_OF_SUMS } from '../../../shared/spend.ts'

interface Span {
  readonly since?: string
  readonly until?: string
  readonly project?: string
}

const TOKENS = 'input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens'

/** Selects the rows of models in a time range, with the table that has the fewest. */
function ofRollups(span: Span) {
  const filter = where()
  filter.add("model <> ''")
  if (span.since !== undefined) filter.add('quarter >= ?', quarterOf(span.since))
  // Events without their own time are in no time range.
  if (span.until !== undefined) filter.add("quarter <> '' AND quarter < ?", span.until.slice(0, 16))
  if (span.project !== undefined) filter.add('project = ?', span.project)
  return { from: `${isAllTime(span) ? 'model_totals' : 'rollups'} ${filter.sql}`, values: filter.values }
}

export interface ProjectCost extends Spend {
  readonly project: string
  readonly tokens: number
  readonly calls: number
}

/** Returns the cost of each project in a time range, most expensive first. */
export function costByProject(reader: Reader, span: Span, limit: number): ProjectCost[] {
  const rows = ofRollups(span)
  return reader.all<ProjectCost>(
    `SELECT project, sum(cost_usd) AS cost_usd, sum(${TOKENS}) AS tokens, sum(calls) AS calls,
       ${UNPRICED_OF_SUMS}
     FROM ${rows.from} GROUP BY project ORDER BY 2 DESC, project LIMIT ?`,
    ...rows.values,
    limit,
  )
}

/** Returns the cost of a time range; calls of models without a price are counted separately. */
export function costSpent(reader: Reader, span: Span): Spend {
  const rows = ofRollups(span)
  const spent = reader.get<Spend>(
    `SELECT sum(cost_usd) AS cost_usd, ${UNPRICED_OF_SUMS} FROM ${rows.from} HAVING count(*) > 0`,
    ...rows.values,
  )
  return spent ?? NOTHING_SPENT
}

export type SessionCost = OperationOutput<'costs.breakdown'>['by_session'][number]

/**
 * Returns the cost of each session in a time range, most expensive first. Within a range it adds up the calls, using the
 * index of time; for all time it reads the totals of the sessions.
 */
export function costBySession(reader: Reader, span: Span, limit: number): SessionCost[] {
  if (isAllTime(span)) {
    const filter = where()
    filter.add('s.total_tokens > 0')
    if (span.project !== undefined) filter.add('s.project = ?', span.project)
    return reader.all<SessionCost>(
      `SELECT session_id, title, project, started_at, cost_usd, tokens, ${UNPRICED},
         (SELECT count(*) FROM api_usage u WHERE u.session_id = top.session_id) AS calls
       FROM (SELECT s.id AS session_id, s.title, s.project, s.started_at, s.total_cost_usd AS cost_usd, s.total_tokens AS tokens, s.${UNPRICED}
             FROM sessions s ${filter.sql} ORDER BY s.total_cost_usd DESC, s.id LIMIT ?) top
       ORDER BY cost_usd DESC, session_id`,
      ...filter.values,
      limit,
    )
  }
  const filter = where()
  // Previews are not events.
  const [from, time] = reader.showsPreviews()
    ? ['api_usage u', 'u.timestamp']
    : ['events e INDEXED BY events_by_kind_time CROSS JOIN api_usage u ON u.id = e.id', 'e.ts_wall']
  if (time === 'e.ts_wall') filter.add("e.kind = 'api_usage'")
  if (span.since !== undefined) filter.add(`${time} >= ?`, span.since)
  if (span.until !== undefined) filter.add(`${time} < ?`, span.until)
  const project = span.project === undefined ? '' : 'WHERE s.project = ?'
  return reader.all<SessionCost>(
    `SELECT s.id AS session_id, s.title, s.project, s.started_at, t.cost_usd, t.tokens, t.calls, t.${UNPRICED}
     FROM (SELECT u.session_id, coalesce(sum(u.cost_usd), 0.0) AS cost_usd, sum(${TOKENS}) AS tokens, count(*) AS calls,
             ${UNPRICED_OF_CALLS}
           FROM ${from} ${filter.sql} GROUP BY u.session_id) t
     JOIN sessions s ON s.id = t.session_id ${project} ORDER BY t.cost_usd DESC, s.id LIMIT ?`,
    ...filter.values,
    ...(span.project === undefined ? [] : [span.project]),
    limit,
  )
}

export interface ClientCost extends Spend {
  readonly client: string
  /** With calls in the range. */
  readonly sessions: number
  readonly tokens: number
}

/**
 * Returns the cost of each client in a time range, most expensive first: a client is a fact of its sessions. For all time it
 * reads the totals of the sessions.
 */
export function costByClient(reader: Reader, span: Span): ClientCost[] {
  if (isAllTime(span)) {
    const ofSessions = where()
    ofSessions.add('s.total_tokens > 0')
    if (span.project !== undefined) ofSessions.add('s.project = ?', span.project)
    return reader.all<ClientCost>(
      `SELECT s.client, count(*) AS sessions, sum(s.total_cost_usd) AS cost_usd, sum(s.total_tokens) AS tokens,
         ${UNPRICED_OF_SUMS}
       FROM sessions s ${ofSessions.sql} GROUP BY s.client ORDER BY 3 DESC, 1`,
      ...ofSessions.values,
    )
  }
  const filter = where()
  filter.add("e.kind = 'api_usage'")
  if (span.since !== undefined) filter.add('e.ts_wall >= ?', span.since)
  if (span.until !== undefined) filter.add('e.ts_wall < ?', span.until)
  const project = span.project === undefined ? '' : 'WHERE s.project = ?'
  return reader.all<ClientCost>(
    `SELECT s.client, count(*) AS sessions, sum(t.cost_usd) AS cost_usd, sum(t.tokens) AS tokens,
       sum(t.${UNPRICED}) AS ${UNPRICED}
     FROM (SELECT u.session_id, coalesce(sum(u.cost_usd), 0.0) AS cost_usd, sum(${TOKENS}) AS tokens,
             ${UNPRICED_OF_CALLS}
           FROM events e INDEXED BY events_by_kind_time CROSS JOIN api_usage u ON u.id = e.id ${filter.sql} GROUP BY u.session_id) t
     JOIN sessions s ON s.id = t.session_id ${project} GROUP BY s.client ORDER BY 3 DESC, 1`,
    ...filter.values,
    ...(span.project === undefined ? [] : [span.project]),
  )
}

/** Returns the tokens read from and written to the prompt cache, by model. */
export function cacheTokens(
  reader: Reader,
  span: Span,
): { model: string; read_tokens: number; written_tokens: number }[] {
  const rows = ofRollups(span)
  return reader.all(
    `SELECT model, sum(cache_read_tokens) AS read_tokens, sum(cache_creation_tokens) AS written_tokens
     FROM ${rows.from} GROUP BY model ORDER BY model`,
    ...rows.values,
  )
}

export interface ToolOutcome {
  readonly duration_ms: number | null
  readonly upper_bound: number
  readonly success: number | null
  readonly rejected: number
}

interface Among {
  readonly since: string
  /** null: all projects. */
  readonly project: string | null
  readonly calls: number
}

/** Returns the outcomes of a tool's newest calls from a covering index; for one project, as far as time allows. */
export function newestOutcomes(reader: Reader, tool: string, { since, project, calls }: Among): ToolOutcome[] {
  if (project !== null) {
    return reader.inTime<ToolOutcome>(
      `SELECT r.duration_ms, r.upper_bound, r.success, r.rejected FROM tool_result_rows r WHERE r.tool_name = ? AND r.timestamp >= ?
         AND aspy_in_time() AND (SELECT e.project FROM events e WHERE e.id = r.event_id) = ?
       ORDER BY r.timestamp DESC, r.event_id DESC LIMIT ?`,
      tool,
      since,
      project,
      calls,
    )
  }
  return reader.all<ToolOutcome>(
    `SELECT duration_ms, upper_bound, success, rejected FROM tool_result_rows WHERE tool_name = ? AND timestamp >= ?
     ORDER BY timestamp DESC, event_id DESC LIMIT ?`,
    tool,
    since,
    calls,
  )
}
