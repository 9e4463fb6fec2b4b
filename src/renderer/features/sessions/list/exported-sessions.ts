import type { Session } from '../../../../shared/contract/sessions.ts'
import type { ExportedTable } from '../../../lib/export-table.ts'

const COLUMNS = [
  'id',
  'title',
  'project',
  'git_branch',
  'started_at',
  'ended_at',
  'active_ms',
  'prompts',
  'tool_calls',
  'errors',
  'api_errors',
  'failed_tools',
  'client',
  'client_version',
  'total_tokens',
  'total_cost_usd',
  'unpriced_calls',
  'starred',
] as const

/** Returns sessions as a table for export. Columns are named like the API's fields. */
export function exportedSessions(sessions: readonly Session[]): ExportedTable {
  return {
    columns: [...COLUMNS, 'own_tags'],
    rows: sessions.map((session) => [...COLUMNS.map((column) => session[column]), session.own_tags.join(', ')]),
  }
}
