import { note, removeNote } from '../database/metadata.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import { noSession, type Tombstone } from './tombstones.ts'

/** A requested deletion of one or more sessions, kept in `metadata` until it is complete. Until it begins, it can be undone. */
export interface RequestedDeletion {
  /** Number of sessions that it deletes. */
  readonly sessions: number
  /** When it begins (ISO 8601). */
  readonly undo_until: string
  /** A person has seen that it can be undone. */
  readonly is_seen: boolean
  readonly has_begun: boolean
}

/** `deletion:<id>` (a UUIDv7) holds the deletion, `pending:<session>` the id of the session's deletion. */
const [DELETION, PENDING] = ['deletion:', 'pending:']
/** Ranges of keys that cover any id: ';' follows ':'. */
const DELETIONS = "key >= 'deletion:' AND key < 'deletion;'"
const SESSIONS = "key >= 'pending:' AND key < 'pending;'"

/** A deletion with its id and the sessions that it has not deleted yet. */
export interface ListedDeletion extends RequestedDeletion {
  readonly id: string
  readonly ids: readonly string[]
}

/** Lists the requested deletions, oldest first. `read` runs a query. */
export function requestedDeletions(
  read: (sql: string) => readonly { readonly key: string; readonly value: string }[],
): readonly ListedDeletion[] {
  const deletions = read(`SELECT key, value FROM metadata WHERE ${DELETIONS} ORDER BY key`)
  if (deletions.length === 0) return []
  const idsOf = Map.groupBy(read(`SELECT key, value FROM metadata WHERE ${SESSIONS}`), ({ value }) => value)
  return deletions.map(({ key, value }) => {
    const id = key.slice(DELETION.length)
    const ids = (idsOf.get(id) ?? []).map((row) => row.key.slice(PENDING.length))
    return { ...(JSON.parse(value) as RequestedDeletion), id, ids }
  })
}

interface PendingDeletionsParts {
  readonly db: WritableDb
  /** Commits an import's open transaction. */
  readonly closeOpen: () => void
}

/** Deletions that wait, and can be undone until they begin. Their sessions stay stored, and so do new events of them. */
export class PendingDeletions {
  readonly #parts: PendingDeletionsParts

  constructor(parts: PendingDeletionsParts) {
    this.#parts = parts
  }

  list(): readonly ListedDeletion[] {
    return translated(() => this.#list())
  }

  /**
   * Requests one deletion of all these sessions. Those whose deletion was requested before wait for this one instead, unless
   * it has begun. Returns how many there are.
   * @throws AspyError not_found if none of them is known
   */
  request(id: string, sessionIds: readonly string[], undoUntil: string): number {
    return this.#transact((db) => {
      const known = db
        .prepare<[string], string>(
          `SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM events e WHERE e.session_id = value)
             OR EXISTS (SELECT 1 FROM preview_sessions p WHERE p.session_id = value)`,
        )
        .pluck()
        .all(JSON.stringify([...new Set(sessionIds)]))
      const begun = new Set(this.#list().flatMap(({ has_begun, ids }) => (has_begun ? ids : [])))
      const free = known.filter((session) => !begun.has(session))
      const [only = '', ...others] = sessionIds
      if (free.length === 0 && others.length === 0)
        throw noSession((sql, given) => db.prepare<[string], Tombstone>(sql).get(given), only)
      if (free.length === 0) throw new AspyError('not_found', `there is no ${named(sessionIds)}`)
      for (const session of free) note(db, PENDING + session, id)
      this.#keepCounts(db)
      save(db, id, { sessions: free.length, undo_until: undoUntil, is_seen: false, has_begun: false })
      return free.length
    })
  }

  /** Moves the begin of the deletions of these sessions, because a person now sees that they can be undone. Returns their ids. */
  see(sessionIds: readonly string[], undoUntil: string): readonly string[] {
    return this.#transact((db) => {
      const wanted = new Set(sessionIds)
      const unseen = this.#list().filter(
        ({ has_begun, is_seen, ids }) => !has_begun && !is_seen && ids.some((session) => wanted.has(session)),
      )
      for (const { id, sessions } of unseen)
        save(db, id, { sessions, undo_until: undoUntil, is_seen: true, has_begun: false })
      return unseen.map(({ id }) => id)
    })
  }

  /**
   * Keeps these sessions after all. Returns how many.
   * @throws AspyError not_found if it is too late for all of them
   */
  undo(sessionIds: readonly string[]): number {
    return this.#transact((db) => {
      const waiting = new Set(this.#list().flatMap(({ has_begun, ids }) => (has_begun ? [] : ids)))
      const kept = [...new Set(sessionIds)].filter((session) => waiting.has(session))
      if (kept.length === 0)
        throw new AspyError('not_found', `the deletion of ${named(sessionIds)} can no longer be undone`)
      for (const session of kept) endPending(db, session)
      this.#keepCounts(db)
      return kept.length
    })
  }

  /** Begins a deletion: it can no longer be undone. Returns the sessions that are left to delete; null if it was undone. */
  begin(id: string): readonly string[] | null {
    return this.#transact((db) => {
      const deletion = this.#list().find((one) => one.id === id)
      if (deletion === undefined) return null
      const { sessions, undo_until, is_seen, ids } = deletion
      save(db, id, { sessions, undo_until, is_seen, has_begun: true })
      return ids
    })
  }

  /** Forgets a session that is deleted already. */
  forget(sessionId: string): void {
    this.#transact((db) => endPending(db, sessionId))
  }

  /** Forgets a deletion that is complete. */
  finish(id: string): void {
    this.#transact((db) => removeNote(db, DELETION + id))
  }

  #list(): readonly ListedDeletion[] {
    return requestedDeletions((sql) => this.#parts.db.prepare<[], { key: string; value: string }>(sql).all())
  }

  /** Recounts after sessions have left deletions that are still waiting; deletions without sessions are forgotten. */
  #keepCounts(db: WritableDb): void {
    for (const { id, ids, undo_until, is_seen, has_begun } of this.#list()) {
      if (has_begun) continue
      if (ids.length === 0) removeNote(db, DELETION + id)
      else save(db, id, { sessions: ids.length, undo_until, is_seen, has_begun })
    }
  }

  #transact<T>(work: (db: WritableDb) => T): T {
    const { db, closeOpen } = this.#parts
    closeOpen()
    return translated(() => db.transaction(() => work(db)).immediate())
  }
}

/** Ends the wait of a session: it is deleted now. Runs within a transaction. */
export function endPending(db: WritableDb, sessionId: string): void {
  removeNote(db, PENDING + sessionId)
}

const named = ([first, ...more]: readonly string[]): string =>
  more.length === 0 ? `session ${first}` : `session ${first}, nor any of the ${more.length} others`

function save(db: WritableDb, id: string, deletion: RequestedDeletion): void {
  note(db, DELETION + id, JSON.stringify(deletion))
}
