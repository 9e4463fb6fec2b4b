import type { AnyEvent, Json } from '../../../shared/event.ts'
import type { ReadableDb, WritableDb } from '../database/connection.ts'
import type { Sighting } from '../log/log.ts'
import type { Pricing } from '../pricing/pricing.ts'
import type { Rename } from '../schema/define-table.ts'
import type { TableNames } from '../tables.ts'
import type { CacheBlocks } from './cache-blocks.ts'
import type { CalledTool } from './called-tool.ts'
import type { Fact } from './fact.ts'
import type { UsageFactsOf } from './usage-facts.ts'

/**
 * Tables derived from the log. A projection depends only on the log and produces the same rows whether it follows
 * events as they arrive or is rebuilt: the result for an event and its sightings must not depend on other events in
 * between.
 */
export interface Projection {
  /** Also the rebuild group of its tables in the catalogue. */
  readonly name: string
  /**
   * Returns the SQL that creates the objects after its tables: full text, views and triggers. `t` holds the names of
   * tables; `own` names a trigger.
   */
  define?(t: TableNames, own: Rename): readonly string[]
  /** Projections that its views show or whose rows its index holds: they are rebuilt together. */
  readonly drawnFrom?: readonly string[]
  /** Prepares it for one connection. Statements name its tables through `context.tables`. */
  open(context: ProjectionContext): OpenProjection
}

export interface OpenProjection {
  /**
   * Receives a new event, in the order of the log. `links` is set if the log had never held the event; otherwise links are
   * looked up.
   */
  apply?(event: AnyEvent, links?: NewLinks): void
  /** Receives the additions of a further sighting to an event; `before` holds the earlier sightings. */
  applySighting?(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void
  /**
   * The only way into sums: an event now counts as `is` and no longer as `was`. null: it is new, or was removed. Called
   * after `apply` and `applySighting`.
   */
  change?(event: AnyEvent, was: Fact | null, is: Fact | null): void
  /** Called if sightings of an event that stays are deleted, with those that remain. */
  loseSightings?(event: AnyEvent, after: readonly Sighting[]): void
  /** Called if the call that named a result's tool is deleted and the result stays. */
  loseCall?(resultId: number): void
  /**
   * Called if an event's text was changed in the log and its row's columns with it: updates the other data derived from
   * it.
   */
  reword?(event: AnyEvent): void
  /** Called if an event got further keys, or keys of a better parent. */
  applyLinks?(uuid: string): void
  /** Writes collected rows at the end of a transaction. */
  flush?(): void
  /** Fills full text at the end of a transaction, after all projections were flushed. */
  index?(): void
  /** Discards collected and cached data after a rollback. */
  discard?(): void
}

/** The keys that connect a new event to others. */
export interface NewLinks {
  /** The event's own new keys. */
  readonly keys: readonly string[]
  /** Keys of better parents than the one it names, all of them unknown. */
  readonly awaited: readonly string[]
}

export interface ProjectionContext {
  readonly prepare: WritableDb['prepare']
  /** The names of the tables to fill. */
  readonly tables: TableNames
  readonly usageFacts: UsageFactsOf
  readonly pricing: Pick<Pricing, 'price' | 'parts'>
  /** Prepares a statement that reads the log. */
  readonly prepareLog: ReadableDb['prepare']
  /**
   * Returns JSON for the column of a call's input or a result's output in `payload`: whole if it is short, otherwise with
   * long strings as references to `contents`.
   */
  readonly columnJson: (value: Json, payload: object) => string
  /** True if `tool_texts` derives the search text of a call's input or a result's output in `payload`. */
  readonly isDrawn: (value: Json, payload: object) => boolean
  /** True if the row of an event in the log holds the text that a view shows word for word, so that the view reads it there. */
  readonly isInline: (event: AnyEvent) => boolean
  readonly calledTool: CalledTool
  /** The blocks of recorded requests, for the ledgers of the cache and of life cost. */
  readonly requestBlocks: CacheBlocks
  /** Returns the prepared `parts` column of recall's index for an event's text; null if there is none. */
  readonly preparedParts: (payload: object) => string | null
}

/** Converts a boolean that may be unknown to a column value. */
export const flag = (value: boolean | null): number | null => (value === null ? null : Number(value))
