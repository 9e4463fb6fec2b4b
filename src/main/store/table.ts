/** A table of the database, as rebuild, delete, redact, scrub and the health check see it. */
export interface Table {
  /**
   * - `log`: what was recorded; the source of all projections.
   * - `projection`: derived from the log; a rebuild fills it again.
   * - `people`: what people made; no rebuild touches it.
   * - `upkeep`: the store's own notes.
   */
  readonly role: 'log' | 'projection' | 'people' | 'upkeep'
  /** The column that ties a row to its session, directly or through an event; null if rows belong to no session. */
  readonly owner: 'id' | 'session_id' | 'event_uuid' | 'event_id' | null
  /** The primary key, if the table has one row per event and its value is the event's id. */
  readonly eventId?: 'id' | 'event_id'
  /** The column with an event's id, if an event may have several rows. */
  readonly perEvent?: 'event_id'
  /** Columns that may hold secrets, other than names that rows refer to. A redaction of the past rewrites them. */
  readonly text: readonly string[]
  /** The projection that fills the table; a rebuild replaces its tables together. */
  readonly group?: string
  /** The full-text index over the table. */
  readonly fullText?: string
  /** The primary key of a table without rowid that has text. */
  readonly keys?: readonly string[]
  /** Only in a table of sums over all sessions: its primary key, its counts, and its other sums. */
  readonly sums?: {
    readonly keys: readonly string[]
    readonly counts: readonly string[]
    readonly totals: readonly string[]
  }
}
