import type { WritableDb } from '../database/connection.ts'

/** Pages of 4 KB that one statement merges: about 10 ms. */
const PAGES = 16
/** More segments than ever exist. */
const NEVER = 1999

/**
 * Keeps FTS5 from merging segments of these indexes when a transaction ends. It would merge hundreds of pages of several
 * large indexes in one commit, which then takes a quarter of a second and more.
 */
export function createMergedIndexes(db: WritableDb, indexes: readonly string[]) {
  for (const index of indexes) {
    db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('automerge', 0)`)
    db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('crisismerge', ${NEVER})`)
  }
  const merges = indexes.map((index) => createIndexMerge(db, index))
  const step = db.transaction((sliceMs: number): boolean => {
    const deadline = performance.now() + sliceMs
    for (const merge of merges) while (merge(PAGES)) if (performance.now() >= deadline) return false
    return true
  })
  return {
    /** Merges segments whenever FTS5 itself would; each step takes about `sliceMs` and commits. */
    *mergeInSteps(sliceMs: number): Generator<void, void, void> {
      while (!step.immediate(sliceMs)) yield
    },
    /** Lets FTS5 merge again, as in an index that was never changed. Runs `unlocked`, within a transaction. */
    restore() {
      for (const index of indexes) db.exec(`DELETE FROM ${index}_config WHERE k IN ('automerge', 'crisismerge')`)
    },
  }
}

/**
 * Returns a function that merges about the given number of pages of a full-text index and returns whether anything was
 * merged. A negative count starts a merge into one segment, as `optimize` does.
 */
export function createIndexMerge(db: WritableDb, index: string): (pages: number) => boolean {
  const merge = db.prepare<[number]>(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`)
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  return (pages) => {
    const before = changes.get() ?? 0
    merge.run(pages)
    // The statement itself counts as one change; any more means that something was merged.
    return (changes.get() ?? 0) - before > 1
  }
}
