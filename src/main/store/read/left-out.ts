import type { ReadableDb } from '../database/connection.ts'
import { UNDER_DELETION } from '../delete/deletions.ts'

/**
 * The sessions that a reading connection leaves out: partly deleted ones, and those whose deletion is pending. Rows that
 * name a session are filtered. Sums over all sessions follow when the deletion is complete.
 */
export class LeftOut {
  readonly #read: () => readonly string[]
  readonly #onChanged: () => void
  #ids: ReadonlySet<unknown> = new Set()

  /** `onChanged` is called when the set of omitted sessions changes. */
  constructor(db: ReadableDb, onChanged: () => void) {
    const ids = db.prepare<[], string>(UNDER_DELETION).pluck()
    this.#read = () => ids.all()
    this.#onChanged = onChanged
  }

  get isAny(): boolean {
    return this.#ids.size > 0
  }

  /** Finds the sessions. Call it between statements. */
  lookUp(): void {
    const ids = new Set<unknown>(this.#read())
    const isSame = ids.size === this.#ids.size && ids.isSubsetOf(this.#ids)
    this.#ids = ids
    if (!isSame) this.#onChanged()
  }

  /** Returns true if one of these values is such a session: sums over its rows do not contain the id. */
  isAskedFor(values: readonly unknown[]): boolean {
    return this.#ids.size > 0 && values.some((value) => this.#ids.has(value))
  }

  /** Returns true if a row belongs to such a session. */
  has(row: unknown): boolean {
    if (this.#ids.size === 0) return false
    const { session_id, id } = row as { readonly session_id?: unknown; readonly id?: unknown }
    return this.#ids.has(session_id) || this.#ids.has(id)
  }
}
