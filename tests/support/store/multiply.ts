import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import Database from 'better-sqlite3'

/**
 * Multiplies a store of version 21 with plain SQL and none of the product's code, so that later versions can be tested with
 * a large one of that layout. Every copy of an event has its own id, uuid, session and keys, in the log, the projections
 * and the archives.
 *
 * Differences from a real store: copies share their texts in `contents`, whose reference counts are multiplied too (too
 * high for a text that only another text names); a copied request continues the original's request; and `recall_fts` lacks
 * the parts of split identifiers.
 */
export function multiplyStore(dataDir: string, copies: number): void {
  const db = new Database(join(dataDir, 'lifestats.db'))
  try {
    if (db.pragma('user_version', { simple: true }) !== 21)
      throw new Error('the store does not have the layout of version 21')
    for (const pragma of ['foreign_keys = OFF', 'journal_mode = MEMORY', 'synchronous = OFF', 'cache_size = -262144'])
      db.pragma(pragma)
    db.function('copied_uuid', { deterministic: true }, copiedUuid)
    const shift = Number(db.prepare('SELECT max(id) FROM events').pluck().get())
    const sightings = Number(db.prepare('SELECT max(id) FROM sighting_rows').pluck().get())
    db.transaction(() => {
      db.exec(
        `CREATE TEMP TABLE copies AS WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${copies - 1}) SELECT n FROM c`,
      )
      copyArchives(db, join(dataDir, 'archive'), { copies, shift, sightings })
      for (const table of TABLES) copyTable(db, table, { shift, sightings })
      for (const [table, columns] of Object.entries(COUNTERS))
        db.exec(`UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} * ${copies}`).join(', ')}`)
      for (const index of ['prompts', 'thinking', 'responses', 'compactions', 'errors', 'tools', 'episodes'])
        db.exec(`INSERT INTO ${index}_fts (${index}_fts) VALUES ('rebuild')`)
      indexForRecall(db, shift)
    })()
    db.pragma('journal_mode = WAL')
  } finally {
    db.close()
  }
}

interface Shifts {
  /** Offset of event ids between copies. */
  readonly shift: number
  readonly sightings: number
}

/** Tables copied row by row; sessions first, because prompts refer to them. */
const TABLES = [
  'sessions',
  'events',
  'key_rows',
  'sighting_rows',
  'parent_keys',
  'ancestry',
  'user_prompts',
  'thinking_blocks',
  'assistant_responses',
  'compactions',
  'tool_calls',
  'tool_results',
  'long_tool_texts',
  'api_usage',
  'rate_limits',
  'errors',
  'recall_docs',
  'turns',
  'agents',
  'tasks',
  'episodes',
] as const

/** Columns multiplied in place. */
const COUNTERS = {
  contents: ['refs'],
  event_counts: ['events'],
  tool_rollups: ['calls', 'succeeded', 'failed', 'timed', 'duration_ms'],
  rollups: [
    'calls',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'cache_creation_tokens',
    'cost_usd',
    'unpriced_calls',
    'lower_bound_calls',
    'prompts',
    'tool_calls',
    'thinking_blocks',
    'errors',
  ],
} as const

const EVENT_IDS = ['id', 'event_id', 'parent_id', 'root_id', 'user_from', 'project_from', 'branch_from']
const UUIDS = ['uuid', 'event_uuid', 'parent_uuid', 'prompt_uuid', 'parent_event_uuid', 'missing_parent', 'session_id']

function copyTable(db: Database.Database, table: (typeof TABLES)[number], { shift, sightings }: Shifts): void {
  const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
  const copied = (column: string): string => {
    if (table === 'sessions' && column === 'id') return 'copied_uuid(t.id, n)'
    if (table === 'sighting_rows' && column === 'id') return `t.id + n * ${sightings}`
    if (EVENT_IDS.includes(column)) return `t.${column} + n * ${shift}`
    if (UUIDS.includes(column)) return `copied_uuid(t.${column}, n)`
    if (column === 'key') return `t.key || '/' || n`
    if (column !== 'payload') return `t.${column}`
    // The mark of archived data contains the event's id.
    if (table === 'events')
      return `replace(t.payload, '"$archived":[' || t.id || ']', '"$archived":[' || (t.id + n * ${shift}) || ']')`
    return `(SELECT replace(t.payload, '"$archived":[' || e.id || ',' || t.id || ']',
      '"$archived":[' || (e.id + n * ${shift}) || ',' || (t.id + n * ${sightings}) || ']') FROM events e WHERE e.uuid = t.uuid)`
  }
  // Reading the table that is being written would copy the copies.
  db.exec(`CREATE TEMP TABLE originals AS SELECT * FROM main.${table}`)
  db.exec(
    `INSERT INTO main.${table} (${columns.join(', ')}) SELECT ${columns.map(copied).join(', ')} FROM copies, originals t`,
  )
  db.exec('DROP TABLE originals')
}

/** Derives a uuid of version 8, which no original has; for any other name, another name. */
export function copiedUuid(uuid: unknown, copy: unknown): string | null {
  if (uuid === null) return null
  const name = String(uuid)
  if (name.length !== 36) return `${name}/${String(copy)}`
  return `${(0xa000 + Number(copy)).toString(16)}${name.slice(4, 14)}8${name.slice(15)}`
}

interface Frame {
  readonly frame: number
  readonly start: number
  readonly bytes: number
}
interface ArchivedLine {
  readonly id?: number
  readonly event: { readonly uuid: string; readonly session_id: string; readonly parent_uuid: string | null }
  readonly keys: readonly string[]
  readonly parent_keys: readonly (readonly [string, number])[]
  readonly sightings: readonly { readonly id: number; readonly session_id: string }[]
}

/** Writes separate files for each copy, since their lines contain event ids. */
function copyArchives(
  db: Database.Database,
  folder: string,
  { copies, shift, sightings }: Shifts & { copies: number },
): void {
  mkdirSync(folder, { recursive: true })
  const archives = db
    .prepare<[], { id: number; path: string; bytes: number }>(
      'SELECT id, path, bytes FROM archives WHERE removed_at IS NULL',
    )
    .all()
  const last = Math.max(...archives.map(({ id }) => id))
  const framesOf = db.prepare<[number], Frame>(
    'SELECT frame, start, bytes FROM archive_frames WHERE archive = ? ORDER BY frame',
  )
  const addArchive = db.prepare(
    'INSERT INTO archives (id, month, path, bytes, archived_at) SELECT ?, month, ?, ?, archived_at FROM archives WHERE id = ?',
  )
  const addFrame = db.prepare('INSERT INTO archive_frames (archive, frame, start, bytes) VALUES (?, ?, ?, ?)')
  for (const { id, path } of archives) {
    const bytes = readFileSync(join(folder, path))
    const frames = framesOf.all(id).map((frame) => ({ frame: frame.frame, lines: linesOf(bytes, frame) }))
    for (let copy = 1; copy < copies; copy += 1) {
      const name = path.replace('.jsonl', `-${copy}.jsonl`)
      const parts: Buffer[] = []
      let end = 0
      for (const { frame, lines } of frames) {
        const texts = lines.map((line) => `${copiedLine(line, copy, { shift, sightings })}\n`)
        const part = texts.length === 0 ? Buffer.alloc(0) : zstdCompressSync(texts.join(''))
        addFrame.run(id + copy * last, frame, end, part.length)
        parts.push(part)
        end += part.length
      }
      writeFileSync(join(folder, name), Buffer.concat(parts), { mode: 0o600 })
      addArchive.run(id + copy * last, name, end, id)
    }
  }
  for (const [table, own, order] of [
    ['archived_events', `id + n * ${shift} AS id`, 'id'],
    ['archived_contents', 'hash', 'hash'],
  ] as const)
    db.exec(`CREATE TEMP TABLE originals AS SELECT * FROM main.${table};
      INSERT INTO main.${table} (${order}, archive, frame) SELECT ${own}, archive + n * ${last}, frame FROM copies, originals;
      DROP TABLE originals`)
}

function linesOf(file: Buffer, { start, bytes }: Frame): readonly string[] {
  return bytes === 0
    ? []
    : zstdDecompressSync(file.subarray(start, start + bytes))
        .toString()
        .trimEnd()
        .split('\n')
}

function copiedLine(text: string, copy: number, { shift, sightings }: Shifts): string {
  if (!text.startsWith('{"id":')) return text
  const line = JSON.parse(text) as ArchivedLine
  const { event } = line
  return JSON.stringify({
    ...line,
    id: (line.id ?? 0) + copy * shift,
    event: {
      ...event,
      uuid: copiedUuid(event.uuid, copy),
      session_id: copiedUuid(event.session_id, copy),
      parent_uuid: copiedUuid(event.parent_uuid, copy),
    },
    keys: line.keys.map((key) => `${key}/${copy}`),
    parent_keys: line.parent_keys.map(([key, position]) => [`${key}/${copy}`, position]),
    // A document without a row has the negative event id.
    sightings: line.sightings.map((one) => ({
      ...one,
      id: one.id < 0 ? one.id - copy * shift : one.id + copy * sightings,
      session_id: copiedUuid(one.session_id, copy),
    })),
  })
}

/** Indexes texts, with the beginnings of those around them. */
function indexForRecall(db: Database.Database, shift: number): void {
  db.exec(`INSERT INTO recall_fts (rowid, text, parts, near)
    SELECT d.id, coalesce(p.content, t.content, a.content, c.content, d.digest), '', d.near FROM (
      SELECT id, digest, concat_ws(char(10), lag(digest, 2) OVER around, lag(digest) OVER around, lead(digest) OVER around,
        lead(digest, 2) OVER around) AS near FROM recall_docs WINDOW around AS (PARTITION BY session_id, agent_id ORDER BY id)) d
    LEFT JOIN user_prompts p ON p.id = d.id LEFT JOIN thinking_blocks t ON t.id = d.id
    LEFT JOIN assistant_responses a ON a.id = d.id LEFT JOIN compactions c ON c.id = d.id
    WHERE d.id > ${shift} ORDER BY d.id`)
}
