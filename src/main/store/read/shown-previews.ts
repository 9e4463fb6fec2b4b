import type { ReadableDb } from '../database/connection.ts'
import { WITH_PREVIEWS } from './preview-views.ts'

/**
 * Shows previews of an import on a reading connection while there are any: temporary views replace the tables that have
 * them. `recorded_sessions` has none. Statements prepared before follow, since SQLite prepares them again.
 */
export class ShownPreviews {
  readonly #db: ReadableDb
  readonly #any: () => boolean
  #areShown = false

  constructor(db: ReadableDb) {
    this.#db = db
    const preview = db.prepare<[], number>('SELECT 1 FROM preview_files LIMIT 1').pluck()
    this.#any = () => preview.get() !== undefined
    this.#run(['CREATE TEMP VIEW IF NOT EXISTS recorded_sessions AS SELECT * FROM main.sessions'])
  }

  get areShown(): boolean {
    return this.#areShown
  }

  /**
   * Adapts the views to the current content of the database. Returns true if they changed. Call it between statements.
   */
  lookUp(): boolean {
    const any = this.#any()
    if (any === this.#areShown) return false
    const views = Object.entries<string>(WITH_PREVIEWS)
    this.#run(
      any
        ? views.map(([name, query]) => `CREATE TEMP VIEW ${name} AS ${query}`)
        : views.map(([name]) => `DROP VIEW temp.${name}`),
    )
    this.#areShown = any
    return true
  }

  /** The file is open for reading only; this concerns the temporary schema. */
  #run(statements: readonly string[]): void {
    this.#db.pragma('query_only = OFF')
    try {
      for (const sql of statements) this.#db.exec(sql)
    } finally {
      this.#db.pragma('query_only = ON')
    }
  }
}
