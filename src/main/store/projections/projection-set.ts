import type { AnyEvent, Json } from '../../../shared/event.ts'
import type { ReadableDb, WritableDb } from '../database/connection.ts'
import type { Sighting } from '../log/log.ts'
import type { PreparedPayloads } from './prepared-payloads.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { loggedCacheBlocks } from './cache-blocks.ts'
import { createCalledTool } from './called-tool.ts'
import { createInRow } from './in-row.ts'
import { columnJson, isDrawn } from './column-json.ts'
import type { NewLinks, OpenProjection, Projection } from './projection.ts'
import { tableNames, type TableNames } from '../tables.ts'
import { createUsageFacts } from './usage-facts.ts'

/** Projections over one writer; each event goes to all of them. */
export interface ProjectionSet extends Required<Omit<OpenProjection, 'index'>> {
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
  const context = {
    prepare: db.prepare.bind(db) as WritableDb['prepare'],
    tables,
    requestBlocks: loggedCacheBlocks(log.prepare.bind(log) as ReadableDb['prepare']),
    usageFacts: createUsageFacts(pricing),
    pricing,
    prepareLog: log.prepare.bind(log) as ReadableDb['prepare'],
    preparedParts: (payload: object) => prepared?.of(payload)?.parts ?? null,
    calledTool: createCalledTool(log.prepare.bind(log) as ReadableDb['prepare']),
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
  const seesLinks = open.filter((projection) => projection.applyLinks)
  return {
    apply(event: AnyEvent, links?: NewLinks) {
      for (const projection of open) projection.apply(event, links)
    },
    applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]) {
      for (const projection of seesSightings) projection.applySighting?.(event, sighting, before)
    },
    loseSightings(event, before, after) {
      for (const projection of open) projection.loseSightings?.(event, before, after)
    },
    loseCall(resultId) {
      for (const projection of open) projection.loseCall?.(resultId)
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
