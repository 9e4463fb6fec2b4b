import type { AnyEvent } from '../../shared/event.ts'
import { forgetArchivedSession } from './archive/archive-tables.ts'
import type { WritableDb } from './connection.ts'
import { contentReader } from './contents.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow } from './log.ts'
import type { Pricing } from './pricing.ts'
import { describeTables, withTables, type ProjectedTable } from './projected-tables.ts'
import { PROJECTIONS } from './projections/all.ts'
import { openProjections, type ProjectionSet } from './projections/projection-set.ts'
import { createRelease, namedContents } from './release-contents.ts'
import { markScrub } from './scrub.ts'
import { dropShadowTables } from './shadow-tables.ts'

export interface DeleteSessionParts {
  readonly db: WritableDb
  readonly pricing: Pricing
  /** The store's keyed hash. */
  readonly hash: (text: string) => string
}

/** What a deletion took out. */
export interface DeletedRows {
  readonly events: number
  /** Of events of other sessions, which stay. */
  readonly sightings: number
}

const LOG_TABLES = [
  'events',
  'event_keys',
  'sighting_rows',
  'parent_keys',
  'contents',
  'tombstones',
  'metadata',
] as const

/**
 * Takes a session out of the log and of everything drawn from it; runs within a transaction. Other sessions that hung
 * from it (a fork's events, its further sightings) are projected anew, so that all tables hold what a rebuild would make.
 */
export function deleteSessionRows(parts: DeleteSessionParts, sessionId: string): DeletedRows {
  const { db, pricing, hash } = parts
  // What a rebuild left behind is not looked through, but removed.
  for (const _ of dropShadowTables(db));
  const projected = describeTables(
    db,
    PROJECTIONS.flatMap(({ tables }) => tables),
  )
  const owned = projected.filter(({ owner }) => owner !== null)
  const sums = projected.filter(({ owner }) => owner === null)
  const others = sessionsThatHangFrom(db, sessionId)
  const replay = createReplay(db)

  subtractSums(parts, sums, (set) => replay([sessionId, ...others], set))
  for (const session of [sessionId, ...others]) for (const table of owned.toReversed()) removeRows(db, table, session)
  const names = new Set<string>([...LOG_TABLES, ...projected.map(({ name }) => name)])
  for (const table of describeTables(db, tablesBeside(db, names)))
    if (table.owner !== null) removeRows(db, table, sessionId)
  const removed = removeFromLog(db, sessionId)
  if (others.length > 0) replay(others, openProjections(PROJECTIONS, db, pricing, hash))
  markScrub(db)
  return removed
}

/** Sessions whose projections look at this one: by a sighting, a parent, or the call of a result; and those below them. */
function sessionsThatHangFrom(db: WritableDb, sessionId: string): readonly string[] {
  const sighted = db
    .prepare<[string], string>(
      'SELECT DISTINCT e.session_id FROM sighting_rows s JOIN events e ON e.uuid = s.uuid WHERE s.session_id = ?',
    )
    .pluck()
  const below = db
    .prepare<[string], string>(
      `SELECT DISTINCT child.session_id FROM events e JOIN ancestry a ON a.parent_id = e.id
       JOIN events child ON child.id = a.event_id WHERE e.session_id = ?`,
    )
    .pluck()
  const results = db
    .prepare<[string], string>(
      `SELECT DISTINCT r.session_id FROM tool_calls c JOIN tool_results r ON r.call_id = c.call_id WHERE c.session_id = ?`,
    )
    .pluck()
  const found = new Set([...sighted.all(sessionId), ...results.all(sessionId)])
  const due = [sessionId, ...found]
  for (let session = due.pop(); session !== undefined; session = due.pop())
    for (const next of below.all(session))
      if (next !== sessionId && !found.has(next)) {
        found.add(next)
        due.push(next)
      }
  found.delete(sessionId)
  return [...found]
}

/** Gives projections the events of some sessions once more, in the order of the log. */
function createReplay(db: WritableDb): (sessions: readonly string[], set: ProjectionSet) => void {
  const fetch = contentReader(db)
  const sightingsOf = sightingReader(db, fetch)
  const idsOf = db.prepare<[string], number>('SELECT id FROM events WHERE session_id = ?').pluck()
  const row = db.prepare<[number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = ?`)
  return (sessions, set) => {
    const ids = sessions.flatMap((session) => idsOf.all(session)).sort((a, b) => a - b)
    for (const [at, id] of ids.entries()) {
      const found = row.get(id)
      if (!found) continue
      const event: AnyEvent = eventOfRow(found, fetch)
      set.apply(event)
      const sightings = sightingsOf(event.uuid)
      for (const [index, sighting] of sightings.entries()) set.applySighting(event, sighting, sightings.slice(0, index))
      if (at % 1000 === 999) set.flush()
    }
    set.flush()
  }
}

/** Tables of sums lose what these events had added: it is counted once more, beside them, and taken off. */
function subtractSums(
  { db, pricing, hash }: DeleteSessionParts,
  tables: readonly ProjectedTable[],
  replay: (set: ProjectionSet) => void,
): void {
  const aside = new Map(tables.map(({ name }) => [name, `gone_${name}`]))
  const counting = PROJECTIONS.filter((projection) => projection.tables.some((name) => aside.has(name)))
  for (const [name, other] of aside) {
    db.exec(`DROP TABLE IF EXISTS temp.${other}`)
    const sql = db.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name) ?? ''
    db.exec(sql.replace(/^CREATE TABLE\s+"?\w+"?/, `CREATE TEMP TABLE ${other}`))
  }
  const prepare = ((sql: string) => db.prepare(withTables(sql, aside))) as WritableDb['prepare']
  replay(openProjections(counting, { prepare } as unknown as WritableDb, pricing, hash))
  for (const { name, keys, sums } of tables) {
    const other = `gone_${name}`
    const isSame = keys.map((key) => `gone.${key} = ${name}.${key}`).join(' AND ')
    const left = sums.map((sum) => `${sum.name} = ${name}.${sum.name} - gone.${sum.name}`).join(', ')
    const isNone = sums.flatMap((sum) => (sum.isWhole ? [`${sum.name} = 0`] : [])).join(' AND ')
    const isTouched = `EXISTS (SELECT 1 FROM ${other} gone WHERE ${isSame})`
    db.exec(`UPDATE ${name} SET ${left} FROM ${other} gone WHERE ${isSame}`)
    db.exec(`DELETE FROM ${name} WHERE ${isNone} AND ${isTouched}`)
    db.exec(`DROP TABLE temp.${other}`)
  }
}

function removeRows(db: WritableDb, { name, owner }: ProjectedTable, sessionId: string): void {
  const event = owner === 'event_uuid' ? 'uuid' : owner === 'event_id' ? 'id' : null
  const isOwned = event === null ? `${owner} = ?` : `${owner} IN (SELECT ${event} FROM events WHERE session_id = ?)`
  db.prepare<[string]>(`DELETE FROM ${name} WHERE ${isOwned}`).run(sessionId)
}

/** Tables of people's own (titles, labels, memories …): what they say of the session goes with it. */
function tablesBeside(db: WritableDb, known: ReadonlySet<string>): readonly string[] {
  return db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .pluck()
    .all()
    .filter((name) => !known.has(name) && !/_fts(_|$)/.test(name))
}

function removeFromLog(db: WritableDb, sessionId: string): DeletedRows {
  const release = createRelease(db)
  const payloads = db.prepare<[string], string>('SELECT payload FROM events WHERE session_id = ?').pluck()
  const told = db
    .prepare<[string, string], { id: number; payload: string | null }>(
      `SELECT id, payload FROM sighting_rows WHERE session_id = ?
       UNION SELECT s.id, s.payload FROM events e JOIN sighting_rows s ON s.uuid = e.uuid WHERE e.session_id = ?`,
    )
    .all(sessionId, sessionId)
  const inEvents = db
    .prepare<[string], number>(
      `SELECT count(*) FROM events e WHERE e.session_id = ?
       AND NOT EXISTS (SELECT 1 FROM sighting_rows r WHERE r.uuid = e.uuid AND r.with_first = 1)`,
    )
    .pluck()
    .get(sessionId)
  const removeSighting = db.prepare<[number]>('DELETE FROM sighting_rows WHERE id = ?')
  const ofSession = 'uuid IN (SELECT uuid FROM events WHERE session_id = ?)'

  forgetArchivedSession(db, sessionId)
  db.prepare("INSERT INTO metadata (key, value) VALUES ('log_open', 'delete')").run()
  for (const { id, payload } of told) {
    if (payload !== null) release(namedContents(payload))
    removeSighting.run(id)
  }
  for (const payload of payloads.all(sessionId)) release(namedContents(payload))
  for (const table of ['event_keys', 'parent_keys'])
    db.prepare<[string]>(`DELETE FROM ${table} WHERE ${ofSession}`).run(sessionId)
  const events = db.prepare<[string]>('DELETE FROM events WHERE session_id = ?').run(sessionId).changes
  db.prepare("DELETE FROM metadata WHERE key = 'log_open'").run()
  return { events, sightings: told.length + (inEvents ?? 0) }
}
