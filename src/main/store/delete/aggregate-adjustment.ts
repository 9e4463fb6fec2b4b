import type { WritableDb } from '../database/connection.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { withTables, type ProjectedTable } from '../rebuild/projected-tables.ts'
import { PROJECTIONS } from '../projections/all.ts'
import { openProjections, type ProjectionSet } from '../projections/projection-set.ts'

/** What events that go had added to tables of sums: counted once more, beside the tables, and taken off. */
export interface SumsAside {
  /** Is given those events. */
  readonly set: ProjectionSet
  /** Within the transaction after which they count no more; what is given from then on is counted from nothing. */
  takeOff(): void
}

export function createSumsAside(
  {
    db,
    pricing,
    hash,
  }: { readonly db: WritableDb; readonly pricing: Pricing; readonly hash: (text: string) => string },
  tables: readonly ProjectedTable[],
): SumsAside {
  const aside = new Map(tables.map(({ name }) => [name, `gone_${name}`]))
  const counting = PROJECTIONS.filter((projection) => projection.tables.some((name) => aside.has(name)))
  for (const [name, other] of aside) {
    db.exec(`DROP TABLE IF EXISTS temp.${other}`)
    const sql = db.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name) ?? ''
    db.exec(sql.replace(/^CREATE TABLE\s+"?\w+"?/, `CREATE TEMP TABLE ${other}`))
  }
  const prepare = ((sql: string) => db.prepare(withTables(sql, aside))) as WritableDb['prepare']
  const set = openProjections(counting, { prepare } as unknown as WritableDb, pricing, hash)
  return {
    set,
    takeOff() {
      set.flush()
      for (const { name, keys, sums } of tables) {
        const other = `gone_${name}`
        const isSame = keys.map((key) => `gone.${key} = ${name}.${key}`).join(' AND ')
        const left = sums.map((sum) => `${sum.name} = ${name}.${sum.name} - gone.${sum.name}`).join(', ')
        const isNone = sums.flatMap((sum) => (sum.isWhole ? [`${sum.name} = 0`] : [])).join(' AND ')
        db.exec(`UPDATE ${name} SET ${left} FROM ${other} gone WHERE ${isSame}`)
        db.exec(`DELETE FROM ${name} WHERE (${keys.join()}) IN (SELECT ${keys.join()} FROM ${other}) AND ${isNone}`)
        db.exec(`DELETE FROM temp.${other}`)
      }
    },
  }
}
