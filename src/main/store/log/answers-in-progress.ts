import { isProcessAlive } from '../../base/is-process-alive.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import type { Tombstones } from '../delete/tombstones.ts'
import { limitDraft, type Limits } from './limits.ts'

/** A process of Aspy: its id alone may be that of another program, or of its own predecessor. */
export interface Run {
  readonly pid: number
  /** ms since the epoch. */
  readonly startedAt: number
}

/** An answer that has not ended, as it would be if it ended now; redacted. */
export interface AwaitedAnswer {
  readonly exchangeId: string
  readonly sessionId: string
  readonly drafts: readonly AnyDraft[]
}

/** What an answer would be if it ended now, kept until it does. No part of the log. */
export type AnswersInProgress = ReturnType<typeof createAnswersInProgress>

export function createAnswersInProgress(db: WritableDb, own: Run, tombstones: Pick<Tombstones, 'has'>, limits: Limits) {
  const keep = db.prepare<[string, string, number, number, string]>(
    'INSERT OR REPLACE INTO answers_in_progress (exchange_id, session_id, pid, started_at, drafts) VALUES (?, ?, ?, ?, ?)',
  )
  const end = db.prepare<[string]>('DELETE FROM answers_in_progress WHERE exchange_id = ?')
  const others = db.prepare<[number], { exchangeId: string; pid: number; drafts: string; isOpen: number }>(
    `SELECT exchange_id AS exchangeId, pid, drafts, EXISTS (
       SELECT 1 FROM key_rows WHERE key >= 'exchange:' || exchange_id || ':' AND key < 'exchange:' || exchange_id || ';'
     ) AND NOT EXISTS (
       SELECT 1 FROM key_rows WHERE key = 'exchange:' || exchange_id || ':response'
     ) AS isOpen FROM answers_in_progress WHERE started_at <> ?`,
  )
  const isOver = (row: { readonly pid: number }) => row.pid === own.pid || !isProcessAlive(row.pid)
  return {
    /** Replaces what is kept of an answer that a run, or else this one, records. Leaves out what the settings exclude. */
    keep({ exchangeId, sessionId, drafts }: AwaitedAnswer, { pid, startedAt } = own) {
      translated(() => {
        if (tombstones.has(sessionId)) end.run(exchangeId)
        else {
          const limited = drafts.map((draft) => limitDraft(draft, limits))
          keep.run(exchangeId, sessionId, pid, startedAt, JSON.stringify(limited))
        }
      })
    },
    /** The answer is in the log, or will never be. */
    ended: (exchangeId: string) => void translated(() => end.run(exchangeId)),
    /**
     * Returns the answers of apps that have ended without recording their end; `drafts` is JSON. Forgets those whose request
     * such an app did not store, and those whose end is stored.
     */
    interrupted: () =>
      translated(() => {
        const over = others.all(own.startedAt).filter(isOver)
        for (const { exchangeId, isOpen } of over) if (isOpen === 0) end.run(exchangeId)
        return over.filter(({ isOpen }) => isOpen === 1)
      }),
  }
}
