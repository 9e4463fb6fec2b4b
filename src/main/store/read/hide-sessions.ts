import type { ReadableDb } from '../database/connection.ts'
import type { PendingDeletion, SessionSums } from '../delete/pending-deletions.ts'
import type { Table } from '../table.ts'
import { SUM_TABLES, TABLES, type VIEWS } from '../tables.ts'
import { WITH_PREVIEWS, withPreviewedSums } from './preview-views.ts'

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** The column of each view that ties a row to an event or a session. */
const VIEW_OWNERS = {
  thinking_blocks: 'session_id',
  assistant_responses: 'session_id',
  tool_calls: 'session_id',
  tool_results: 'session_id',
  tool_texts: 'session_id',
  session_events: 'session_id',
  sightings: 'uuid',
  lineage: 'uuid',
  event_keys: 'uuid',
  limit_steps: 'session_id',
} as const satisfies Record<keyof typeof VIEWS, string>

/** What a reading connection shows instead of the tables as they are. */
export interface Shown {
  readonly hidden: ReadonlyMap<string, Pick<PendingDeletion, 'sums'>>
  /** Figures of transcripts that are not imported yet stand among those of the log. */
  readonly withPreviews: boolean
}

/**
 * Hides sessions from a reading connection: temporary views take the place of all tables and views of the database, so
 * that no query can see their rows, and sums over all sessions come without what they added. Previews are shown in the
 * same way; `recorded_sessions` is without them. With nothing to hide or add, the tables are shown as they are.
 * Statements prepared before follow, since SQLite prepares them again.
 */
export function showInViews(db: ReadableDb, { hidden, withPreviews }: Shown): void {
  // The file is open for reading only; this concerns the temporary schema.
  db.pragma('query_only = OFF')
  try {
    const views = db.prepare<[], string>("SELECT name FROM temp.sqlite_master WHERE type = 'view'").pluck().all()
    for (const name of views) db.exec(`DROP VIEW temp.${name}`)
    const previews = Object.entries<string>(withPreviews ? WITH_PREVIEWS : {})
    const ids = [...hidden.keys()].map(text).join(', ')
    const visible = hidden.size === 0 ? [] : conditions(ids)
    const isRecorded = visible.find(([name]) => name === 'sessions')?.[1] ?? 'TRUE'
    db.exec(`CREATE TEMP VIEW recorded_sessions AS SELECT * FROM main.sessions WHERE ${isRecorded}`)
    for (const [name, query] of previews) if (hidden.size === 0) db.exec(`CREATE TEMP VIEW ${name} AS ${query}`)
    if (hidden.size === 0) return
    const sources = new Map(previews)
    for (const [name, condition] of visible) {
      const query = sources.get(name)
      const source = query === undefined ? `main.${name}` : `(${query})`
      db.exec(`CREATE TEMP VIEW ${name} AS SELECT * FROM ${source} WHERE ${condition}`)
    }
    for (const table of SUM_TABLES)
      subtractSums(
        db,
        table,
        [...hidden.values()].map(({ sums }) => sums),
        withPreviews,
      )
  } finally {
    db.pragma('query_only = ON')
  }
}

/** The rows of each table and view that stay visible. */
function conditions(ids: string): (readonly [name: string, condition: string])[] {
  const eventsOf = (column: string) => `(SELECT ${column} FROM main.events WHERE session_id IN (${ids}))`
  const visible = (column: string): string => {
    if (column === 'event_id') return `event_id NOT IN ${eventsOf('id')}`
    if (column === 'uuid' || column === 'event_uuid') return `${column} NOT IN ${eventsOf('uuid')}`
    return `${column} NOT IN (${ids})`
  }
  const owned = Object.entries<Table>(TABLES).flatMap(([name, { owner }]) =>
    owner === null ? [] : [[name, visible(owner)] as const],
  )
  const views = Object.entries(VIEW_OWNERS).map(([name, column]) => [name, visible(column)] as const)
  return [...owned, ...views, ['archived_events', `id NOT IN ${eventsOf('id')}`]]
}

function subtractSums(
  db: ReadableDb,
  { name, sums }: (typeof SUM_TABLES)[number],
  hidden: readonly SessionSums[],
  withPreviews: boolean,
): void {
  const added = [...sums.counts, ...sums.totals]
  const columns = [...sums.keys, ...added]
  const json = JSON.stringify(hidden.flatMap((of) => of[name] ?? []))
  const keys = sums.keys.map((key) => `json_extract(value, '$.${key}') AS ${key}`)
  const totals = added.map((sum) => `total(json_extract(value, '$.${sum}')) AS ${sum}`)
  const gone = `SELECT ${[...keys, ...totals].join(', ')} FROM json_each(${text(json)}) GROUP BY ${sums.keys.map((_, at) => at + 1).join(', ')}`
  const left = columns.map((column) => {
    if (!added.includes(column)) return `s.${column}`
    const rest = `s.${column} - coalesce(gone.${column}, 0)`
    return sums.counts.includes(column) ? `CAST(${rest} AS INTEGER) AS ${column}` : `${rest} AS ${column}`
  })
  const isSame = sums.keys.map((key) => `gone.${key} = s.${key}`).join(' AND ')
  const isLeft = sums.counts.map((count) => `s.${count} > coalesce(gone.${count}, 0)`).join(' OR ')
  const query = `SELECT ${left.join(', ')} FROM main.${name} s LEFT JOIN (${gone}) gone ON ${isSame} WHERE ${isLeft}`
  const previewed = withPreviews ? new Map(Object.entries(withPreviewedSums)).get(name) : undefined
  const all = previewed?.(`(${query})`) ?? query
  db.exec(`CREATE TEMP VIEW ${name} AS ${all}`)
}
