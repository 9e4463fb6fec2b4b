/** A row of `sessions`; the columns after `client_cost_at` say what the others were drawn from. */
export interface SessionRow {
  id: string
  user_id: string | null
  project: string | null
  git_branch: string | null
  started_at: string
  ended_at: string | null
  last_event_at: string
  source: 'hook' | 'warmup' | 'first_seen' | 'transcript'
  title: string | null
  turn_count: number
  prompts: number
  total_tokens: number
  total_cost_usd: number
  unpriced_calls: number
  tool_calls: number
  thinking_blocks: number
  errors: number
  active_ms: number
  api_errors: number
  failed_tools: number
  client: string
  client_version: string | null
  client_cost_usd: number | null
  client_cost: string | null
  client_cost_at: string | null
  user_from: number | null
  project_from: number | null
  branch_from: number | null
  title_rank: number
  title_at: string | null
  session_end_at: string | null
  last_active_at: string | null
  client_certainty: number
  client_at: string | null
  time_basis: 'wire' | 'line' | 'file'
  measured_events: number
  dated_events: number
  /** 1: a request came to the proxy without the path secret; null: none did, as far as is known. */
  unproven_sender: number | null
}

export const SESSION_COLUMNS = [
  'id',
  'user_id',
  'project',
  'git_branch',
  'started_at',
  'ended_at',
  'last_event_at',
  'source',
  'title',
  'turn_count',
  'prompts',
  'total_tokens',
  'total_cost_usd',
  'unpriced_calls',
  'tool_calls',
  'thinking_blocks',
  'errors',
  'active_ms',
  'api_errors',
  'failed_tools',
  'client',
  'client_version',
  'client_cost_usd',
  'client_cost',
  'client_cost_at',
  'user_from',
  'project_from',
  'branch_from',
  'title_rank',
  'title_at',
  'session_end_at',
  'last_active_at',
  'client_certainty',
  'client_at',
  'time_basis',
  'measured_events',
  'dated_events',
  'unproven_sender',
] as const satisfies readonly (keyof SessionRow)[]

export const loadRow = (table: string): string => `SELECT ${SESSION_COLUMNS.join(', ')} FROM ${table} WHERE id = ?`
export const insertRow = (table: string): string =>
  `INSERT INTO ${table} (${SESSION_COLUMNS.join(', ')}) VALUES (${SESSION_COLUMNS.map(() => '?').join(', ')})`
export const updateRow = (table: string): string =>
  `UPDATE ${table} SET ${SESSION_COLUMNS.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`

const MAX_TITLE_CHARACTERS = 120

/** The first line that says something, short enough for a list. */
export function firstLine(text: string): string {
  const line = text
    .slice(0, 4000)
    .split('\n')
    .map((part) => part.trim())
    .find((part) => part !== '')
  if (line === undefined) return ''
  return line.length <= MAX_TITLE_CHARACTERS ? line : `${line.slice(0, MAX_TITLE_CHARACTERS - 1).toWellFormed()}…`
}
