import type { Limits } from './log/limits.ts'
import type { PreparedPayloads } from './projections/prepared-payloads.ts'
import type { PriceTable } from './pricing/pricing.ts'
import type { Tombstone } from './delete/tombstones.ts'

export interface StoreOptions {
  readonly dataDir: string
  /** Relative to the data folder, or absolute. */
  readonly dbPath?: string
  /** Key of all hashes in the store; the same for the life of the data folder. */
  readonly hashKey: Uint8Array
  readonly limits: Limits
  readonly appVersion?: string
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  readonly prices?: PriceTable
  /** What others prepared of payloads that are appended. */
  readonly prepared?: PreparedPayloads
  readonly busyTimeoutMs?: number
  /** Of the database that this one takes the place of. */
  readonly tombstones?: readonly Tombstone[]
  /** Bound of the file in pages of 4 KB. */
  readonly maxPages?: number
  /** Told before what keeps the thread for long, how many milliseconds at most, and 0 after it. */
  readonly onAway?: (ms: number) => void
  /** Where archives lie; beside the database, where it is left out. */
  readonly archiveDir?: string
}
