import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Summary } from '../../../shared/contract/stats.ts'
import { ONLY_TRAFFIC } from '../../listings/sessions.ts'
import { DAY_MS } from '../../../shared/time-units.ts'
import { dayOf } from '../../decode/utc-day.ts'
import { where } from './page.ts'
import type { Reader } from './reader.ts'
import { type Unpriced, UNPRICED, unpricedOf, UNPRICED_OF_SUMS, withoutPrice } from '../../../shared/spend.ts'
import { quarterOf } from '../projections/rollups.ts'

interface Span {
  readonly since?: string
  readonly until?: string
  readonly project?: string
}

const QUARTER_MS = 15 * 60_000

/** True if a range has no bounds, so that totals answer for it. */
export const isAllTime = (span: Span): boolean => span.since === undefined && span.until === undefined

function quarters(span: Span, prefix = '') {
  const filter = where()
  if (span.since !== undefined) filter.add(`${prefix}quarter >= ?`, quarterOf(span.since))
  // Events without their own time are in no time range.
  if (span.until !== undefined) filter.add(`${prefix}quarter <> '' AND ${prefix}quarter < ?`, span.until.slice(0, 16))
  if (span.project !== undefined) filter.add(`${prefix}project = ?`, span.project)
  return filter
}

/**
 * Selects the rows of a time range for sums by model: all time from its totals, whole days from the sums by day, the rest of
 * the first and the last day from those by quarter hour.
 */
function rowsOfModels(span: Span) {
  const from = span.since === undefined ? undefined : quarterOf(span.since)
  const until = span.until?.slice(0, 16)
  const [firstDay, lastDay] = [from?.slice(0, 10), until?.slice(0, 10)]
  const rows = (table: string, ...conditions: readonly (readonly [sql: string, value: string | undefined])[]) => {
    const filter = where()
    for (const [sql, value] of conditions) if (value !== undefined) filter.add(sql, value)
    if (span.project !== undefined) filter.add('project = ?', span.project)
    return { sql: `SELECT ${SUMMED} FROM ${table} ${filter.sql}`, values: filter.values }
  }
  if (isAllTime(span)) return rows('model_totals')
  const since = ['quarter >= ?', from] as const
  // Events without their own time are in no time range.
  const before = ["quarter <> '' AND quarter < ?", until] as const
  const isShort = firstDay !== undefined && lastDay !== undefined && firstDay >= lastDay
  const parts = isShort
    ? [rows('rollups', since, before)]
    : [
        rows('day_rollups', ['day > ?', firstDay], ["day <> '' AND day < ?", lastDay]),
        ...(firstDay === undefined ? [] : [rows('rollups', since, ['quarter < ?', `${firstDay}T24`])]),
        ...(lastDay === undefined ? [] : [rows('rollups', ['quarter >= ?', lastDay], before)]),
      ]
  return { sql: parts.map(({ sql }) => sql).join(' UNION ALL '), values: parts.flatMap(({ values }) => values) }
}

const SUMMED = `model, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost_usd, calls, ${UNPRICED},
  tool_calls, thinking_blocks, prompts, api_errors, failed_tools`
const TOKENS = 'input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens'

interface ModelTotals extends Unpriced {
  readonly model: string
  readonly tokens: number
  readonly cost_usd: number
  readonly calls: number
  readonly tool_calls: number
  readonly thinking_blocks: number
  readonly prompts: number
  readonly api_errors: number
  readonly failed_tools: number
}

/** Reads the totals of a time range by model, to the quarter hour, with those of rows without a model. */
export function readModelTotals(reader: Reader, span: Span): readonly ModelTotals[] {
  const rows = rowsOfModels(span)
  return reader.all<ModelTotals>(
    `SELECT model, sum(${TOKENS}) AS tokens, sum(cost_usd) AS cost_usd, sum(calls) AS calls, ${UNPRICED_OF_SUMS},
       sum(tool_calls) AS tool_calls, sum(thinking_blocks) AS thinking_blocks, sum(prompts) AS prompts,
       sum(api_errors) AS api_errors, sum(failed_tools) AS failed_tools
     FROM (${rows.sql}) GROUP BY model ORDER BY model`,
    ...rows.values,
  )
}

/** Reads the totals of a time range, to the quarter hour: `since` is rounded down to its quarter. */
export function readSummary(reader: Reader, span: Span): Summary {
  // Read only once: the total is the sum over models and over rows without a model.
  const models = readModelTotals(reader, span)
  const sum = (of: (model: ModelTotals) => number) => models.reduce((total, model) => total + of(model), 0)
  const clients = readClientTotals(reader, span)
  return {
    ...(reader.showsPreviews() ? { preview: true as const } : {}),
    total_sessions: clients.reduce((total, { sessions }) => total + sessions, 0),
    total_duration_ms: clients.reduce((total, { duration_ms }) => total + duration_ms, 0),
    first_session: clients.map(({ first }) => first).sort()[0] ?? null,
    last_session:
      clients
        .map(({ last }) => last)
        .sort()
        .at(-1) ?? null,
    total_tokens: sum(({ tokens }) => tokens),
    total_cost_usd: sum(({ cost_usd }) => cost_usd),
    ...withoutPrice(sum(unpricedOf)),
    total_tool_calls: sum(({ tool_calls }) => tool_calls),
    total_thinking_blocks: sum(({ thinking_blocks }) => thinking_blocks),
    total_prompts: sum(({ prompts }) => prompts),
    total_api_errors: sum(({ api_errors }) => api_errors),
    total_failed_tools: sum(({ failed_tools }) => failed_tools),
    by_model: models
      .filter(({ model }) => model !== '')
      .map(({ model, tokens, cost_usd, calls, ...row }) => ({
        model,
        tokens,
        cost_usd: unpricedOf(row) === calls ? null : cost_usd,
        calls,
      }))
      .sort((one, other) => (other.cost_usd ?? -1) - (one.cost_usd ?? -1)),
    by_tool: readToolTotals(reader, span),
    by_client: clients.map(({ duration_ms: _duration, first: _first, last: _last, ...client }) => client),
  }
}

/** Selects the sessions with an event in a time range. */
function sessionsActive(span: Span) {
  const filter = where()
  filter.add(`NOT ${ONLY_TRAFFIC.local}`)
  if (span.since !== undefined) filter.add('last_event_at >= ?', span.since)
  if (span.until !== undefined) filter.add('started_at < ?', span.until)
  if (span.project !== undefined) filter.add('project = ?', span.project)
  return filter
}

type ClientTotals = Summary['by_client'][number] & {
  readonly duration_ms: number
  readonly first: string
  readonly last: string
}

/** Reads totals by client: of whole sessions that were active in the time range, most sessions first. */
function readClientTotals(reader: Reader, span: Span): ClientTotals[] {
  const filter = sessionsActive(span)
  return reader.all<ClientTotals>(
    `SELECT client, count(*) AS sessions, sum(prompts) AS prompts, sum(total_tokens) AS tokens, sum(total_cost_usd) AS cost_usd,
       ${UNPRICED_OF_SUMS}, sum(tool_calls) AS tool_calls, sum(api_errors) AS api_errors,
       sum(failed_tools) AS failed_tools,
       coalesce(sum(active_ms) FILTER (WHERE time_basis <> 'file'), 0.0) AS duration_ms, min(started_at) AS first, max(started_at) AS last
     FROM sessions s ${filter.sql} GROUP BY client ORDER BY 2 DESC, 1`,
    ...filter.values,
  )
}

/** Reads the number of calls by tool, most used first. */
export function readToolTotals(reader: Reader, span: Span): Summary['by_tool'] {
  const rows = rowsOfTools(span)
  return reader.all<Summary['by_tool'][number]>(
    `SELECT tool_name AS tool, sum(calls) AS calls,
       CASE WHEN sum(timed) > 0 THEN sum(duration_ms) / sum(timed) END AS avg_duration_ms,
       CASE WHEN sum(succeeded) + sum(failed) > 0 THEN sum(succeeded) * 1.0 / (sum(succeeded) + sum(failed)) END AS success_rate,
       sum(failed) - sum(rejected) AS failed, sum(rejected) AS rejected
     FROM (${rows.sql}) GROUP BY tool_name HAVING sum(calls) > 0 ORDER BY 2 DESC, 1`,
    ...rows.values,
  )
}

const TOOL_SUMS = 'tool_name, calls, succeeded, failed, timed, duration_ms, rejected'
/** The same columns of single calls and of single results. */
const SINGLE = [
  `c.tool_name, 1 AS calls, 0 AS succeeded, 0 AS failed, 0 AS timed, 0.0 AS duration_ms, 0 AS rejected FROM events e INDEXED BY events_by_kind_time
     CROSS JOIN tool_call_rows c ON c.event_id = e.id AND e.kind = 'tool_call'`,
  `r.tool_name, 0, r.success, 1 - r.success, r.duration_ms IS NOT NULL AND NOT r.upper_bound,
     iif(r.upper_bound, 0.0, coalesce(r.duration_ms, 0.0)), r.rejected FROM events e INDEXED BY events_by_kind_time
     CROSS JOIN tool_result_rows r ON r.event_id = e.id AND e.kind = 'tool_result'`,
]
/** Events without their own time are in no time range. */
const DATED = `NOT (e.source = 'transcript' AND coalesce((SELECT g.payload ->> '$.time_basis' FROM sighting_rows g
  WHERE g.event_id = e.id AND g.with_first = 1 ORDER BY g.id LIMIT 1), '') = 'file')`

/**
 * Selects the sums by tool of a time range, to the quarter hour as all totals: whole days (UTC) from the sums by day, the rest
 * of the first and the last day call by call.
 */
function rowsOfTools(span: Span) {
  const { since, until, project } = span
  const from = since === undefined ? undefined : quarterOf(since)
  const end =
    until === undefined ? undefined : quarterOf(new Date(Date.parse(until) + QUARTER_MS - 60_000).toISOString())
  const firstWhole = from === undefined ? undefined : dayOf(Date.parse(`${from}:00Z`) + DAY_MS - 1)
  const lastDay = end?.slice(0, 10)
  const parts: { readonly sql: string; readonly values: readonly (string | number | null)[] }[] = []
  const add = (rows: string, filter: ReturnType<typeof where>, column: string) => {
    if (project !== undefined) filter.add(`${column} = ?`, project)
    parts.push({ sql: `SELECT ${rows} ${filter.sql}`, values: filter.values })
  }
  const calls = (after: string | undefined, before: string | undefined) => {
    for (const rows of SINGLE) {
      const filter = where()
      if (after !== undefined) filter.add('e.ts_wall >= ?', after)
      if (before !== undefined) filter.add('e.ts_wall < ?', before)
      filter.add(DATED)
      add(rows, filter, 'e.project')
    }
  }
  if (firstWhole !== undefined && lastDay !== undefined && firstWhole > lastDay) calls(from, end)
  else {
    const days = where()
    if (firstWhole !== undefined) days.add('day >= ?', firstWhole)
    if (lastDay !== undefined) days.add("day <> '' AND day < ?", lastDay)
    add(`${TOOL_SUMS} FROM ${isAllTime(span) ? 'tool_totals' : 'tool_rollups'}`, days, 'project')
    if (from !== undefined && from.slice(0, 10) !== firstWhole) calls(from, firstWhole)
    if (end !== undefined && !end.endsWith('T00:00')) calls(lastDay, end)
  }
  return { sql: parts.map(({ sql }) => sql).join(' UNION ALL '), values: parts.flatMap(({ values }) => values) }
}

/** Names of buckets in the viewer's time zone: the hour, the day, the Monday of the week, or the month. */
const BUCKETS = {
  hour: `strftime('%Y-%m-%dT%H:00', quarter, ?)`,
  day: `strftime('%Y-%m-%d', quarter, ?)`,
  week: `strftime('%Y-%m-%d', quarter, ?, '-6 days', 'weekday 1')`,
  month: `strftime('%Y-%m', quarter, ?)`,
} as const

export type CostBucket = OperationOutput<'costs.series'>['items'][number]

/** Reads cost and tokens by time bucket and model, oldest first. */
export function costSeries(
  reader: Reader,
  options: Span & { bucket: keyof typeof BUCKETS; utc_offset_minutes: number },
): CostBucket[] {
  const filter = quarters(options)
  filter.add("model <> '' AND quarter <> ''")
  return reader.all<CostBucket>(
    `SELECT ${BUCKETS[options.bucket]} AS bucket, model, sum(cost_usd) AS cost_usd, sum(calls) AS calls,
       ${UNPRICED_OF_SUMS}, sum(lower_bound_calls) AS lower_bound_calls, sum(input_tokens) AS input_tokens,
       sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens,
       sum(cache_creation_tokens) AS cache_creation_tokens
     FROM rollups ${filter.sql} GROUP BY 1, 2 ORDER BY 1, 2`,
    `${options.utc_offset_minutes} minutes`,
    ...filter.values,
  )
}
