import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { BudgetMark, BudgetStatus } from '../../shared/contract/budgets.ts'

export type BudgetWatch = ReturnType<typeof createBudgetWatch>

export interface BudgetWatchOptions {
  readonly statuses: () => Promise<readonly BudgetStatus[]>
  /** Stores that a mark was reported. Resolves with false if it was already reported in this period. */
  readonly store: (reported: {
    readonly budget: string
    readonly since: string
    readonly mark: BudgetMark
  }) => Promise<boolean>
  readonly report: (reached: readonly BudgetStatus[]) => void
  readonly logger: Pick<Logger, 'warn'>
  /** Delay in ms from the first call to the check. */
  readonly delayMs?: number
}

/** Reports when a budget reaches a mark, once per period, even across restarts. */
export function createBudgetWatch({ statuses, store, report, logger, delayMs = 1000 }: BudgetWatchOptions) {
  let timer: NodeJS.Timeout | null = null
  let isChecking = false
  let isClosed = false
  /** Marks reported by this run. Checked first, and the only record while the database cannot be written. */
  const reported = new Set<string>()

  async function isNews({ project, period, since, mark }: BudgetStatus): Promise<boolean> {
    if (mark === null) return false
    const budget = createHash('sha256')
      .update(`${period}\0${project ?? ''}`)
      .digest('hex')
    const key = `${budget} ${since} ${mark}`
    if (reported.has(key)) return false
    reported.add(key)
    try {
      return await store({ budget, since, mark })
    } catch (error) {
      logger.warn({ err: error }, 'could not store that a budget mark was reported; reporting it anyway')
      return true
    }
  }

  async function checkNow(): Promise<void> {
    const reached: BudgetStatus[] = []
    for (const budgetStatus of await statuses()) if (await isNews(budgetStatus)) reached.push(budgetStatus)
    if (reached.length > 0 && !isClosed) report(reached)
  }

  /** Schedules one check of the budgets, after spending or a change of settings. */
  function check(): void {
    if (timer !== null || isClosed) return
    timer = setTimeout(() => {
      timer = null
      if (isChecking) return check()
      isChecking = true
      checkNow()
        .catch((error: unknown) => logger.warn({ err: error }, 'could not check the budgets'))
        .finally(() => {
          isChecking = false
        })
    }, delayMs)
    timer.unref()
  }

  return {
    check,
    close() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
