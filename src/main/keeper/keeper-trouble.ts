import { typedHere } from '../base/folder-of-run.ts'
import type { AppEnd } from './app-process.ts'
import { showDesktopNotice } from './desktop-notice.ts'
import { HOLD_MS } from './protocol.ts'

/**
 * Why nothing is recorded any more: the app does not start, or cannot write to the data folder. Either lasts until a person
 * does something.
 */
export type LastingTrouble = 'no_start' | 'no_store'

/** As many starts in a row that end soon count as an app that is gone for good. */
const GONE_AFTER = 3
/** An app that ends by itself within this time of its start is started again later and later, in ms. */
const STEADY_MS = 10_000
const FIRST_BACK_OFF_MS = 1000
const MAX_BACK_OFF_MS = 60_000
/** Signals that come from outside of a process; a crash has others. Windows has none: there a kill counts as a crash. */
const KILLING: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])
/** A start takes about this long. */
const START_MS = 1000
const TITLES = { no_start: 'Aspy does not start', no_store: 'Aspy cannot write to its data folder' } as const
/** Exit codes of an app that was asked to end: at once, if asked twice. */
const ORDERLY: ReadonlySet<number | null> = new Set([0, 128 + 1, 128 + 2, 128 + 15])

interface EndedApp {
  /** By `performance.now`. */
  readonly startedAt: number
  /** It has taken connections. */
  readonly hasServed: boolean
}

/** Notes what goes wrong with an app, and tells the person once if it lasts. */
export class KeeperTrouble {
  readonly #dataDir: () => string | null
  #quickEnds = 0
  #isStoring = true
  /** Whether the person knows. */
  #told: Promise<boolean> | null = null

  /** `dataDir`: the folder that is kept; null if it is not known yet. */
  constructor(dataDir: () => string | null) {
    this.#dataDir = dataDir
  }

  /** How many apps in a row have ended soon after their start, not counting those that served and were killed. */
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

  /**
   * Notes the end of an app; returns in how many ms the next one is started. `isPassing`: clients go on meanwhile. Only
   * what ends by itself is started later and later: that others kill it says nothing about its starts.
   */
  ended({ startedAt, hasServed }: EndedApp, { code, signal }: AppEnd, isPassing: boolean): number {
    const isKilled = signal === null ? hasServed && ORDERLY.has(code) : KILLING.has(signal)
    const isSteady = performance.now() - startedAt >= STEADY_MS
    if (isSteady) this.#told = null
    if (isSteady || (isKilled && hasServed)) {
      this.#quickEnds = 0
      return 0
    }
    this.#quickEnds += 1
    if (this.#quickEnds >= GONE_AFTER && isPassing) this.#notify('no_start')
    return isKilled ? FIRST_BACK_OFF_MS : Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (this.#quickEnds - 1))
  }

  /** Resolves with whether the person knew already; from now on they do. */
  async tell(): Promise<boolean> {
    const before = this.#told
    this.#told = Promise.resolve(true)
    return (await before) ?? false
  }

  #notify(what: LastingTrouble): void {
    const dataDir = this.#dataDir()
    const status = dataDir === null ? 'aspy status' : typedHere('aspy status', dataDir)
    this.#told ??= showDesktopNotice(TITLES[what], `Clients work on, unrecorded. To see why, run ${status}.`)
  }
}

/** Returns whether an app that is started in so many ms serves before a connection has waited for too long. */
export const isInTime = (inMs: number): boolean => inMs + START_MS < HOLD_MS
