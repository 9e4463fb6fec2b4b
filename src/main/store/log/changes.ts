import { note, noted, removeNote } from '../database/metadata.ts'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'

/**
 * Entries of `changes` that no trigger writes: new events, and projections that changed while the log did not. Triggers
 * write the rest. All are in the transaction of the change itself.
 */

/** Notes new events, all of a transaction at once: a trigger took a third of the time of an event's row. */
export class Arrivals {
  readonly #lastId
  readonly #insert
  #newest = 0
  /** The newest event that `changes` has. */
  #noted = 0

  constructor(db: WritableDb) {
    // Not the newest event's id: ids are not reused after a deletion.
    // Damage may have lost the sequence alone; an id that is taken would refuse every event.
    this.#lastId = db
      .prepare<[], number>(
        "SELECT max(coalesce((SELECT max(CAST(seq AS INTEGER)) FROM sqlite_sequence WHERE name = 'events'), 0), coalesce((SELECT max(id) FROM events), 0))",
      )
      .pluck()
    this.#insert = db.prepare<[number]>(
      "INSERT INTO changes (kind, event_id) SELECT 'event', id FROM events WHERE id > ? ORDER BY id",
    )
    this.reset()
  }

  /** The highest id ever assigned to an event; 0 before the first. */
  lastId(): number {
    return this.#lastId.get() ?? 0
  }

  add(id: number): void {
    this.#newest = id
  }

  /** Called before a transaction ends, and before another entry follows. */
  note(): void {
    if (this.#newest === this.#noted) return
    this.#insert.run(this.#noted)
    this.#noted = this.#newest
  }

  /** After a rollback. */
  reset(): void {
    this.#newest = this.lastId()
    this.#noted = this.#newest
  }
}

/** The key in `metadata` of the last id of `api_usage` whose new cost is noted. */
const COSTS_NOTED = 'costs_noted'
const COSTS_AT_ONCE = 2000

/** Marks all costs as recalculated. Runs within the transaction that puts them into use; `noteRecalculatedCosts` follows. */
export function markRecalculatedCosts(db: WritableDb): void {
  note(db, COSTS_NOTED, '0')
}

/** Notes, in steps, that each of the marked costs may differ. An interrupted run continues where it was. */
export function* noteRecalculatedCosts(db: WritableDb): Generator<void, void, void> {
  const lastOfPage = db
    .prepare<[number], number | null>(
      `SELECT max(id) FROM (SELECT id FROM api_usage WHERE id > ? ORDER BY id LIMIT ${COSTS_AT_ONCE})`,
    )
    .pluck()
  const change = db.prepare<[number, number]>(
    "INSERT INTO changes (kind, event_id) SELECT 'correction', id FROM api_usage WHERE id > ? AND id <= ? ORDER BY id",
  )
  const notePage = db.transaction((): boolean => {
    const after = noted(db, COSTS_NOTED)
    if (after === undefined) return false
    const last = lastOfPage.get(Number(after)) ?? null
    if (last === null) removeNote(db, COSTS_NOTED)
    else {
      change.run(Number(after), last)
      note(db, COSTS_NOTED, String(last))
    }
    return last !== null
  })
  while (translated(() => notePage.immediate())) yield
}

/** Notes that titles, projects and branches of sessions may have been redacted. */
export function noteRedactedSessions(db: WritableDb): void {
  db.prepare("INSERT INTO changes (kind, name) SELECT 'session', id FROM sessions ORDER BY id").run()
}
