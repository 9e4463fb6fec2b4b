import type { WriterOptions } from './database/connection.ts'
import type { Run } from './log/answers-in-progress.ts'
import type { Limits } from './log/limits.ts'
import type { PreparedPayloads } from './projections/prepared-payloads.ts'
import type { PriceTable } from './pricing/pricing.ts'
import type { Tombstone } from './delete/tombstones.ts'

export interface StoreOptions extends WriterOptions {
  readonly dataDir: string
  /** Relative to the data folder, or absolute. */
  readonly dbPath?: string
  /** Key of all hashes in the store; never changes for a data folder. */
  readonly hashKey: Uint8Array
  readonly limits: Limits
  readonly prices?: PriceTable
  /** Payloads that another thread prepared for appending. */
  readonly prepared?: PreparedPayloads
  /** Tombstones of the database that this one replaces. */
  readonly tombstones?: readonly Tombstone[]
  /** The folder of the archives; next to the database by default. */
  readonly archiveDir?: string
  /** The app that opens the store; by default, one that started with this thread. */
  readonly run?: Run
}
