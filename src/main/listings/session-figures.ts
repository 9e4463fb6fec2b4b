import type { AnyEvent, Usage } from '../../shared/event.ts'
import type { Each } from './listing.ts'

/** What an event counts as, settled from its sightings. */
interface Counted {
  readonly counts: Readonly<
    Record<'prompts' | 'tool_calls' | 'thinking_blocks' | 'errors' | 'api_errors' | 'failed_tools', number>
  >
  readonly usage: { readonly tokens: number; readonly cost_usd: number | null; readonly usage: Usage } | null
}

type Amount = (fact: Counted, event: AnyEvent) => number

/** A number of a session. Its columns, sums and place in lists follow from this, on a laptop and in a team. */
type Figure = {
  /** The type of its column in a team. A laptop's is REAL for `double precision`, otherwise INTEGER. */
  readonly type: 'integer' | 'bigint' | 'double precision'
  /** SQL that computes it from a team's `events` of a session. */
  readonly team: string
} & (
  | {
      /** What an event adds to it on a laptop. */
      readonly of: Amount
      /** SQL for what an item `i` of an import's preview adds. */
      readonly preview?: string
    }
  | {
      /** SQL that computes it for a session `s` on a laptop, if it is not a sum. */
      readonly local: string
    }
)

/** The numbers of a session. After a change: `npm run schema`, the contract, and the columns of the table. */
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
  unpriced_calls: {
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
  errors: {
    type: 'integer',
    of: ({ counts }) => counts.errors,
    team: "count(*) FILTER (WHERE kind = 'error')",
  },
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
} as const satisfies Readonly<Record<string, Figure>>

type Figures = typeof SESSION_FIGURES
export type FigureName = keyof Figures
/** A figure that events add up to: a laptop stores it. */
export type CountedFigure = { [Name in FigureName]: Figures[Name] extends { of: Amount } ? Name : never }[FigureName]

const FIGURES = Object.entries(SESSION_FIGURES) as readonly (readonly [FigureName, Figure])[]

/** What an event adds to each figure that a laptop stores. */
export const COUNTED_FIGURES = FIGURES.flatMap(([name, figure]) =>
  'of' in figure ? [{ name: name as CountedFigure, ...figure }] : [],
)

/** The expressions that lists read the figures by. */
export const FIGURE_COLUMNS = Object.fromEntries(
  FIGURES.map(([name, figure]) => {
    // The driver returns a bigint as text.
    const team = figure.type === 'bigint' ? `s.${name}::float8` : `s.${name}`
    return [name, { local: 'local' in figure ? figure.local : `s.${name}`, team }]
  }),
) as Readonly<Record<FigureName, Each<string>>>
