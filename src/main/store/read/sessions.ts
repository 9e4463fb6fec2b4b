import { AspyError } from '../../../shared/contract/errors.ts'
import type { Session } from '../../../shared/contract/sessions.ts'
import { fromCursor, toPage, where } from './page.ts'
import type { Reader } from './reader.ts'

const SESSION_COLUMNS = `id, user_id, project, git_branch, started_at, ended_at, last_event_at, source, title, turn_count, prompts,
  total_tokens, total_cost_usd, unpriced_calls, tool_calls, thinking_blocks, errors, active_ms`

/** Sessions, newest first. */
export function listSessions(
  reader: Reader,
  options: { limit: number; user_id?: string; project?: string; before?: string; query?: string; cursor?: string },
): { items: Session[]; next: string | null } {
  const filter = where()
  if (options.user_id !== undefined) filter.add('user_id = ?', options.user_id)
  if (options.project !== undefined) filter.add('project = ?', options.project)
  if (options.before !== undefined) filter.add('started_at < ?', options.before)
  if (options.query !== undefined && options.query.trim() !== '') {
    const like = `%${options.query.trim().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
    filter.add(
      String.raw`(title LIKE ? ESCAPE '\' OR project LIKE ? ESCAPE '\' OR id LIKE ? ESCAPE '\')`,
      like,
      like,
      like,
    )
  }
  if (options.cursor !== undefined)
    filter.add('(started_at, id) < (?, ?)', ...fromCursor(options.cursor, ['string', 'string']))
  const rows = reader.all<Session>(
    `SELECT ${SESSION_COLUMNS} FROM sessions ${filter.sql} ORDER BY started_at DESC, id DESC LIMIT ?`,
    ...filter.values,
    options.limit + 1,
  )
  return toPage(
    rows,
    options.limit,
    (row) => [row.started_at, row.id],
    (row) => row,
  )
}

/** One session, or `not_found`. */
export function requireSession(reader: Reader, id: string): Session {
  const row = reader.get<Session>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?`, id)
  if (row === undefined) throw new AspyError('not_found', `there is no session ${id}`)
  return row
}

/** The session that was last active, of one project or of all. */
export function latestSession(reader: Reader, project?: string): Session | undefined {
  const filter = where()
  if (project !== undefined) filter.add('project = ?', project)
  return reader.get<Session>(
    `SELECT ${SESSION_COLUMNS} FROM sessions ${filter.sql} ORDER BY last_event_at DESC, id DESC LIMIT 1`,
    ...filter.values,
  )
}

/** How many texts of a session are kept; zeros where nothing is known of it. */
export function keptOfSession(
  reader: Reader,
  id: string,
): { prompts: number; answers: number; thinking_blocks: number; compactions: number; started_at: string | null } {
  const row = reader.get<ReturnType<typeof keptOfSession>>(
    `WITH asked (id) AS (VALUES (?))
     SELECT (SELECT count(*) FROM user_prompts WHERE session_id = asked.id) AS prompts,
       (SELECT count(*) FROM assistant_responses WHERE session_id = asked.id) AS answers,
       (SELECT count(*) FROM thinking_blocks WHERE session_id = asked.id) AS thinking_blocks,
       (SELECT count(*) FROM compactions WHERE session_id = asked.id) AS compactions,
       (SELECT started_at FROM sessions WHERE sessions.id = asked.id) AS started_at
     FROM asked`,
    id,
  )
  return row ?? { prompts: 0, answers: 0, thinking_blocks: 0, compactions: 0, started_at: null }
}
