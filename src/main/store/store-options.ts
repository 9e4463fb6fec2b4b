import type { Run } from './log/answers-in-progress.ts'
import type { Limits } from './log/limits.ts'
import type { PreparedPayloads } from './projections/prepared-payloads.ts'
import type { PriceTable } from './pricing/pricing.ts'
import type { Tombstone } from './delete/tombstones.ts'

export interface StoreOptions {
  readonly dataDir: string
  /** Relative to the data folder, or absolute. */
  readonly dbPath?: string
  /** Key of all hashes in the store; never changes for a data folder. */
  readonly hashKey: Uint8Array
  readonly limits: Limits
  readonly appVersion?: string
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  readonly prices?: PriceTable
  /** Payloads that another thread prepared for appending. */
  readonly prepared?: PreparedPayloads
  readonly busyTimeoutMs?: number
  /** Tombstones of the database that this one replaces. */
  readonly tombstones?: readonly Tombstone[]
  /** Maximum size of the file in pages of 4 KB. */
  readonly maxPages?: number
  /** Called with the maximum duration in milliseconds before long work, and with 0 afterwards. */
  readonly onAway?: (ms: number) => void
  /** The folder of the archives; next to the database by default. */
  readonly archiveDir?: string
  /** The app that opens the store; by default, one that started with this thread. */
  readonly run?: Run
}
