import type { ReadableDb } from '../database/connection.ts'
import { sessionsUnderDeletion } from '../delete/deletions.ts'
import { pendingDeletions, type PendingDeletion } from '../delete/pending-deletions.ts'
import { showInViews } from './hide-sessions.ts'

const NONE = '[]'

/** The sessions that one reading connection must not show: half deleted ones, and those whose deletion can be undone. */
export class HiddenSessions {
  /** Returns the deletions that can still be undone. */
  readonly pending: () => ReadonlyMap<string, PendingDeletion>
  readonly #db: ReadableDb
  readonly #underDeletion: () => readonly string[]
  readonly #onChanged: () => void
  readonly #anyPreview: () => boolean
  #hidden: ReadonlySet<unknown> = new Set()
  /** The pending deletions whose sessions the connection's views leave out, as JSON. */
  #leftOut = NONE
  #withPreviews = false
  #lookedAt = -1
  #ids: readonly string[] = []

  /** `onChanged` is called when the views of the connection have changed. */
  constructor(db: ReadableDb, onChanged: () => void) {
    this.#db = db
    this.#onChanged = onChanged
    this.#underDeletion = sessionsUnderDeletion(db)
    this.pending = pendingDeletions(db)
    const preview = db.prepare<[], number>('SELECT 1 FROM main.preview_files LIMIT 1').pluck()
    this.#anyPreview = () => preview.get() !== undefined
    showInViews(db, { hidden: new Map(), withPreviews: false })
  }

  /** The sessions that views hide. */
  get ids(): readonly string[] {
    return this.#ids
  }

  /** True if views hide sessions. */
  get hasViews(): boolean {
    return this.#leftOut !== NONE
  }

  /** True if views show previews of an import. */
  get withPreviews(): boolean {
    return this.#withPreviews
  }

  /** Finds the hidden sessions, once per `call`. Call it between statements. */
  lookUp(call: number): void {
    if (this.#lookedAt === call) return
    this.#lookedAt = call
    this.#hidden = new Set(this.#underDeletion())
    const pending = this.pending()
    const leftOut = JSON.stringify([...pending])
    const withPreviews = this.#anyPreview()
    if (leftOut === this.#leftOut && withPreviews === this.#withPreviews) return
    showInViews(this.#db, { hidden: pending, withPreviews })
    this.#leftOut = leftOut
    this.#withPreviews = withPreviews
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
