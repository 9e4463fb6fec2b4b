import { archiveFolder } from '../archive/archive-file.ts'
import { createArchiveReader } from '../archive/archive-reader.ts'
import type { ReadableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import type { PendingDeletion } from '../delete/pending-deletions.ts'
import { HiddenSessions } from './hidden-sessions.ts'
import { payloadHead, unpackPayload } from '../log/payload.ts'
import { createPricing, type Pricing } from '../pricing/pricing.ts'
import { OverBudget, type Budget } from './budget.ts'

type Value = string | number | bigint | null

/** Rows of a list. `isCut` is true if some were not read or shown; `lastRead` is the last row that was read. */
export interface Rows<Row> extends Array<Row> {
  isCut?: true
  lastRead?: Row
}

/** Gives a read handler one read-only connection, its prepared statements, and the call's budget. */
export interface Reader {
  readonly budget: Budget
  readonly pricing: Pricing
  /** Returns all rows at once: no cursor outlives the call. */
  all<Row>(sql: string, ...values: readonly Value[]): Row[]
  /**
   * Returns rows of a list in order, as many as time allows; if time runs out, `isCut` is true. A condition that rejects
   * many rows for each match must be combined with `aspy_in_time()`.
   */
  inTime<Row>(sql: string, ...values: readonly Value[]): Rows<Row>
  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined
  /** Parses the column `payload` and fills in its texts, from archives too. */
  payload(json: string): { [key: string]: unknown }
  /** Parses only the short fields of the column `payload`, as `payloadHead` does: for lists. */
  head(json: string): { [key: string]: unknown }
  /** The deletions that can still be undone, by session. */
  pendingDeletions(): ReadonlyMap<string, PendingDeletion>
  /** True while sessions are hidden: a search must read the row of each match, since full text has hidden ones too. */
  hidesSessions(): boolean
  /** True while figures include transcripts that are not imported yet. */
  showsPreviews(): boolean
  /** The sessions that this call does not see because their deletion can still be undone. */
  hiddenSessions(): readonly string[]
  /** The folder of the archives. */
  readonly archiveFolder: string
  /** Returns a text or block by its keyed hash (hex), from the database or an archive; null if it is no longer stored. */
  content(hash: string): string | null
  /** Caches a value between calls on this connection; cleared when the file is reopened. */
  cached<T>(key: string, maxAgeMs: (value: T) => number, make: () => T): T
}

/** Bounds the prepared statements: SQL is built from few parts, so only a bug exceeds this. */
const MAX_STATEMENTS = 500

/**
 * Wraps a connection. Adds the SQL functions `aspy_rank(score)`, which returns its argument, and `aspy_in_time()`, which
 * returns 1; both check the budget.
 */
export function createReader(db: ReadableDb, budget: Budget, pricing = createPricing()): Reader {
  db.function('aspy_in_time', { deterministic: false }, () => {
    budget.check()
    return 1
  })
  const statements = new Map<string, ReturnType<ReadableDb['prepare']>>()
  const kept = new Map<string, { readonly until: number; readonly value: unknown }>()
  db.function('aspy_rank', { deterministic: false }, (score: unknown) => {
    budget.check()
    return score
  })

  function statement(sql: string) {
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    // Views that hide sessions or show previews have no indexes of their own.
    const made = db.prepare(hidden.hasViews || hidden.withPreviews ? sql.replaceAll(/ INDEXED BY \w+/g, '') : sql)
    statements.set(sql, made)
    return made
  }

  const fetch = contentReader(db)
  const folder = archiveFolder(db.name)
  const archives = createArchiveReader(db, folder)

  const hidden = new HiddenSessions(db, () => {
    kept.clear()
    statements.clear()
  })
  const lookUpHidden = () => hidden.lookUp(budget.calls)

  function asksForHidden(values: readonly Value[]): boolean {
    lookUpHidden()
    return hidden.isAskedFor(values)
  }

  return {
    budget,
    pricing,
    payload: (json) => ({ ...unpackPayload(json, fetch, archives.fields) }),
    head: (json) => ({ ...payloadHead(json, fetch) }),
    archiveFolder: folder,
    pendingDeletions: hidden.pending,
    hidesSessions() {
      lookUpHidden()
      return hidden.hasViews
    },
    showsPreviews() {
      lookUpHidden()
      return hidden.withPreviews
    },
    hiddenSessions() {
      lookUpHidden()
      return hidden.ids
    },
    content: (hash) => fetch(hash) ?? archives.content(hash),
    all<Row>(sql: string, ...values: readonly Value[]) {
      if (asksForHidden(values)) return []
      const rows = statement(sql).all(...values) as Row[]
      return rows.some((row) => hidden.has(row)) ? rows.filter((row) => !hidden.has(row)) : rows
    },
    inTime<Row>(sql: string, ...values: readonly Value[]) {
      const rows: Rows<Row> = []
      lookUpHidden()
      try {
        for (const row of statement(sql).iterate(...values) as IterableIterator<Row>) {
          rows.lastRead = row
          // A page with hidden rows may be short, so it counts as cut: the next page continues after them.
          if (hidden.has(row)) rows.isCut = true
          else rows.push(row)
          budget.check()
        }
      } catch (error) {
        if (!(error instanceof OverBudget)) throw error
        rows.isCut = true
        budget.cut()
      }
      return rows
    },
    get<Row>(sql: string, ...values: readonly Value[]) {
      if (asksForHidden(values)) return undefined
      const row = statement(sql).get(...values) as Row | undefined
      return row === undefined || hidden.has(row) ? undefined : row
    },
    cached<T>(key: string, maxAgeMs: (value: T) => number, make: () => T) {
      lookUpHidden()
      const known = kept.get(key)
      if (known !== undefined && known.until > performance.now()) return known.value as T
      const value = make()
      if (kept.size > 20_000) kept.clear()
      kept.set(key, { until: performance.now() + maxAgeMs(value), value })
      return value
    },
  }
}
