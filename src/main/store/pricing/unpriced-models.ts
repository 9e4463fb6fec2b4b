import type { ReadableDb } from '../database/connection.ts'
import { UNPRICED } from '../../../shared/spend.ts'

/** Returns recorded models without a price: Health names every model that a total leaves out. */
export const unpricedModelsIn = (db: ReadableDb): readonly string[] =>
  db
    .prepare<[], string>(`SELECT DISTINCT model FROM rollups INDEXED BY rollups_unpriced WHERE ${UNPRICED} > 0`)
    .pluck()
    .all()
