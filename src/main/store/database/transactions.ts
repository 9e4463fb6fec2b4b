import type { WritableDb } from './connection.ts'

/** The writer's transactions. That of an import stays open over several slices: what each writes is gathered longer. */
export interface Transactions {
  /** Work in a transaction of its own; what an import left open is committed before it. */
  run<T>(work: () => T): T
  /** A slice of the transaction that stays open; the first slice begins it. Throws what became of an earlier one. */
  slice<T>(work: () => T): T
  /** Commits what is open. Throws what became of an earlier one. */
  settle(): void
  /** The same, a step at a time, and nothing is written between two of them but by who commits it by the way. */
  settleInSteps(): Generator<void, void, void>
  /** The same before other work, which does not suffer for it: whoever left it open is told. */
  close(): void
}

export interface TransactionSteps {
  begun(): void
  /** All is written but what was gathered until now: it comes in steps. */
  ending(): Generator<void, void, void>
  committed(): void
  rolledBack(): void
}

export function createTransactions(db: WritableDb, steps: TransactionSteps): Transactions {
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

  /** Runs within the transaction, and ends it where that fails. */
  function attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      isOpen = false
      // SQLite may have done so by itself (a full disk).
      if (db.inTransaction) db.exec('ROLLBACK')
      steps.rolledBack()
      throw error
    }
  }

  function tell(): void {
    if (failure === null) return
    const told = failure
    failure = null
    throw told
  }

  function settle(): void {
    tell()
    if (!isOpen) return
    isOpen = false
    end()
  }

  function* settleInSteps(): Generator<void, void, void> {
    tell()
    const ending = steps.ending()
    while (isOpen && attempt(() => ending.next()).done !== true) yield
    settle()
  }

  function close(): void {
    if (!isOpen) return
    try {
      settle()
    } catch (error) {
      failure = error
    }
  }

  return {
    run(work) {
      close()
      begin()
      const result = attempt(work)
      end()
      return result
    },
    slice(work) {
      tell()
      if (!isOpen) begin()
      isOpen = true
      return attempt(work)
    },
    settle,
    settleInSteps,
    close,
  }
}
