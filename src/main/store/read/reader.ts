import { archiveFolder } from '../archive/archive-file.ts'
import { createArchiveReader } from '../archive/archive-reader.ts'
import { hasQuotation } from '../../base/quotation.ts'
import type { ReadableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { payloadHead, unpackPayload } from '../log/payload.ts'
import { createPricing, type Pricing } from '../pricing/pricing.ts'
import { OverBudget, type Budget } from './budget.ts'
import { LeftOut } from './left-out.ts'
import { ShownPreviews } from './shown-previews.ts'

/** Names of accounts, by the beginning of their keyed hash. */
export type AccountNames = Readonly<Record<string, string>>

type Hash = ((text: string) => string) | null
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
  /** The keyed hash of texts; null if the key is not known here. */
  readonly hash: Hash
  /** The user's names of accounts. */
  readonly accounts?: AccountNames
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
  /** True while sessions are left out, since they are being deleted: full text still has their words. */
  leavesSessionsOut(): boolean
  /** True while figures include transcripts that are not imported yet. */
  showsPreviews(): boolean
  readonly databasePath: string
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
 * Adds SQL functions: `aspy_rank(score)`, which returns its argument, and `aspy_in_time()`, which returns 1, count a row
 * and check the budget; `aspy_goes_on()`, which returns 1, checks it. `aspy_left()` returns 0 when time is up, so that a
 * condition reads no text of a further row.
 */
function addFunctions(db: ReadableDb, budget: Budget): void {
  db.function('aspy_in_time', { deterministic: false }, () => {
    budget.check()
    return 1
  })
  db.function('aspy_rank', { deterministic: false }, (score: unknown) => {
    budget.check()
    return score
  })

  db.function('aspy_left', { deterministic: false }, () => Number(budget.isLeft()))
  db.function('aspy_goes_on', { deterministic: false }, () => {
    if (!budget.isLeft()) throw new OverBudget('time is up')
    return 1
  })
  db.function('aspy_quotes', { deterministic: false }, (text: unknown, pattern: unknown) =>
    Number(hasQuotation(String(text), String(pattern))),
  )
}

/** Wraps a connection and adds the functions of queries to it. */
export function createReader(db: ReadableDb, budget: Budget, pricing = createPricing(), hash: Hash = null): Reader {
  addFunctions(db, budget)
  const statements = new Map<string, ReturnType<ReadableDb['prepare']>>()
  const kept = new Map<string, { readonly until: number; readonly value: unknown }>()

  function statement(sql: string) {
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    // Views that show previews have no indexes of their own.
    const made = db.prepare(previews.areShown ? sql.replaceAll(/ INDEXED BY \w+/g, '') : sql)
    statements.set(sql, made)
    return made
  }

  const fetch = contentReader(db)
  const folder = archiveFolder(db.name)
  const archives = createArchiveReader(db, folder)

  const previews = new ShownPreviews(db)
  const leftOut = new LeftOut(db, () => kept.clear())
  let lookedAt = -1

  /** Determines the data that this call shows, before its first statement. */
  function lookUp(): void {
    if (lookedAt === budget.calls) return
    lookedAt = budget.calls
    leftOut.lookUp()
    if (!previews.lookUp()) return
    kept.clear()
    statements.clear()
  }

  return {
    budget,
    pricing,
    hash,
    payload: (json) => ({ ...unpackPayload(json, fetch, archives.fields) }),
    head: (json) => ({ ...payloadHead(json, fetch) }),
    databasePath: db.name,
    archiveFolder: folder,
    leavesSessionsOut() {
      lookUp()
      return leftOut.isAny
    },
    showsPreviews() {
      lookUp()
      return previews.areShown
    },
    content: (hash) => fetch(hash) ?? archives.content(hash),
    all<Row>(sql: string, ...values: readonly Value[]) {
      lookUp()
      if (leftOut.isAskedFor(values)) return []
      const rows = statement(sql).all(...values) as Row[]
      return rows.some((row) => leftOut.has(row)) ? rows.filter((row) => !leftOut.has(row)) : rows
    },
    inTime<Row>(sql: string, ...values: readonly Value[]) {
      const rows: Rows<Row> = []
      lookUp()
      try {
        for (const row of statement(sql).iterate(...values) as IterableIterator<Row>) {
          rows.lastRead = row
          // A page without these rows may be short, so it counts as cut: the next page continues after them.
          if (leftOut.has(row)) rows.isCut = true
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
      lookUp()
      if (leftOut.isAskedFor(values)) return undefined
      const row = statement(sql).get(...values) as Row | undefined
      return row === undefined || leftOut.has(row) ? undefined : row
    },
    cached<T>(key: string, maxAgeMs: (value: T) => number, make: () => T) {
      lookUp()
      const known = kept.get(key)
      if (known !== undefined && known.until > performance.now()) return known.value as T
      const value = make()
      if (kept.size > 20_000) kept.clear()
      kept.set(key, { until: performance.now() + maxAgeMs(value), value })
      return value
    },
  }
}
