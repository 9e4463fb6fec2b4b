import type { Table } from './table.ts'

const log = { role: 'log', text: [] } as const
const upkeep = { role: 'upkeep', owner: null, text: [] } as const

/** Sums by project and model, of a time or all time. */
const rollups = { role: 'projection', group: 'rollups', owner: null, text: ['project', 'model'] } as const
const rollupSums = {
  counts: [
    'calls',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'cache_creation_tokens',
    'unpriced_calls',
    'lower_bound_calls',
    'prompts',
    'tool_calls',
    'thinking_blocks',
    'errors',
    'api_errors',
    'failed_tools',
  ],
  totals: ['cost_usd'],
} as const
const toolRollups = { role: 'projection', group: 'tool_rollups', owner: null, text: ['project', 'tool_name'] } as const
const toolSums = { counts: ['calls', 'succeeded', 'failed', 'timed', 'rejected'], totals: ['duration_ms'] } as const

/** Every table of the database. A test compares it with the schema. */
export const TABLES = {
  // The log has its own code for deletion and redaction.
  events: { ...log, owner: 'session_id' },
  sighting_rows: { ...log, owner: 'event_id' },
  key_rows: { ...log, owner: 'event_id' },
  parent_keys: { ...log, owner: null },
  contents: { ...log, owner: null },

  sessions: {
    role: 'projection',
    group: 'sessions',
    owner: 'id',
    text: ['project', 'git_branch', 'title', 'client', 'client_version', 'client_cost'],
  },
  session_links: { role: 'projection', group: 'session_links', owner: 'session_id', text: [] },
  user_prompts: {
    role: 'projection',
    group: 'user_prompts',
    owner: 'session_id',
    eventId: 'id',
    text: ['content'],
    fullText: 'prompts_fts',
  },
  thinking_rows: {
    role: 'projection',
    group: 'thinking_blocks',
    owner: 'event_id',
    eventId: 'event_id',
    text: ['content'],
  },
  response_rows: {
    role: 'projection',
    group: 'assistant_responses',
    owner: 'event_id',
    eventId: 'event_id',
    text: ['content'],
  },
  compactions: {
    role: 'projection',
    group: 'compactions',
    owner: 'session_id',
    eventId: 'id',
    text: ['content'],
    fullText: 'compactions_fts',
  },
  long_tool_texts: {
    role: 'projection',
    group: 'tool_texts',
    owner: 'session_id',
    eventId: 'id',
    text: ['content'],
  },
  tool_call_rows: {
    role: 'projection',
    group: 'tool_calls',
    owner: 'event_id',
    eventId: 'event_id',
    text: ['tool_name', 'input_json'],
  },
  tool_result_rows: {
    role: 'projection',
    group: 'tool_results',
    owner: 'event_id',
    eventId: 'event_id',
    text: ['output_json', 'error', 'tool_name'],
  },
  api_usage: {
    role: 'projection',
    group: 'api_usage',
    owner: 'session_id',
    eventId: 'id',
    text: ['model', 'speed', 'inference_geo', 'service_tier', 'request_kind'],
  },
  errors: {
    role: 'projection',
    group: 'errors',
    owner: 'session_id',
    eventId: 'id',
    text: ['origin', 'type', 'content'],
    fullText: 'errors_fts',
  },
  ancestry: { role: 'projection', group: 'lineage', owner: 'event_id', eventId: 'event_id', text: [] },
  rollups: { ...rollups, sums: { keys: ['quarter', 'project', 'model'], ...rollupSums } },
  day_rollups: { ...rollups, sums: { keys: ['day', 'project', 'model'], ...rollupSums } },
  model_totals: { ...rollups, sums: { keys: ['project', 'model'], ...rollupSums } },
  event_counts: {
    role: 'projection',
    group: 'event_counts',
    owner: null,
    text: [],
    sums: { keys: ['kind'], counts: ['events'], totals: [] },
  },
  tool_rollups: { ...toolRollups, sums: { keys: ['day', 'project', 'tool_name'], ...toolSums } },
  tool_totals: { ...toolRollups, sums: { keys: ['project', 'tool_name'], ...toolSums } },
  turns: { role: 'projection', group: 'turns', owner: 'session_id', text: [] },
  joined_turns: { role: 'projection', group: 'turns', owner: 'session_id', text: [] },
  agents: {
    role: 'projection',
    group: 'agents',
    owner: 'session_id',
    text: ['agent_type'],
    keys: ['session_id', 'agent_id'],
  },
  tasks: {
    role: 'projection',
    group: 'tasks',
    owner: 'session_id',
    text: ['subject', 'status'],
    keys: ['session_id', 'agent_id', 'task_id'],
  },
  rate_limits: {
    role: 'projection',
    group: 'rate_limits',
    owner: 'session_id',
    eventId: 'id',
    text: ['unified_status', 'claim'],
  },
  cache_calls: {
    role: 'projection',
    group: 'cache_calls',
    owner: 'session_id',
    eventId: 'id',
    text: ['line', 'model', 'speed', 'place', 'detail', 'vendor_type'],
  },
  carry_lines: {
    role: 'projection',
    group: 'carried',
    owner: 'session_id',
    text: ['line'],
  },
  carry_calls: { role: 'projection', group: 'carried', owner: 'event_id', eventId: 'event_id', text: [] },
  carried: { role: 'projection', group: 'carried', owner: 'event_id', perEvent: 'event_id', text: [] },
  carry_groups: {
    role: 'projection',
    group: 'carried',
    owner: 'event_id',
    perEvent: 'event_id',
    text: ['tool', 'server', 'name'],
  },
  // Triggers follow deletions and redactions of lines.
  carry_weeks: {
    role: 'projection',
    group: 'carried',
    owner: null,
    text: ['tool', 'server'],
    keys: ['week', 'kind', 'tool', 'server'],
  },
  carry_week_files: { role: 'projection', group: 'carried', owner: null, text: ['name'], keys: ['week', 'name'] },
  carry_active: { role: 'projection', group: 'carried', owner: null, text: [] },
  recall_docs: {
    role: 'projection',
    group: 'recall_docs',
    owner: 'session_id',
    eventId: 'id',
    text: ['project', 'digest'],
    fullText: 'recall_fts',
  },

  session_labels: { role: 'people', owner: 'session_id', text: ['title', 'tags'], keys: ['session_id'] },
  memories: {
    role: 'people',
    owner: 'session_id',
    text: ['fact', 'category', 'source', 'note'],
    fullText: 'memories_fts',
  },
  memory_evidence: { role: 'people', owner: 'session_id', text: [] },
  episodes: { role: 'people', owner: 'session_id', text: ['project', 'content', 'tags'], fullText: 'episodes_fts' },
  saved_searches: { role: 'people', owner: null, text: ['name', 'address'] },
  budget_notices: { role: 'people', owner: null, text: [] },

  metadata: upkeep,
  tombstones: upkeep,
  changes: upkeep,
  transcript_files: upkeep,
  preview_files: upkeep,
  preview_sessions: { ...upkeep, owner: 'session_id' },
  preview_items: { ...upkeep, owner: 'session_id' },
  archives: upkeep,
  archive_frames: upkeep,
  archived_events: upkeep,
  archived_contents: upkeep,
  archive_leftovers: upkeep,
} as const satisfies Readonly<Record<string, Table>>

/** A view; a rebuild of its group replaces it. */
interface View {
  readonly group?: string
  readonly fullText?: string
}

export const VIEWS = {
  thinking_blocks: { group: 'thinking_blocks', fullText: 'thinking_fts' },
  assistant_responses: { group: 'assistant_responses', fullText: 'responses_fts' },
  tool_calls: { group: 'tool_calls' },
  tool_results: { group: 'tool_results' },
  tool_texts: { group: 'tool_texts', fullText: 'tools_fts' },
  session_events: {},
  sightings: {},
  lineage: {},
  event_keys: {},
  limit_steps: {},
} as const satisfies Readonly<Record<string, View>>

type Catalogue = typeof TABLES
type TableName = keyof Catalogue
type Rebuilt = { [Name in TableName]: Catalogue[Name] extends { role: 'projection' } ? Name : never }[TableName]
type RebuiltText = {
  [Name in Rebuilt]: Catalogue[Name] extends { fullText: infer Index extends string } ? Index : never
}[Rebuilt]

type Views = typeof VIEWS
type ViewName = keyof Views
type RebuiltView = { [Name in ViewName]: Views[Name] extends { group: string } ? Name : never }[ViewName]
type RebuiltViewText = {
  [Name in ViewName]: Views[Name] extends { fullText: infer Index extends string } ? Index : never
}[ViewName]

/** Tables, views and full-text indexes that a rebuild replaces. */
export type RebuiltName = Rebuilt | RebuiltText | RebuiltView | RebuiltViewText

/** The names that statements use for the tables that a rebuild replaces. */
export type TableNames = Readonly<Record<RebuiltName, string>>

export interface NamedTable extends Table {
  readonly name: string
}

const ALL: readonly NamedTable[] = Object.entries<Table>(TABLES).map(([name, table]) => ({ name, ...table }))

export function tablesWithRole(...roles: readonly Table['role'][]): readonly NamedTable[] {
  return ALL.filter(({ role }) => roles.includes(role))
}

/** Projections' tables of sums over all sessions. */
export const SUM_TABLES: readonly (NamedTable & Required<Pick<Table, 'sums'>>)[] = ALL.flatMap((table) =>
  table.sums === undefined ? [] : [{ ...table, sums: table.sums }],
)

const ALL_VIEWS = Object.entries<View>(VIEWS).map(([name, view]) => ({ name, ...view }))

/** Every full-text index, with the table or view whose text it contains. */
export const FULL_TEXT: ReadonlyMap<string, string> = new Map(
  [...ALL, ...ALL_VIEWS].flatMap(({ name, fullText }) => (fullText === undefined ? [] : [[fullText, name] as const])),
)

/** A column that the tables of sums by model add up. */
export type RollupSum = (typeof rollupSums)[keyof typeof rollupSums][number]
/** A column that the tables of sums by tool add up. */
export type ToolSum = (typeof toolSums)[keyof typeof toolSums][number]

/** The tables, views and full-text indexes of a projection. */
export function namesOfGroup(group: string): readonly string[] {
  const members = [...ALL, ...ALL_VIEWS].filter((member) => member.group === group)
  return [...members.map(({ name }) => name), ...members.flatMap(({ fullText }) => fullText ?? [])]
}

/** Maps tables to their normal names, or to other names for some of them. */
export function tableNames(renamed: ReadonlyMap<string, string> = new Map()): TableNames {
  const names = tablesWithRole('projection').flatMap(({ group = '' }) => namesOfGroup(group))
  return Object.fromEntries(names.map((name) => [name, renamed.get(name) ?? name])) as TableNames
}
