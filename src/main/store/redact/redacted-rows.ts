import Database from 'better-sqlite3'
import type { WritableDb } from '../database/connection.ts'
import { migrate } from '../database/migrate.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { PROJECTIONS } from '../projections/all.ts'
import { fileTouches } from '../projections/file-touches.ts'
import { openProjections } from '../projections/projection-set.ts'
import { recallDocs } from '../projections/recall-docs.ts'
import { tablesWithRole, type NamedTable } from '../tables.ts'
import type { RedactedEvent } from './redact-event.ts'

/** Tables with one row per event, whose text comes from the event. */
const TABLES = tablesWithRole('projection').filter(({ eventId, text }) => eventId !== undefined && text.length > 0)
const WITH_TEXT = PROJECTIONS.filter(({ name }) => TABLES.some(({ group }) => group === name))

/**
 * Rewrites the text of projections' rows after their events were redacted. Each event is projected again, into an empty
 * database in memory, and the row's text is taken from there: it is the text that a rebuild would write.
 */
export function createRowRedaction(db: WritableDb, pricing: Pricing, hash: (text: string) => string) {
  const scratch = openScratch()
  const projected = openProjections(WITH_TEXT, { db: scratch, pricing, hash, log: db })
  const real = openProjections([recallDocs, fileTouches], { db, pricing, hash })
  const tables = TABLES.map((table) => prepareTable(db, scratch, table))

  function rewriteRows(id: number): void {
    for (const { fresh, stored, add, clear, remove, update } of tables) {
      const [wanted, found] = [fresh.get(id), stored.get(id)]
      clear.run(id)
      if (found === undefined) {
        if (wanted !== undefined) add?.run(id, wanted['session_id'] ?? null, wanted['content'] ?? null)
        continue
      }
      if (wanted === undefined) remove.run(id)
      else for (const [column, set] of update) if (wanted[column] !== found[column]) set.run(wanted[column] ?? null, id)
    }
  }

  return {
    rewrite(changed: readonly RedactedEvent[]): void {
      for (const { event, sightings } of changed) {
        projected.apply(event)
        for (const [at, sighting] of sightings.entries())
          projected.applySighting(event, sighting, sightings.slice(0, at))
        projected.discard()
        rewriteRows(event.id)
      }
      // Only after all digests are updated, since each row of the index contains those of its neighbours.
      for (const { event } of changed) real.reword(event)
    },
    close: () => scratch.close(),
  }
}

/** Creates tables without triggers: rows are only read there and removed one by one. */
function openScratch(): WritableDb {
  const scratch = new Database(':memory:') as unknown as WritableDb
  migrate(scratch, ':memory:')
  const triggersOn = scratch
    .prepare<[string], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
    .pluck()
  for (const { name } of TABLES) for (const trigger of triggersOn.all(name)) scratch.exec(`DROP TRIGGER ${trigger}`)
  // Prompts refer to sessions, which do not exist here.
  scratch.pragma('foreign_keys = OFF')
  return scratch
}

function prepareTable(db: WritableDb, scratch: WritableDb, { name, eventId = 'id' }: NamedTable) {
  // Not only text: a rule may also match an id within the event.
  const columns = scratch
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT' ORDER BY cid")
    .pluck()
    .all(name)
  const select = `SELECT ${columns.join(', ')} FROM ${name} WHERE ${eventId} = ?`
  return {
    fresh: scratch.prepare<[number], Record<string, string | null>>(select),
    stored: db.prepare<[number], Record<string, string | null>>(select),
    // A redacted text may no longer be derivable from its row, and is then stored whole.
    add:
      name === 'long_tool_texts'
        ? db.prepare<[number, string | null, string | null]>(
            'INSERT INTO long_tool_texts (id, session_id, content) VALUES (?, ?, ?)',
          )
        : null,
    clear: scratch.prepare<[number]>(`DELETE FROM ${name} WHERE ${eventId} = ?`),
    remove: db.prepare<[number]>(`DELETE FROM ${name} WHERE ${eventId} = ?`),
    update: new Map(
      columns.map((column) => [
        column,
        db.prepare<[string | null, number]>(`UPDATE ${name} SET ${column} = ? WHERE ${eventId} = ?`),
      ]),
    ),
  }
}
