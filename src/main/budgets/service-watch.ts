import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { ReportedBudget } from '../../shared/contract/budgets.ts'
import type { ServiceNews } from '../../shared/contract/live.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { type KeyedNews, LIMIT_MARKS, limitId, resetNews, serviceNews } from './service-news.ts'
import { HOUR_MS } from '../../shared/time-units.ts'

type LimitWindow = OperationOutput<'limits.now'>['windows'][number]

export interface ServiceWatchOptions {
  readonly limits: () => Promise<OperationOutput<'limits.now'>>
  /** Changes of the last day. */
  readonly served: () => Promise<OperationOutput<'served.list'>>
  /** Stores that news was reported. Resolves with false if it already was. */
  readonly store: (reported: ReportedBudget) => Promise<boolean>
  readonly report: (news: readonly ServiceNews[]) => void
  readonly logger: Pick<Logger, 'warn'>
  /** Delay in ms from the first call to the check, and the minimum time between two checks. */
  readonly delayMs?: number
  readonly pauseMs?: number
}

/** Reports limits that reach a mark, will be exhausted or were reset, and silent changes; each once, across restarts. */
export class ServiceWatch {
  readonly #options: ServiceWatchOptions
  /** News that this run has reported: the only record while the database cannot be written. */
  readonly #reported = new Set<string>()
  /** Limits that reached a mark, by their id, with the time of their reset: its notice follows then. */
  readonly #awaited = new Map<string, { readonly window: LimitWindow; readonly resets: string }>()
  #timer: NodeJS.Timeout | null = null
  #resetTimer: NodeJS.Timeout | null = null
  #lastCheck = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(options: ServiceWatchOptions) {
    this.#options = options
  }

  /** Checks if the events can have changed a limit or how requests are served. */
  committed(events: readonly { readonly kind: string }[]): void {
    if (events.some(({ kind }) => kind === 'rate_limit' || kind === 'model_response')) this.check()
  }

  /** Schedules one check, after an answer or a report of limits. */
  check(): void {
    if (this.#timer !== null || this.#isClosed) return
    const { delayMs = 1000, pauseMs = 30_000, logger } = this.#options
    const wait = Math.max(delayMs, this.#lastCheck + pauseMs - performance.now())
    this.#timer = setTimeout(() => {
      this.#checkNow()
        .catch((error: unknown) => logger.warn({ err: error }, 'could not check the limits'))
        .finally(() => {
          this.#lastCheck = performance.now()
          this.#timer = null
        })
    }, wait)
    this.#timer.unref()
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#resetTimer !== null) clearTimeout(this.#resetTimer)
  }

  async #checkNow(): Promise<void> {
    const [{ windows }, { changes }] = await Promise.all([this.#options.limits(), this.#options.served()])
    for (const window of windows)
      if (window.resets_at !== null && window.used * 100 >= LIMIT_MARKS[0])
        this.#awaited.set(limitId(window), { window, resets: window.resets_at })
    await this.#tell(serviceNews(windows, changes))
    this.#awaitReset()
  }

  #awaitReset(): void {
    if (this.#resetTimer !== null) clearTimeout(this.#resetTimer)
    const next = Math.min(...[...this.#awaited.values()].map(({ resets }) => Date.parse(resets)))
    if (!Number.isFinite(next) || this.#isClosed) return
    // A timer that is longer than an hour is set again: the computer may sleep, and clocks may change.
    const wait = Math.min(HOUR_MS, Math.max(0, next - Date.now()))
    this.#resetTimer = setTimeout(() => {
      const over = [...this.#awaited].filter(([, { resets }]) => Date.parse(resets) <= Date.now())
      for (const [id] of over) this.#awaited.delete(id)
      this.#tell(over.map(([, { window, resets }]) => resetNews(window, resets))).catch((error: unknown) =>
        this.#options.logger.warn({ err: error }, 'could not report that a limit was reset'),
      )
      this.#awaitReset()
    }, wait)
    this.#resetTimer.unref()
  }

  async #tell(all: readonly KeyedNews[]): Promise<void> {
    const fresh: ServiceNews[] = []
    for (const { about, since, mark, ...news } of all) if (await this.#isFresh(about, since, mark)) fresh.push(news)
    if (fresh.length > 0 && !this.#isClosed) this.#options.report(fresh)
  }

  async #isFresh(about: string, since: string, mark: number): Promise<boolean> {
    const key = `${about} ${since} ${mark}`
    if (this.#reported.has(key)) return false
    this.#reported.add(key)
    try {
      return await this.#options.store({ budget: createHash('sha256').update(about).digest('hex'), since, mark })
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'could not store that a notice was shown; showing it anyway')
      return true
    }
  }
}
