import type { WritableDb } from '../database/connection.ts'

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
    this.#lastId = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck()
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

/** Notes that costs may differ: prices changed, or all of `api_usage` was filled again. */
export function noteRecalculatedCosts(db: WritableDb): void {
  db.prepare("INSERT INTO changes (kind, event_id) SELECT 'correction', id FROM api_usage ORDER BY id").run()
}

/** Notes that titles, projects and branches of sessions may have been redacted. */
export function noteRedactedSessions(db: WritableDb): void {
  db.prepare("INSERT INTO changes (kind, name) SELECT 'session', id FROM sessions ORDER BY id").run()
}
