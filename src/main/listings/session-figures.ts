import type { AnyEvent, Usage } from '../../shared/event.ts'
import type { Session } from '../../shared/contract/sessions.ts'
import type { Each } from './listing.ts'
import { UNPRICED } from '../../shared/spend.ts'

/** An event's counts, settled from its sightings. */
interface Counted {
  readonly counts: Readonly<
    Record<'prompts' | 'tool_calls' | 'thinking_blocks' | 'errors' | 'api_errors' | 'failed_tools', number>
  >
  readonly usage: { readonly tokens: number; readonly cost_usd: number | null; readonly usage: Usage } | null
}

type Amount = (fact: Counted, event: AnyEvent) => number
type NumberType = 'integer' | 'bigint' | 'double precision'

/** A number that a session's events add up to. */
interface Sum {
  /** The type of its column in a team. A laptop's is REAL for `double precision`, otherwise INTEGER. */
  readonly type: NumberType
  /** The amount that an event adds to it on a laptop. */
  readonly of: Amount
  /** SQL for the amount that an item `i` of an import's preview adds. */
  readonly preview?: string
  /** SQL that computes it from a team's `events` of a session. */
  readonly team: string
}

/** Any other value. A laptop stores nothing of it. */
interface Lookup {
  /** The type of its column in a team. */
  readonly type: NumberType | 'text' | 'timestamptz'
  /** SQL that reads it on a laptop for a session `s.id` of a page. It needs an index: pages have hundreds of sessions. */
  readonly local: string
  /** SQL that computes it from a team's `events` of a session: an aggregate. A subquery knows their two keys. */
  readonly team: string
}

/**
 * Summary figures of a session's events. Columns, sums and places in lists follow from it, on a laptop and in a team.
 * After a change: `npm run schema`, the contract, and the columns of the table.
 */
export const SESSION_FIGURES = {
  prompts: {
    type: 'integer',
    of: ({ counts }) => counts.prompts,
    team: 'count(*) FILTER (WHERE is_prompt)',
    preview: "i.kind = 'user_prompt'",
  },
  total_tokens: {
    type: 'bigint',
    of: ({ usage }) => usage?.tokens ?? 0,
    team: 'coalesce(sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens), 0)',
    preview: 'i.input_tokens + i.output_tokens + i.cache_read_tokens + i.cache_creation_tokens',
  },
  total_cost_usd: {
    type: 'double precision',
    of: ({ usage }) => usage?.cost_usd ?? 0,
    team: 'coalesce(sum(cost_usd), 0)',
    preview: 'i.cost_usd',
  },
  [UNPRICED]: {
    type: 'integer',
    of: ({ usage }) => Number(usage?.cost_usd === null),
    team: "count(*) FILTER (WHERE kind = 'api_usage' AND model IS NOT NULL AND cost_usd IS NULL)",
    preview: "i.kind = 'api_usage' AND i.cost_usd IS NULL",
  },
  tool_calls: {
    type: 'integer',
    of: ({ counts }) => counts.tool_calls,
    team: "count(*) FILTER (WHERE kind = 'tool_call')",
  },
  thinking_blocks: {
    type: 'integer',
    of: ({ counts }) => counts.thinking_blocks,
    team: "count(*) FILTER (WHERE kind = 'thinking')",
  },
  errors: { type: 'integer', of: ({ counts }) => counts.errors, team: "count(*) FILTER (WHERE kind = 'error')" },
  api_errors: {
    type: 'integer',
    of: ({ counts }) => counts.api_errors,
    team: "count(*) FILTER (WHERE outcome = 'api_error')",
  },
  failed_tools: {
    type: 'integer',
    of: ({ counts }) => counts.failed_tools,
    team: "count(*) FILTER (WHERE kind = 'tool_result' AND outcome = 'failed')",
  },
  // From the newest call of the main agent.
  model: {
    type: 'text',
    local: `SELECT u.model FROM api_usage u WHERE u.session_id = s.id AND u.agent_id IS NULL
      AND coalesce(u.request_kind, 'loop') IN ('prompt', 'loop') ORDER BY u.turn_id DESC, u.id DESC LIMIT 1`,
    team: "(array_agg(model ORDER BY turn_id DESC, ts DESC) FILTER (WHERE kind = 'api_usage' AND agent_id IS NULL))[1]",
  },
  agents: {
    type: 'integer',
    local: 'SELECT count(*) FROM agents a WHERE a.session_id = s.id',
    team: 'count(DISTINCT agent_id)',
  },
  compactions: {
    type: 'integer',
    local: 'SELECT count(*) FROM compactions c WHERE c.session_id = s.id',
    team: "count(*) FILTER (WHERE kind = 'compaction')",
  },
} as const satisfies { readonly [Name in keyof Session]?: Sum | Lookup }

type Figures = typeof SESSION_FIGURES
type FigureName = keyof Figures
/** A figure that events add up to: a laptop stores it. */
export type CountedFigure = { [Name in FigureName]: Figures[Name] extends { of: Amount } ? Name : never }[FigureName]

const FIGURES = Object.entries(SESSION_FIGURES) as readonly (readonly [FigureName, Sum | Lookup])[]

/** The amount that an event adds to each figure stored on a laptop. */
export const COUNTED_FIGURES = FIGURES.flatMap(([name, figure]) =>
  'of' in figure ? [{ name: name as CountedFigure, ...figure }] : [],
)

/** The figures that a laptop reads for the sessions of a page, as columns of sessions `s`. */
export const LOOKUPS = FIGURES.flatMap(([name, figure]) =>
  'local' in figure ? [`(${figure.local}) AS ${name}`] : [],
).join(', ')

/** The expressions that lists read the figures by. A sort would look them up for every session. */
export const FIGURE_COLUMNS = Object.fromEntries(
  FIGURES.map(([name, figure]) => {
    // The driver returns a bigint as text.
    const team = figure.type === 'bigint' ? `s.${name}::float8` : `s.${name}`
    return [name, { local: 'local' in figure ? 'NULL' : `s.${name}`, team }]
  }),
) as Readonly<Record<FigureName, Each<string>>>
