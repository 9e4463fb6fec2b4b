import { closeLog, openLog } from '../database/metadata.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { AnyEvent } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import { createKeyedHash } from '../../base/keyed-hash.ts'
import { createFolderSpellings } from '../identity/folder-spellings.ts'
import { contentReader } from '../log/contents.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow } from '../log/log.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { PROJECTIONS } from '../projections/all.ts'
import { openProjections, type ProjectionSet } from '../projections/projection-set.ts'
import { createMergedIndexes } from './merged-indexes.ts'
import { createShadowTables, dropShadowTables, unlocked } from './shadow-tables.ts'

export interface RebuildOptions {
  readonly pricing: Pricing
  readonly hashKey: Uint8Array
  /** Names of projections; all by default. */
  readonly only?: readonly string[] | undefined
  /** Time that one step may take, in ms; it reads at least one page of events. */
  readonly sliceMs?: number | undefined
  /** Called within the transaction that puts the new tables into use, with the names of their projections. */
  readonly onSwap?: ((projections: readonly string[]) => void) | undefined
}

/** Progress of a rebuild. */
export interface RebuildProgress {
  readonly projections: number
  readonly events: number
  readonly events_done: number
  readonly done: boolean
}

/** Applies live changes to events that a rebuild has already read. */
export interface RebuildInProgress {
  /** Id of the last event that was read. */
  readonly after: number
  readonly set: ProjectionSet
  /** Set after a rollback, which lost the rows that the rebuild collected: it starts over. */
  isLost: boolean
}

/** Bounds the work of one step. */
const SLICE_MS = 25
/** Events read at a time. */
const PAGE = 100

/**
 * Rebuilds projections from the log next to those in use, and swaps them in one transaction. Row for row, they equal
 * the result of following live events. Data that people made (pins, titles …) is not touched. Each step takes about 30
 * ms and commits. The store may be written between two steps if it passes live changes to the value that `onFollow`
 * receives, until that is null.
 * @throws AspyError bad_input for a projection that does not exist
 */
export function* rebuildInSteps(
  db: WritableDb,
  options: RebuildOptions,
  onFollow: (followed: RebuildInProgress | null) => void,
): Generator<RebuildProgress, RebuildProgress, void> {
  for (;;) {
    const result = yield* tryRebuild(db, options, onFollow)
    if (result !== null) return result
  }
}

/** Returns null if a rollback forces it to start over. */
function* tryRebuild(
  db: WritableDb,
  { pricing, hashKey, only, sliceMs = SLICE_MS, onSwap }: RebuildOptions,
  onFollow: (followed: RebuildInProgress | null) => void,
): Generator<RebuildProgress, RebuildProgress | null, void> {
  const chosen = chooseProjections(only)
  for (const _ of dropShadowTables(db)) yield progressOf(chosen.length, 0, 0)
  const shadow = db.transaction(() => createShadowTables(db, chosen)).immediate()
  const set = openProjections(chosen, { db, pricing, hash: createKeyedHash(hashKey), tables: shadow.tables })
  const followed = { after: 0, set, isLost: false }
  const indexes = createMergedIndexes(db, shadow.indexes)
  const takeIn = createIntake(db, followed, only === undefined)
  const total = db.prepare<[], number>('SELECT coalesce(sum(events), 0) FROM event_counts').pluck()
  let isIn = false
  let count = 0
  const slice = db.transaction(() => {
    const deadline = performance.now() + sliceMs
    let taken = 0
    do {
      taken = takeIn()
      count += taken
    } while (taken === PAGE && performance.now() < deadline)
    set.flush()
    return taken < PAGE
  })
  // Not part of the last slice: a transaction writes full text on commit, to the pages its tables had when it began.
  const swap = db.transaction(() => {
    onSwap?.(chosen.map(({ name }) => name))
    indexes.restore()
    shadow.swap()
  })
  try {
    onFollow(followed)
    const events = total.get() ?? 0
    do {
      if (followed.isLost) return null
      isIn = slice.immediate()
      for (const _ of indexes.mergeInSteps(sliceMs)) {
        // Events that others write meanwhile must still be read.
        isIn = false
        yield progressOf(chosen.length, Math.max(events, count), count)
        if (followed.isLost) return null
      }
      if (isIn) unlocked(db, () => swap.immediate())
      yield progressOf(chosen.length, Math.max(events, count), count)
    } while (!isIn)
  } finally {
    onFollow(null)
  }
  for (const _ of dropShadowTables(db)) yield progressOf(chosen.length, count, count)
  return { ...progressOf(chosen.length, count, count), done: true }
}

/** Rebuilds without pauses, for a database that nothing else uses. Returns the number of events read. */
export function rebuildProjections(db: WritableDb, options: RebuildOptions): number {
  const steps = rebuildInSteps(db, options, () => undefined)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value.events
  }
}

const progressOf = (projections: number, events: number, events_done: number): RebuildProgress => ({
  projections,
  events,
  events_done,
  done: false,
})

function chooseProjections(only: readonly string[] | undefined) {
  const unknown = only?.find((name) => !PROJECTIONS.some((projection) => projection.name === name))
  if (unknown === undefined) {
    const names = only === undefined ? null : withDrawn(new Set(only))
    return PROJECTIONS.filter(({ name }) => names?.has(name) ?? true)
  }
  throw new AspyError(
    'bad_input',
    `no projection ${unknown}: there are ${PROJECTIONS.map(({ name }) => name).join(', ')}`,
  )
}

/** Adds projections whose views or indexes share rows with a chosen one. */
function withDrawn(names: Set<string>): ReadonlySet<string> {
  for (const { name, drawnFrom = [] } of PROJECTIONS) {
    const all = [name, ...drawnFrom]
    if (all.some((one) => names.has(one))) for (const one of all) names.add(one)
  }
  return names
}

/**
 * Returns a function that reads the next page of events with their sightings and returns how many there were. Sums of
 * all projections change together, so only then may events get another spelling of their folder (`mendsFolders`).
 */
function createIntake(db: WritableDb, followed: { after: number; readonly set: ProjectionSet }, mendsFolders: boolean) {
  const fetch = contentReader(db)
  const sightingsOf = sightingReader(db, fetch)
  const spelled = createFolderSpellings(db)
  const setProject = db.prepare<[string | null, number]>('UPDATE events SET project = ? WHERE id = ?')
  /** Older versions recorded a folder of Windows in each spelling that they met. */
  const withOneFolder = (row: EventRow): EventRow => {
    const project = spelled(row.project)
    if (project === row.project) return row
    openLog(db, 'folders are spelled alike')
    setProject.run(project, row.id)
    closeLog(db)
    return { ...row, project }
  }
  const page = db.prepare<[number], EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  )
  const takeIn = (event: AnyEvent): void => {
    followed.set.apply(event)
    const sightings = sightingsOf(event)
    for (const [at, sighting] of sightings.entries())
      followed.set.applySighting(event, sighting, sightings.slice(0, at))
  }
  return () => {
    const rows = page.all(followed.after)
    for (const row of rows) {
      takeIn(eventOfRow(mendsFolders ? withOneFolder(row) : row, fetch))
      followed.after = row.id
    }
    return rows.length
  }
}
