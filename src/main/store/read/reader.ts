import { archiveFolder } from '../archive/archive-file.ts'
import { createArchiveReader } from '../archive/archive-reader.ts'
import type { ReadableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { sessionsUnderDeletion } from '../delete/deletions.ts'
import { payloadHead, unpackPayload } from '../log/payload.ts'
import { createPricing, type Pricing } from '../pricing/pricing.ts'
import { OverBudget, type Budget } from './budget.ts'

type Value = string | number | bigint | null

/** Rows of a list; `isCut`: not all were read or shown, the last of them being `lastRead`. */
export interface Rows<Row> extends Array<Row> {
  isCut?: true
  lastRead?: Row
}

/** What a reading handler works with: one read-only connection, its statements prepared once, and the call's budget. */
export interface Reader {
  readonly budget: Budget
  readonly pricing: Pricing
  /** All rows at once: no cursor outlives the call. */
  all<Row>(sql: string, ...values: readonly Value[]): Row[]
  /**
   * Rows of a list in their order, as many as time allows: where it is up there are fewer, and `isCut` says so. A condition
   * that passes over many rows for each one that fits has `aspy_in_time()` beside it.
   */
  inTime<Row>(sql: string, ...values: readonly Value[]): Rows<Row>
  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined
  /** The column `payload` with its texts in their places, read through archives. */
  payload(json: string): { [key: string]: unknown }
  /** The short fields of the column `payload` alone, as `payloadHead` gives them: for lists. */
  head(json: string): { [key: string]: unknown }
  /** Where archives lie. */
  readonly archiveFolder: string
  /** A text or block by its keyed hash (hex), of the database or of an archive; null where it is not stored any more. */
  content(hash: string): string | null
  /** Something worth keeping between calls on this connection; forgotten when the file is reopened. */
  cached<T>(key: string, maxAgeMs: (value: T) => number, make: () => T): T
}

/** The most statements kept: texts are built from few parts, so only a mistake goes past it. */
const MAX_STATEMENTS = 500

/** Wraps a connection. Adds the SQL functions `aspy_rank(score)`, which gives its argument back, and
 * `aspy_in_time()`, which gives 1; both watch the budget. */
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
    const made = db.prepare(sql)
    statements.set(sql, made)
    return made
  }

  const fetch = contentReader(db)
  const folder = archiveFolder(db.name)
  const archives = createArchiveReader(db, folder)

  const underDeletion = sessionsUnderDeletion(db)
  let hidden: ReadonlySet<unknown> = new Set()
  let lookedAt = -1

  /** Sessions that are being deleted, once a call. */
  function lookUpHidden(): void {
    if (lookedAt === budget.calls) return
    lookedAt = budget.calls
    hidden = new Set(underDeletion())
  }

  /** Whether what is asked for is such a session: sums over its rows do not name it. */
  function asksForHidden(values: readonly Value[]): boolean {
    lookUpHidden()
    return hidden.size > 0 && values.some((value) => hidden.has(value))
  }

  /** Whether a row is of such a session. */
  function isHidden(row: unknown): boolean {
    if (hidden.size === 0) return false
    const { session_id, id } = row as { readonly session_id?: unknown; readonly id?: unknown }
    return hidden.has(session_id) || hidden.has(id)
  }

  return {
    budget,
    pricing,
    payload: (json) => ({ ...unpackPayload(json, fetch, archives.fields) }),
    head: (json) => ({ ...payloadHead(json, fetch) }),
    archiveFolder: folder,
    content: (hash) => fetch(hash) ?? archives.content(hash),
    all<Row>(sql: string, ...values: readonly Value[]) {
      if (asksForHidden(values)) return []
      const rows = statement(sql).all(...values) as Row[]
      return rows.some(isHidden) ? rows.filter((row) => !isHidden(row)) : rows
    },
    inTime<Row>(sql: string, ...values: readonly Value[]) {
      const rows: Rows<Row> = []
      lookUpHidden()
      try {
        for (const row of statement(sql).iterate(...values) as IterableIterator<Row>) {
          rows.lastRead = row
          // A page that others would have filled goes on with the next.
          if (isHidden(row)) rows.isCut = true
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
      return row === undefined || isHidden(row) ? undefined : row
    },
    cached<T>(key: string, maxAgeMs: (value: T) => number, make: () => T) {
      const known = kept.get(key)
      if (known !== undefined && known.until > performance.now()) return known.value as T
      const value = make()
      if (kept.size > 20_000) kept.clear()
      kept.set(key, { until: performance.now() + maxAgeMs(value), value })
      return value
    },
  }
}
