import type { ReadableDb } from '../database/connection.ts'
import { sessionsUnderDeletion } from '../delete/deletions.ts'
import { pendingDeletions, type PendingDeletion } from '../delete/pending-deletions.ts'
import { hideSessions } from './hide-sessions.ts'

const NONE = '[]'

/** The sessions that one reading connection must not show: half deleted ones, and those whose deletion can be undone. */
export class HiddenSessions {
  /** Returns the deletions that can still be undone. */
  readonly pending: () => ReadonlyMap<string, PendingDeletion>
  readonly #db: ReadableDb
  readonly #underDeletion: () => readonly string[]
  readonly #onChanged: () => void
  #hidden: ReadonlySet<unknown> = new Set()
  /** The pending deletions whose sessions the connection's views leave out, as JSON. */
  #leftOut = NONE
  #ids: readonly string[] = []

  /** `onChanged` is called when the views of the connection have changed. */
  constructor(db: ReadableDb, onChanged: () => void) {
    this.#db = db
    this.#onChanged = onChanged
    this.#underDeletion = sessionsUnderDeletion(db)
    this.pending = pendingDeletions(db)
  }

  /** The sessions that views hide. */
  get ids(): readonly string[] {
    return this.#ids
  }

  /** True if views hide sessions. */
  get hasViews(): boolean {
    return this.#leftOut !== NONE
  }

  /** Finds the hidden sessions. Call it between statements. */
  lookUp(): void {
    this.#hidden = new Set(this.#underDeletion())
    const pending = this.pending()
    const leftOut = JSON.stringify([...pending])
    if (leftOut === this.#leftOut) return
    hideSessions(this.#db, pending)
    this.#leftOut = leftOut
    this.#ids = [...pending.keys()]
    this.#onChanged()
  }

  /** Returns true if a half deleted session is asked for by id: sums over its rows do not contain the id. */
  isAskedFor(values: readonly unknown[]): boolean {
    return this.#hidden.size > 0 && values.some((value) => this.#hidden.has(value))
  }

  /** Returns true if a row belongs to a half deleted session. */
  has(row: unknown): boolean {
    if (this.#hidden.size === 0) return false
    const { session_id, id } = row as { readonly session_id?: unknown; readonly id?: unknown }
    return this.#hidden.has(session_id) || this.#hidden.has(id)
  }
}
