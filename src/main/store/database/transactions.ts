import type { WritableDb } from './connection.ts'

/** The writer's transactions. An import's stays open over several slices, so that more is written at once. */
export type Transactions = ReturnType<typeof createTransactions>

export interface TransactionSteps {
  begun(): void
  /** Called before the commit: writes collected rows, in steps. */
  ending(): Generator<void, void, void>
  committed(): void
  rolledBack(): void
}

export function createTransactions(db: WritableDb, steps: TransactionSteps) {
  let isOpen = false
  let failure: unknown = null

  function begin(): void {
    db.exec('BEGIN IMMEDIATE')
    steps.begun()
  }

  function end(): void {
    attempt(() => {
      for (const _ of steps.ending());
      db.exec('COMMIT')
    })
    steps.committed()
  }

  /** Runs work within the transaction; rolls back if it fails. */
  function attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      isOpen = false
      // SQLite may have rolled back already, as it does on a full disk.
      if (db.inTransaction) db.exec('ROLLBACK')
      steps.rolledBack()
      throw error
    }
  }

  function throwFailure(): void {
    if (failure === null) return
    const error = failure
    failure = null
    throw error
  }

  /** Commits the open transaction. Throws the error of an earlier commit. */
  function settle(): void {
    throwFailure()
    if (!isOpen) return
    isOpen = false
    end()
  }

  /** Like `settle`, in steps. Anyone who writes between two steps commits the transaction first. */
  function* settleInSteps(): Generator<void, void, void> {
    throwFailure()
    const ending = steps.ending()
    while (isOpen && attempt(() => ending.next()).done !== true) yield
    settle()
  }

  /**
   * Commits the open transaction before other work. An error goes to the caller that left it open, on its next call.
   */
  function close(): void {
    if (!isOpen) return
    try {
      settle()
    } catch (error) {
      failure = error
    }
  }

  return {
    /** Runs work in its own transaction; first commits an import's open transaction. */
    run<T>(work: () => T): T {
      close()
      begin()
      const result = attempt(work)
      end()
      return result
    },
    /** Runs a slice of the transaction that stays open; the first slice begins it. Throws the error of an earlier commit. */
    slice<T>(work: () => T): T {
      throwFailure()
      if (!isOpen) begin()
      isOpen = true
      return attempt(work)
    },
    /** True if slices left a transaction open that nobody has committed yet. */
    isOpen: () => isOpen,
    settle,
    settleInSteps,
    close,
  }
}
