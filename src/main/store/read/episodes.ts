import type { OperationOutput } from '../../../shared/contract/index.ts'
import { fromCursor } from '../../listings/cursor.ts'
import { toPage, where } from './page.ts'
import type { Reader } from './reader.ts'

export type Episode = OperationOutput<'episodes.list'>['items'][number]

interface EpisodeRow extends Omit<Episode, 'tags' | 'importance'> {
  readonly id: number
  readonly tags: string
  readonly rank: number
}

/** Returns summaries of parts of sessions, newest first; with `match`, a complete FTS5 expression, best first. */
export function episodeRows(
  reader: Reader,
  options: { match?: string; session_id?: string; project?: string; limit: number; cursor?: string },
): { items: Episode[]; next: string | null } {
  const filter = where()
  if (options.match !== undefined) filter.add('episodes_fts MATCH ?', options.match)
  if (options.session_id !== undefined) filter.add('x.session_id = ?', options.session_id)
  if (options.project !== undefined) filter.add('x.project = ?', options.project)
  const columns =
    'x.id, x.event_uuid AS uuid, x.session_id, x.turn_id, x.closed_by, x.timestamp, x.project, x.content, x.tags'
  const toItem = ({ id: _id, rank: _rank, tags, ...episode }: EpisodeRow): Episode => ({
    ...episode,
    tags: JSON.parse(tags) as string[],
    importance: importanceOf(reader, episode),
  })
  if (options.match !== undefined) {
    const offset = options.cursor === undefined ? 0 : fromCursor(options.cursor, ['number'])[0]
    const rows = reader.inTime<EpisodeRow>(
      `SELECT ${columns}, aspy_rank(bm25(episodes_fts)) AS rank FROM episodes_fts JOIN episodes x ON x.id = episodes_fts.rowid
       ${filter.sql} ORDER BY rank, x.id DESC LIMIT ? OFFSET ?`,
      ...filter.values,
      options.limit + 1,
      offset,
    )
    return toPage(rows, options.limit, () => [offset + options.limit], toItem)
  }
  if (options.cursor !== undefined)
    filter.add('(x.timestamp, x.id) < (?, ?)', ...fromCursor(options.cursor, ['string', 'number']))
  const rows = reader.inTime<EpisodeRow>(
    `SELECT ${columns}, 0 AS rank FROM episodes x ${filter.sql} ORDER BY x.timestamp DESC, x.id DESC LIMIT ?`,
    ...filter.values,
    options.limit + 1,
  )
  return toPage(rows, options.limit, (row) => [row.timestamp, row.id], toItem)
}

/** Number of turns that gives an importance of 0.63, if nothing else happened. */
const TURNS = 20
/** Events that count as much as a turn. */
const TOOL_CALLS = 10
/** Number of turns that a remembered event counts as. */
const REMEMBERED = 10

/**
 * Returns the importance of an episode, 0 to 1. An episode closed by a compaction covers the turns since the previous
 * one; an episode closed by the session's end covers the session.
 */
function importanceOf(
  reader: Reader,
  { session_id: session, turn_id: turn, closed_by: closedBy, timestamp }: Omit<EpisodeRow, 'id' | 'rank' | 'tags'>,
): number {
  const before =
    closedBy === 'end'
      ? undefined
      : reader.get<{ turn: number | null }>(
          'SELECT max(turn_id) AS turn FROM compactions WHERE session_id = ? AND timestamp < ?',
          session,
          timestamp,
        )
  const from = before?.turn ?? -1
  const done = reader.get<{ turns: number; calls: number | null }>(
    'SELECT count(*) AS turns, sum(tool_calls) AS calls FROM turns WHERE session_id = ? AND turn_id > ? AND turn_id <= ?',
    session,
    from,
    turn,
  )
  const remembered = reader.get<{ n: number }>(
    `SELECT count(*) AS n FROM memories m CROSS JOIN events e ON e.uuid = m.event_uuid
     WHERE m.session_id = ? AND e.turn_id > ? AND e.turn_id <= ?`,
    session,
    from,
    turn,
  )
  const weight = (done?.turns ?? 0) + (done?.calls ?? 0) / TOOL_CALLS + (remembered?.n ?? 0) * REMEMBERED
  return Math.round((1 - Math.exp(-weight / TURNS)) * 100) / 100
}
