import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import type { Session } from '../../../shared/contract/sessions.ts'
import { selectFrom, type Condition } from '../../listings/page-query.ts'
import { LOOKUPS } from '../../listings/session-figures.ts'
import { SESSION_COLUMNS, SESSION_TABLES, SESSIONS, toSession, type SessionRow } from '../../listings/sessions.ts'
import { UNDER_DELETION } from '../delete/deletions.ts'
import { noSession } from '../delete/tombstones.ts'
import { listPage } from './list-page.ts'
import { REFUSED } from './refusals.ts'
import type { Reader } from './reader.ts'
import { linksOfSessions, newestLinks } from './session-links.ts'

const SELECT_SESSION = selectFrom('local', { columns: SESSION_COLUMNS, from: SESSION_TABLES })
const NOT_DELETED: Condition = [`s.id NOT IN (${UNDER_DELETION})`]

/**
 * Returns a function that completes rows with the figures looked up for a page and with the sessions that they
 * continue.
 */
function completing(reader: Reader, rows: readonly SessionRow[]): (row: SessionRow) => Session {
  const ids = rows.map(({ id }) => id)
  const links = linksOfSessions(reader, ids)
  const found = reader.all<SessionRow & { refused: number }>(
    `SELECT s.id, ${REFUSED} AS refused, ${LOOKUPS} FROM (SELECT value AS id FROM json_each(?)) s`,
    JSON.stringify(ids),
  )
  const lookups = new Map(found.map((row) => [row.id, row]))
  return (row) => {
    const { refused = 0, ...figures } = lookups.get(row.id) ?? {}
    const session = toSession({ ...row, ...figures }, newestLinks(links.get(row.id)))
    return refused === 0 ? session : { ...session, refused }
  }
}

/** Returns every tag that people set, with how many sessions have it. */
export function tagsOfSessions(reader: Reader): { tag: string; sessions: number }[] {
  const rows = reader.all<{ tag: string; sessions: number }>(
    `SELECT value AS tag, count(*) AS sessions FROM session_labels l, json_each(l.tags)
     WHERE l.tags IS NOT NULL AND l.session_id NOT IN (${UNDER_DELETION}) GROUP BY value`,
  )
  return rows.toSorted((one, other) => one.tag.localeCompare(other.tag, 'en'))
}

type ListInput = Partial<ParsedInput<'sessions.list'>> & { readonly limit: number }

/** Lists sessions, the most recently active first, or descending by another column. */
export function listSessions(reader: Reader, input: ListInput): { items: Session[]; next: string | null } {
  const page = { sort: 'last_activity', ...input }
  return listPage(reader, SESSIONS, page, (rows) => completing(reader, rows), [NOT_DELETED])
}

/** Returns one session. */
export function findSession(reader: Reader, id: string): Session | undefined {
  const row = reader.get<SessionRow>(`${SELECT_SESSION} WHERE s.id = ?`, id)
  return row === undefined ? undefined : completing(reader, [row])(row)
}

/** Returns one session. @throws AspyError not_found */
export function requireSession(reader: Reader, id: string): Session {
  const session = findSession(reader, id)
  if (session === undefined) throw noSession((sql, given) => reader.get(sql, given), id)
  return session
}

/** Returns tags and pull requests that the client recorded for a session, newest first. */
export function linksOf(reader: Reader, id: string): { tags: string[]; pull_requests: string[] } {
  const rows = reader.all<{ payload: string }>(
    "SELECT payload FROM events WHERE kind = 'state_change' AND session_id = ? ORDER BY id DESC LIMIT 2000",
    id,
  )
  const changes = rows.map(({ payload }) => reader.payload(payload))
  const named = (name: string) => [
    ...new Set(
      changes.flatMap((change) => (change['name'] === name && typeof change['to'] === 'string' ? change['to'] : [])),
    ),
  ]
  return { tags: named('tag'), pull_requests: named('pull_request') }
}

/** Returns the most recently active session, of one project or of all. */
export const latestSession = (reader: Reader, project?: string): Session | undefined =>
  listSessions(reader, { limit: 1, project }).items[0]

type Kept = OperationOutput<'sessions.kept'>

/** Counts the stored texts of a session; zeros if nothing is known about it. */
export function keptOfSession(reader: Reader, id: string): Kept {
  const row = reader.get<Kept>(
    `WITH asked (id) AS (VALUES (?))
     SELECT (SELECT count(*) FROM user_prompts WHERE session_id = asked.id) AS prompts,
       (SELECT count(*) FROM recall_docs WHERE session_id = asked.id AND match_type = 'assistant_response') AS answers,
       (SELECT count(*) FROM recall_docs WHERE session_id = asked.id AND match_type = 'thinking') AS thinking_blocks,
       (SELECT count(*) FROM compactions WHERE session_id = asked.id) AS compactions,
       (SELECT started_at FROM sessions WHERE sessions.id = asked.id) AS started_at
     FROM asked`,
    id,
  )
  return row ?? { prompts: 0, answers: 0, thinking_blocks: 0, compactions: 0, started_at: null }
}

/** Returns the turn of a session that has not ended; null if the newest one has ended, or there is none. */
export function turnUnderWay(reader: Reader, id: string): number | null {
  const newest = reader.get<{ turn: number | null }>('SELECT max(turn_id) AS turn FROM events WHERE session_id = ?', id)
  if (newest === undefined || newest.turn === null) return null
  const ended = reader.get(
    "SELECT 1 AS ended FROM events WHERE session_id = ? AND turn_id = ? AND kind = 'turn_ended' LIMIT 1",
    id,
    newest.turn,
  )
  return ended === undefined ? newest.turn : null
}
