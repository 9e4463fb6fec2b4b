import { uptime } from 'node:os'
import { DAY_MS, HOUR_MS } from '../../shared/time-units.ts'

/** Stamps events with their time. Replayed events bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  wall(): number
  /** Milliseconds since the process started, as `performance.now()` counts them. */
  run(): number
  /** Another clock shows this time (NaN: none). */
  heard?(time: number): void
}

/** Aspy is younger, and no build of today runs ten years later: a clock that shows another day is not set. */
const FIRST_DAY = Date.parse('2026-01-01')
const LAST_DAY = Date.parse('2036-01-01')

const isPossible = (time: number): boolean => time >= FIRST_DAY && time < LAST_DAY

/** Returns true for a moment that was stamped while the clock was not set. */
export const isOfUnsetClock = (moment: number): boolean => moment >= FIRST_DAY && moment < FIRST_DAY + DAY_MS

/** What a clock reads, in milliseconds. */
export interface ClockSources {
  /** Since 1970, by the computer's clock, which anybody may set. */
  readonly now: () => number
  /** Since the computer started, sleep included: nobody sets it. */
  readonly up: () => number
  readonly run: () => number
}

/**
 * The computer's clock, but steady: a jump of more than a day counts if another clock agrees, also before it, once it has lasted
 * for an hour, or if it only takes back the one before. Until then, and while the clock is not set, time runs on as it did: no session
 * begins in 1999, 2047 or next year. Without a time before, it runs from the first possible day.
 */
export class SteadyClock implements Clock {
  readonly #sources: ClockSources
  /** When the computer started, by the time that counts; null while none does. */
  #start: number | null = null
  /** The same before the last jump that counted, or as another clock has it: a jump to this counts at once. */
  #before: number | null = null
  /** When it started by the clock that jumped, and since when that shows it (or another clock last contradicted it). */
  #jump: { readonly start: number; readonly since: number } | null = null

  constructor(sources: ClockSources) {
    this.#sources = sources
  }

  /** Takes the computer's clock as it is, because an app starts. */
  begin(): void {
    this.#start = this.#before = this.#jump = null
    this.wall()
  }

  wall(): number {
    const { now, start, up } = this.#read()
    if (!isPossible(now)) this.#jump ??= { start, since: Infinity }
    else if (this.#start === null || isNear(start, this.#start) || isNear(start, this.#before)) this.#take(start)
    else if (!isNear(start, this.#jump?.start ?? null)) this.#jump = { start, since: up }
    else if (up - (this.#jump?.since ?? up) >= HOUR_MS) this.#take(start)
    if (this.#start === null) return Math.trunc(FIRST_DAY + this.#sources.run())
    return Math.round(this.#start + up)
  }

  run(): number {
    return this.#sources.run()
  }

  heard(time: number): void {
    if (!isPossible(time)) return
    const { start, up } = this.#read()
    const said = time - up
    if (isNear(said, start)) this.#take(start)
    else if (this.#start === null) this.#take(said)
    else if (!isNear(said, this.#start)) this.#before = said
    else if (this.#jump !== null) this.#jump = { start, since: up }
  }

  /** Returns true while the computer's clock shows a time that does not count. */
  isWrong(): boolean {
    this.wall()
    return this.#jump !== null
  }

  #read(): { now: number; up: number; start: number } {
    const [now, up] = [this.#sources.now(), this.#sources.up()]
    return { now, up, start: now - up }
  }

  #take(start: number): void {
    if (!isNear(start, this.#start)) this.#before = this.#start
    this.#start = start
    this.#jump = null
  }
}

const isNear = (start: number, other: number | null): boolean => other !== null && Math.abs(start - other) <= DAY_MS

/** The clock of this thread. */
export const SYSTEM_CLOCK = new SteadyClock({
  now: () => Date.now(),
  up: () => uptime() * 1000,
  run: () => performance.now(),
})
