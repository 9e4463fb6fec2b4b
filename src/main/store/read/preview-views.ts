import { COUNTED_FIGURES } from '../../listings/session-figures.ts'
import { columnsOf } from '../schema/define-table.ts'
import { TABLES } from '../tables.ts'
import { withoutPrice } from '../../../shared/spend.ts'

/** Tables that a reading connection shows with the previews of an import. */
export type Previewed = 'sessions' | 'api_usage' | 'rollups' | 'day_rollups' | 'model_totals' | 'agents' | 'compactions'

/** Ids of preview rows are below those of all events, in their own order. */
const ID = 'i.id - 1000000000000'

/** Does for previews what `closeIdle` does for sessions of the log. */
const ENDED = "CASE WHEN last_event_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-30 minutes') THEN last_event_at END"

const sumOf = (expression: string) =>
  `(SELECT coalesce(sum(${expression}), 0) FROM preview_items i WHERE i.session_id = p.session_id)`

const SESSION_COLUMNS = columnsOf(TABLES.sessions)

/** Columns of a session with at least one file that is not imported yet; `s` is its row, if there is one. */
const SESSION: { readonly [column: string]: string } = {
  id: 'p.session_id',
  project: 'coalesce(s.project, p.project)',
  git_branch: 'coalesce(s.git_branch, p.git_branch)',
  started_at: 'min(p.started_at, coalesce(s.started_at, p.started_at))',
  ended_at: `CASE WHEN s.last_event_at >= p.last_event_at THEN s.ended_at ELSE p.ended_at END`,
  last_event_at: 'max(p.last_event_at, coalesce(s.last_event_at, p.last_event_at))',
  source: "coalesce(s.source, 'transcript')",
  title: 'CASE WHEN s.title_rank >= p.title_rank THEN s.title ELSE coalesce(p.title, s.title) END',
  turn_count: `coalesce(s.turn_count, 0) + ${sumOf("i.kind = 'user_prompt'")}`,
  client: 'coalesce(s.client, p.client)',
  client_version: 'coalesce(s.client_version, p.client_version)',
  time_basis: "coalesce(s.time_basis, 'line')",
  ...Object.fromEntries(
    COUNTED_FIGURES.map(({ name, preview }) => [
      name,
      `coalesce(s.${name}, 0)${preview === undefined ? '' : ` + ${sumOf(preview)}`}`,
    ]),
  ),
  ...Object.fromEntries(
    ['measured_events', 'dated_events', 'title_rank', 'client_certainty'].map((name) => [
      name,
      `coalesce(s.${name}, 0)`,
    ]),
  ),
  active_ms: 'coalesce(s.active_ms, 0.0)',
}

const USAGE_COLUMNS = columnsOf(TABLES.api_usage)
/** Columns of a usage that differ from those of its item. */
const USAGE: { readonly [column: string]: string } = {
  id: ID,
  event_uuid: 'i.key',
  turn_id: '0',
  ttft_ms: 'NULL',
  duration_ms: 'NULL',
  context_tokens: 'NULL',
}

const { counts, totals } = TABLES.rollups.sums
const ROLLUP: { readonly [column: string]: string } = {
  calls: "i.kind = 'api_usage'",
  ...withoutPrice("i.kind = 'api_usage' AND i.cost_usd IS NULL"),
  lower_bound_calls: "i.kind = 'api_usage' AND i.basis = 'lower_bound'",
  prompts: "i.kind = 'user_prompt'",
  cost_usd: 'coalesce(i.cost_usd, 0.0)',
  ...Object.fromEntries(
    ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'].map((name) => [name, `i.${name}`]),
  ),
}
const SUMS = [...counts, ...totals]

/** Appends the previewed figures to `rows`, a query over a table of sums by model. */
export const withPreviewedSums = {
  rollups: (rows: string) => withSums({ quarter: 'i.quarter' }, rows),
  day_rollups: (rows: string) => withSums({ day: 'substr(i.quarter, 1, 10)' }, rows),
  model_totals: (rows: string) => withSums({}, rows),
} as const

function withSums(time: { readonly [column: string]: string }, rows: string): string {
  return `SELECT ${[...Object.keys(time), 'project', 'model', ...SUMS].join(', ')} FROM ${rows}
    UNION ALL SELECT ${[...Object.values(time), 'i.project', 'i.model', ...SUMS.map((sum) => ROLLUP[sum] ?? '0')].join(', ')}
    FROM preview_items i WHERE i.kind IN ('api_usage', 'user_prompt')`
}

/** The rows of each table together with those of previews, as a query. */
export const WITH_PREVIEWS: { readonly [name in Previewed]: string } = {
  sessions: `SELECT ${SESSION_COLUMNS.join(', ')} FROM main.sessions WHERE id NOT IN (SELECT session_id FROM preview_sessions)
    UNION ALL SELECT ${SESSION_COLUMNS.map((column) => SESSION[column] ?? `s.${column}`).join(', ')}
    FROM (SELECT session_id, min(started_at) AS started_at, max(last_event_at) AS last_event_at, ${ENDED.replaceAll('last_event_at', 'max(last_event_at)')} AS ended_at,
        max(project) AS project, max(git_branch) AS git_branch, max(client) AS client, max(client_version) AS client_version,
        max(title_rank) AS title_rank, (SELECT t.title FROM preview_sessions t WHERE t.session_id = q.session_id
          AND t.title IS NOT NULL ORDER BY t.title_rank DESC, t.title_at LIMIT 1) AS title
      FROM preview_sessions q GROUP BY session_id) p
    LEFT JOIN main.sessions s ON s.id = p.session_id`,
  api_usage: `SELECT ${USAGE_COLUMNS.join(', ')} FROM main.api_usage
    UNION ALL SELECT ${USAGE_COLUMNS.map((column) => USAGE[column] ?? `i.${column}`).join(', ')}
    FROM preview_items i WHERE i.kind = 'api_usage'`,
  rollups: withPreviewedSums.rollups('main.rollups'),
  day_rollups: withPreviewedSums.day_rollups('main.day_rollups'),
  model_totals: withPreviewedSums.model_totals('main.model_totals'),
  agents: `SELECT session_id, agent_id, agent_type, parent_agent_id, call_id, turn_id, started_at, ended_at, success
    FROM main.agents
    UNION ALL SELECT i.session_id, i.agent_id, i.detail ->> 'agent_type', i.detail ->> 'parent_agent_id',
      i.detail ->> 'call_id', 0, i.timestamp, NULL, NULL
    FROM preview_items i WHERE i.kind = 'agent_started' AND NOT EXISTS (
      SELECT 1 FROM main.agents a WHERE a.session_id = i.session_id AND a.agent_id = i.agent_id)`,
  compactions: `SELECT id, event_uuid, session_id, turn_id, timestamp, content, tokens, tokens_before, tokens_after
    FROM main.compactions
    UNION ALL SELECT ${ID}, i.key, i.session_id, 0, i.timestamp, '', i.detail ->> 'tokens_after',
      i.detail ->> 'tokens_before', i.detail ->> 'tokens_after'
    FROM preview_items i WHERE i.kind = 'compaction'`,
}
