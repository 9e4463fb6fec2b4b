import type { AnyEvent, Json } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Sighting } from '../log/log.ts'
import type { TableNames } from '../tables.ts'
import type { CalledTool } from './called-tool.ts'
import type { UsageFactsOf } from './usage-facts.ts'

/**
 * Tables derived from the log. A projection depends on nothing but the log, and gives the same rows whether it follows
 * events as they come or is rebuilt: what it makes of an event and its sightings may not depend on what came between.
 */
export interface Projection {
  /** Also the rebuild group of its tables in the catalogue. */
  readonly name: string
  /**
   * Returns the SQL that creates its tables, with their indexes, full text, views and triggers, tables first. `t` holds
   * the names of tables; `own` names an index or a trigger. A test compares it with the schema of a migrated database.
   */
  define(t: TableNames, own: (name: string) => string): readonly string[]
  /** Projections that its views show, or whose rows its index holds: they are made anew together. */
  readonly drawnFrom?: readonly string[]
  /** Prepares it for one connection. Statements name its tables through `context.tables`. */
  open(context: ProjectionContext): OpenProjection
}

export interface OpenProjection {
  /**
   * Takes in a new event; events come in the order of the log. `links`: of one that the log had never held before; else
   * they are looked up.
   */
  apply(event: AnyEvent, links?: NewLinks): void
  /** Takes in what a further sighting adds to an event; `before` are those that came earlier. */
  applySighting?(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void
  /**
   * Sightings of an event that stays are deleted: `before` were there, `after` are left. Sums over all sessions need not
   * see to it: an event is taken off them as it was, and added as it is.
   */
  loseSightings?(event: AnyEvent, before: readonly Sighting[], after: readonly Sighting[]): void
  /** The call that named the tool of a result is deleted, and the result stays. */
  loseCall?(resultId: number): void
  /** An event's words were changed in the log, and its row's columns with them: what else is drawn from them is redrawn. */
  reword?(event: AnyEvent): void
  /** An event got further keys, or keys of a better parent. */
  applyLinks?(uuid: string): void
  /** The transaction ends: what was gathered is written. */
  flush?(): void
  /** The transaction ends, and all projections are flushed: full text is filled. */
  index?(): void
  /** The transaction was rolled back: what was gathered or read is forgotten. */
  discard?(): void
}

/** What ties a new event to others. */
export interface NewLinks {
  /** Those that it was just given. */
  readonly keys: readonly string[]
  /** Of better parents than the one that it names, none of them known. */
  readonly awaited: readonly string[]
}

export interface ProjectionContext {
  readonly prepare: WritableDb['prepare']
  /** Names of the tables to fill. */
  readonly tables: TableNames
  readonly usageFacts: UsageFactsOf
  /**
   * JSON for the column of a call's input or a result's output, which `payload` holds: whole where it is short, long strings
   * as references to `contents` where it is not.
   */
  readonly columnJson: (value: Json, payload: object) => string
  readonly calledTool: CalledTool
  /** What the column `parts` of recall's index holds of an event's text, where it was made before; else null. */
  readonly preparedParts: (payload: object) => string | null
}

/** A column for a truth value that may be unknown. */
export const flag = (value: boolean | null): number | null => (value === null ? null : Number(value))
