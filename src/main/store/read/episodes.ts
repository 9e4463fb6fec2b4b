import { fromCursor, toPage, where } from './page.ts'
import type { Reader } from './reader.ts'

export interface Episode {
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly closed_by: 'compaction' | 'end'
  readonly timestamp: string
  readonly project: string | null
  readonly content: string
  readonly tags: string[]
}

interface EpisodeRow extends Omit<Episode, 'tags'> {
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
  const toItem = ({
    uuid,
    session_id,
    turn_id,
    closed_by,
    timestamp,
    project,
    content,
    tags,
  }: EpisodeRow): Episode => ({
    uuid,
    session_id,
    turn_id,
    closed_by,
    timestamp,
    project,
    content,
    tags: JSON.parse(tags) as string[],
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
