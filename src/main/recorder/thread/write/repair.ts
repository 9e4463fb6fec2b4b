import { asStoreError } from '../../../store/database/store-error.ts'
import { damageOf, type Damage } from '../../../store/database/damage.ts'
import type { Maintenance } from '../../../store/maintenance/maintenance.ts'
import type { Store } from '../../../store/store.ts'
import { MAX_SPOOL_BYTES } from '../../../store/transfer/spool.ts'
import type { StoreGateOptions } from './gate.ts'
import { isUnavailable } from './replay-spool.ts'

/** Bounds the time that a salvage takes of one turn of the event loop. */
const SLICE_MS = 20
/** Bounds the spool while a damaged database is salvaged, which may take minutes. */
const SALVAGE_SPOOL_BYTES = 1024 * 1024 * 1024

/** Returns whether damage took or changed a table, or what counts its rows, while it was in use: opening again finds out. */
export const isOfLostTable = (error: unknown): boolean =>
  error instanceof Error && /^no such (table|column)|^UNIQUE constraint failed: events\.id$/.test(error.message)

/** Remembers what is damaged, and repairs it in slices: a file by a salvage, full text by a rebuild from the log. */
export class Repair {
  readonly #options: Pick<StoreGateOptions, 'salvage' | 'setAside'>
  /** Why the file counts as damaged; null: it does not. */
  #damage: string | null = null
  #isTextDamaged = false
  #isUnexplainedMet = false
  #salvaging: Generator<void, unknown, void> | null = null
  #healing: ReturnType<Maintenance['rebuild']> | null = null

  constructor(options: Pick<StoreGateOptions, 'salvage' | 'setAside'>) {
    this.#options = options
  }

  /** True from the moment that damage is found until it is repaired. */
  isUnderWay({ isText }: Damage): boolean {
    return this.#damage !== null || (isText && this.#isTextDamaged)
  }

  /** The maximum size of the spool for now. */
  spoolBytes(): number {
    return this.#damage === null ? MAX_SPOOL_BYTES : SALVAGE_SPOOL_BYTES
  }

  reason(): string {
    if (this.#damage === null) return 'a damaged full-text index is being rebuilt, and events wait in the spool'
    return `the database is damaged (${this.#damage}): what can be read is copied to a new one, and events wait in the spool`
  }

  damaged({ isText, reason }: Damage): void {
    if (isText) this.#isTextDamaged = true
    else this.#damage ??= reason
  }

  /** Notes what an error shows to be damaged. Returns true if the store can stay open: full text is repaired in place, once. */
  note(error: unknown): boolean {
    const damage = damageOf(error)
    if (damage !== null) this.damaged(damage)
    return damage !== null && damage.isText && this.#healing === null
  }

  /**
   * Notes what keeps a file from being opened. What SQLite says without a reason that is known is taken as damage, too,
   * but once: a new file may meet the same.
   */
  noteOpening(error: unknown): void {
    const damage = damageOf(error)
    if (damage !== null) return this.damaged({ ...damage, isText: false })
    if (this.#isUnexplainedMet || !(error instanceof Error) || error.name !== 'SqliteError') return
    this.#isUnexplainedMet = true
    this.damaged({ isText: false, reason: error.message })
  }

  /** Works on a damaged, closed file. Returns true once it can be opened. */
  salvageSlice(): boolean {
    if (this.#damage === null) return true
    this.#salvaging ??= this.#options.salvage(this.#damage)
    try {
      const end = performance.now() + SLICE_MS
      while (!this.#salvaging.next().done) if (performance.now() > end) return false
    } catch (error) {
      const known = asStoreError(error)
      this.stop()
      // A new file that cannot be written says nothing about the old one.
      if (isUnavailable(known) && damageOf(known) === null) throw known
      this.#options.setAside()
    }
    this.stop()
    this.#damage = null
    return true
  }

  /** Rebuilds damaged full text. Returns true once nothing is left to repair. */
  healSlice(store: Store): boolean {
    if (!this.#isTextDamaged) return true
    this.#healing ??= store.maintenance.rebuild()
    if (!this.#healing.next().done) return false
    this.#healing = null
    this.#isTextDamaged = false
    return true
  }

  /** Ends what is under way: it belongs to a store that is being closed, or starts over. */
  stop(): void {
    this.#healing = null
    this.#salvaging?.return(undefined)
    this.#salvaging = null
  }
}
