import type { WritableDb } from '../database/connection.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { PROJECTIONS } from '../projections/all.ts'
import { openProjections, type ProjectionSet } from '../projections/projection-set.ts'
import { SUM_TABLES, tableNames } from '../tables.ts'

/** Projections whose tables are sums over all sessions. */
export const SUM_PROJECTIONS = PROJECTIONS.filter(({ name }) => SUM_TABLES.some(({ group }) => group === name))

/** Counts what deleted events had added to tables of sums, in temporary tables, and subtracts it. */
export interface AggregateAdjustment {
  /** Receives the deleted events. */
  readonly set: ProjectionSet
  /** Subtracts what was counted so far and starts again from zero. Runs within a transaction. */
  subtract(): void
}

export interface AggregateAdjustmentParts {
  readonly db: WritableDb
  readonly pricing: Pricing
  /** The store's keyed hash. */
  readonly hash: (text: string) => string
}

/** Creates temporary tables; the next one on a connection uses them again, since creating them takes longer than a deletion. */
export function createAggregateAdjustment({ db, pricing, hash }: AggregateAdjustmentParts): AggregateAdjustment {
  const gone = (name: string) => `temp.gone_${name}`
  const tables = tableNames(new Map(SUM_TABLES.map(({ name }) => [name, gone(name)])))
  const made = db.prepare<[], string>('SELECT name FROM temp.sqlite_master').pluck().all()
  if (SUM_TABLES.every(({ name }) => made.includes(`gone_${name}`)))
    for (const { name } of SUM_TABLES) db.exec(`DELETE FROM ${gone(name)}`)
  else
    for (const projection of SUM_PROJECTIONS)
      for (const sql of projection.define(tables, gone))
        // Its indexes are not needed.
        if (sql.startsWith('CREATE TABLE')) db.exec(sql)
  const set = openProjections(SUM_PROJECTIONS, { db, pricing, hash, tables })
  return {
    set,
    subtract() {
      set.flush()
      for (const { name, sums } of SUM_TABLES) {
        const keys = sums.keys.join()
        // The plus keeps SQLite from reading all sums and looking each up among the few that change.
        const isSame = sums.keys.map((key) => `+gone.${key} = ${name}.${key}`).join(' AND ')
        const left = [...sums.counts, ...sums.totals].map((sum) => `${sum} = ${name}.${sum} - gone.${sum}`).join(', ')
        const isNone = sums.counts.map((count) => `${count} = 0`).join(' AND ')
        db.exec(`UPDATE ${name} SET ${left} FROM ${gone(name)} gone WHERE ${isSame}`)
        db.exec(`DELETE FROM ${name} WHERE (${keys}) IN (SELECT ${keys} FROM ${gone(name)}) AND ${isNone}`)
        db.exec(`DELETE FROM ${gone(name)}`)
      }
    },
  }
}
