import { showDesktopNotice } from './desktop-notice.ts'
import { HOLD_MS } from './protocol.ts'

/**
 * Why nothing is recorded any more: the app does not start, or cannot write to the data folder. Either lasts until a person
 * does something.
 */
export type LastingTrouble = 'no_start' | 'no_store'

/** As many starts in a row that end soon count as an app that is gone for good. */
const GONE_AFTER = 3
/** An app that ends within this time of its start is started again later and later, in ms. */
const STEADY_MS = 10_000
const MAX_BACK_OFF_MS = 60_000
/** A start takes about this long. */
const START_MS = 1000
const TITLES = { no_start: 'Aspy does not start', no_store: 'Aspy cannot write to its data folder' } as const
const TEXT = 'Clients work on, unrecorded. To see why, run aspy status.'

/** Notes what goes wrong with an app, and tells the person once if it lasts. */
export class KeeperTrouble {
  #quickEnds = 0
  #isStoring = true
  /** Whether the person knows. */
  #told: Promise<boolean> | null = null

  /** How many apps in a row have ended soon after their start. */
  get quickEnds(): number {
    return this.#quickEnds
  }

  /** Returns what lasts, if an app serves or not. */
  lasting(isServing: boolean): LastingTrouble | null {
    if (isServing) return this.#isStoring ? null : 'no_store'
    return this.#quickEnds >= GONE_AFTER ? 'no_start' : null
  }

  /** Notes that an app serves. */
  serves(canStore: boolean): void {
    this.#isStoring = canStore
    if (!canStore) this.#notify('no_store')
  }

  /** Notes the end of an app; returns in how many ms the next one is started. `isPassing`: clients go on meanwhile. */
  ended(startedAt: number, isPassing: boolean): number {
    if (performance.now() - startedAt >= STEADY_MS) {
      this.#quickEnds = 0
      this.#told = null
      return 0
    }
    this.#quickEnds += 1
    if (this.#quickEnds >= GONE_AFTER && isPassing) this.#notify('no_start')
    return Math.min(MAX_BACK_OFF_MS, 1000 * 2 ** (this.#quickEnds - 1))
  }

  /** Resolves with whether the person knew already; from now on they do. */
  async tell(): Promise<boolean> {
    const before = this.#told
    this.#told = Promise.resolve(true)
    return (await before) ?? false
  }

  #notify(what: LastingTrouble): void {
    this.#told ??= showDesktopNotice(TITLES[what], TEXT)
  }
}

/** Returns whether an app that is started in so many ms serves before a connection has waited for too long. */
export const isInTime = (inMs: number): boolean => inMs + START_MS < HOLD_MS
