import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { BudgetMark, BudgetStanding } from '../../shared/contract/budgets.ts'

export interface BudgetWatch {
  /** Something was spent, or a budget changed: looks at the budgets soon, once for all that comes meanwhile. */
  look(): void
  close(): void
}

export interface BudgetWatchOptions {
  readonly standings: () => Promise<readonly BudgetStanding[]>
  /** Keeps that a mark was told; false: it had been told before in this period. */
  readonly keep: (told: {
    readonly budget: string
    readonly since: string
    readonly mark: BudgetMark
  }) => Promise<boolean>
  readonly tell: (reached: readonly BudgetStanding[]) => void
  readonly logger: Pick<Logger, 'warn'>
  /** From the first spending to the look, in ms. */
  readonly delayMs?: number
}

/** Tells when a budget reaches a mark: once a period, also over restarts. */
export function createBudgetWatch({ standings, keep, tell, logger, delayMs = 1000 }: BudgetWatchOptions): BudgetWatch {
  let timer: NodeJS.Timeout | null = null
  let isLooking = false
  let isClosed = false
  /** What was told by this run: asked first, and all there is while the database cannot be written. */
  const told = new Set<string>()

  async function isNews({ project, period, since, mark }: BudgetStanding): Promise<boolean> {
    if (mark === null) return false
    const budget = createHash('sha256')
      .update(`${period}\0${project ?? ''}`)
      .digest('hex')
    const key = `${budget} ${since} ${mark}`
    if (told.has(key)) return false
    told.add(key)
    try {
      return await keep({ budget, since, mark })
    } catch (error) {
      logger.warn({ err: error }, 'that a budget was reached could not be kept; it is told all the same')
      return true
    }
  }

  async function lookNow(): Promise<void> {
    const reached: BudgetStanding[] = []
    for (const standing of await standings()) if (await isNews(standing)) reached.push(standing)
    if (reached.length > 0 && !isClosed) tell(reached)
  }

  function look(): void {
    if (timer !== null || isClosed) return
    timer = setTimeout(() => {
      timer = null
      if (isLooking) return look()
      isLooking = true
      lookNow()
        .catch((error: unknown) => logger.warn({ err: error }, 'the budgets could not be looked at'))
        .finally(() => {
          isLooking = false
        })
    }, delayMs)
    timer.unref()
  }

  return {
    look,
    close() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
