import type { AnyEvent, Json } from '../../../shared/event.ts'
import type { ReadableDb, WritableDb } from '../database/connection.ts'
import type { Sighting } from '../log/log.ts'
import type { PreparedPayloads } from './prepared-payloads.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { loggedCacheBlocks } from './cache-blocks.ts'
import { createCalledTool } from './called-tool.ts'
import { createFactOf, type Fact } from './fact.ts'
import { createInRow } from './in-row.ts'
import { columnJson, isDrawn } from './column-json.ts'
import type { NewLinks, OpenProjection, Projection } from './projection.ts'
import { tableNames, type TableNames } from '../tables.ts'
import { createUsageFacts } from './usage-facts.ts'

/** Projections over one writer; each event is passed to all of them. */
export interface ProjectionSet extends Required<
  Omit<OpenProjection, 'index' | 'change' | 'loseCall' | 'loseSightings'>
> {
  /** Removes an event of a session that is being deleted from sums over all sessions. Call it while the log holds the event. */
  remove(event: AnyEvent, sightings: readonly Sighting[]): void
  /** Called if sightings of an event that stays are deleted: `before` existed, `after` remain. */
  loseSightings(event: AnyEvent, before: readonly Sighting[], after: readonly Sighting[]): void
  /**
   * Called before the call that named a result's tool is deleted. The returned function is called afterwards, with the
   * reloaded result.
   */
  loseCall(result: AnyEvent, sightings: readonly Sighting[]): (again: AnyEvent) => void
  /** Runs `flush` in steps: rows first, then one full-text index after another. */
  flushInSteps(): Generator<void, void, void>
}

export interface ProjectionOptions {
  readonly db: WritableDb
  readonly pricing: Pricing
  /** The store's keyed hash. */
  readonly hash: (text: string) => string
  /** The database with the events; `db` by default. */
  readonly log?: Pick<WritableDb, 'prepare'>
  /** The tables to fill; the current ones by default. */
  readonly tables?: TableNames
  readonly prepared?: PreparedPayloads | undefined
}

/** Opens projections over a writer. */
export function openProjections(
  projections: readonly Projection[],
  { db, pricing, hash, log = db, tables = tableNames(), prepared }: ProjectionOptions,
): ProjectionSet {
  const makeColumn = lastRemembered((value: Json) => columnJson(value, hash))
  const isInRow = createInRow(log.prepare.bind(log) as ReadableDb['prepare'])
  const usageFacts = createUsageFacts(pricing)
  const calledTool = createCalledTool(log.prepare.bind(log) as ReadableDb['prepare'])
  const factOf = createFactOf(usageFacts, calledTool)
  const context = {
    prepare: db.prepare.bind(db) as WritableDb['prepare'],
    tables,
    requestBlocks: loggedCacheBlocks(log.prepare.bind(log) as ReadableDb['prepare']),
    usageFacts,
    pricing,
    prepareLog: log.prepare.bind(log) as ReadableDb['prepare'],
    preparedParts: (payload: object) => prepared?.of(payload)?.parts ?? null,
    calledTool,
    columnJson: (value: Json, payload: object) => prepared?.of(payload)?.column ?? makeColumn(value),
    isDrawn: (value: Json, payload: object) => prepared?.of(payload)?.isDrawn ?? isDrawn(makeColumn(value)),
    isInline: (event: AnyEvent) => prepared?.of(event.payload)?.isInline ?? isInRow(event),
  }
  const open = projections.map((projection) => projection.open(context))
  const indexed = open.filter((projection) => projection.index)
  function* flushInSteps(): Generator<void, void, void> {
    for (const projection of open) projection.flush?.()
    // Last: a different statement in between would make SQLite write half-filled indexes out.
    for (const projection of indexed) {
      yield
      projection.index?.()
    }
    yield
  }
  const seesSightings = open.filter((projection) => projection.applySighting)
  const counting = open.filter((projection) => projection.change)
  const change = (event: AnyEvent, was: Fact | null, is: Fact | null): void => {
    for (const projection of counting) projection.change?.(event, was, is)
  }
  const seesLinks = open.filter((projection) => projection.applyLinks)
  return {
    apply(event: AnyEvent, links?: NewLinks) {
      for (const projection of open) projection.apply?.(event, links)
      if (counting.length > 0) change(event, null, factOf(event, []))
    },
    applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]) {
      for (const projection of seesSightings) projection.applySighting?.(event, sighting, before)
      if (counting.length > 0 && sighting.payload !== null)
        change(event, factOf(event, before), factOf(event, [...before, sighting]))
    },
    remove(event, sightings) {
      change(event, factOf(event, sightings), null)
    },
    loseSightings(event, before, after) {
      for (const projection of open) projection.loseSightings?.(event, after)
      change(event, factOf(event, before), factOf(event, after))
    },
    loseCall(result, sightings) {
      const was = factOf(result, sightings)
      return (again) => {
        for (const projection of open) projection.loseCall?.(again.id)
        change(again, was, factOf(again, sightings))
      }
    },
    reword(event) {
      for (const projection of open) projection.reword?.(event)
    },
    applyLinks(uuid) {
      for (const projection of seesLinks) projection.applyLinks?.(uuid)
    },
    flush() {
      for (const _ of flushInSteps());
    },
    flushInSteps,
    discard() {
      for (const projection of open) projection.discard?.()
    },
  }
}

/** Remembers the last answer: two projections need the JSON of the same value in a row. */
function lastRemembered(make: (value: Json) => string): (value: Json) => string {
  let last: { readonly value: Json; readonly json: string } | null = null
  return (value) => {
    if (last === null || last.value !== value) last = { value, json: make(value) }
    return last.json
  }
}
