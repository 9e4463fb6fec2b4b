import type { WritableDb } from './connection.ts'
import { contentReader, createKeyedHash } from './contents.ts'
import { eventsInOrder, sightingReader } from './log.ts'
import type { Pricing } from './pricing.ts'
import { PROJECTIONS } from './projections/all.ts'
import { openProjections } from './projections/projection-set.ts'
import { AspyError } from '../../shared/contract/errors.ts'

export interface RebuildOptions {
  readonly pricing: Pricing
  readonly hashKey: Uint8Array
  /** Names of projections; all where it is left out. */
  readonly only?: readonly string[]
}

/**
 * Makes projections anew from the log, in one transaction: afterwards they hold, row for row, what following the events
 * as they came had made. Tables of people's own (pins, titles …) are left alone. Returns how many events were read.
 * @throws AspyError bad_input for a projection that does not exist
 */
export function rebuildProjections(db: WritableDb, { pricing, hashKey, only }: RebuildOptions): number {
  const unknown = only?.find((name) => !PROJECTIONS.some((projection) => projection.name === name))
  if (unknown !== undefined)
    throw new AspyError(
      'bad_input',
      `no projection ${unknown}: there are ${PROJECTIONS.map(({ name }) => name).join(', ')}`,
    )
  const chosen = PROJECTIONS.filter(({ name }) => only?.includes(name) ?? true)
  const fetch = contentReader(db)
  const sightingsOf = sightingReader(db, fetch)
  let count = 0
  // Emptying `sessions` would take the prompts along, and foreign keys cannot be switched inside a transaction.
  db.pragma('foreign_keys = OFF')
  try {
    db.transaction(() => {
      for (const { tables } of chosen) for (const table of tables) db.exec(`DELETE FROM ${table}`)
      const projections = openProjections(chosen, db, pricing, createKeyedHash(hashKey))
      for (const event of eventsInOrder(db, fetch)) {
        projections.apply(event)
        const sightings = sightingsOf(event.uuid)
        for (const [index, sighting] of sightings.entries())
          projections.applySighting(event, sighting, sightings.slice(0, index))
        count += 1
        if (count % 1000 === 0) projections.flush()
      }
      projections.flush()
      const broken = db.pragma('foreign_key_check') as readonly unknown[]
      if (broken.length > 0)
        throw new AspyError('internal', `a rebuild left ${broken.length} rows without their session`)
    }).immediate()
  } finally {
    db.pragma('foreign_keys = ON')
  }
  return count
}
