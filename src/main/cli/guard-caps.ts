import type { OperationOutput } from '../../shared/contract/index.ts'
import type { BudgetStatus } from '../../shared/contract/budgets.ts'
import { typedHere } from '../base/folder-of-run.ts'
import { count, dollars, percent, plain } from './table.ts'

type GuardStatus = OperationOutput<'guard.get'>

/** Says what a cap is and how much of it is used, for people. */
export function capText({ cap, limit, used }: GuardStatus['caps'][number]): string {
  const set = `${cap} = ${limit}`
  if (used === null) return set
  const period = cap.startsWith('day') ? 'today' : 'this hour'
  return `${set}, ${amount(cap, used)} used ${period} (${used > limit ? 'over the cap' : percent(used / limit)})`
}

/** Returns an amount of what a cap limits. */
export const amount = (cap: string, value: number): string =>
  cap.endsWith('_usd') ? dollars(value) : count(Math.round(value))

/** Says how many requests were refused today; nothing if that is not known. */
export const refusedTodayText = (refused: number | null | undefined): readonly string[] =>
  refused === null || refused === undefined ? [] : [`Refused today: ${count(refused)}`]

/** Lists the caps in force, also those of projects; empty if there are none. */
export const capsText = ({ caps, project_caps: own }: GuardStatus): string =>
  [...caps.map(capText), ...own.map((cap) => `${cap.project}: ${capText(cap)}`)].join('; ')

/** Says how a cap is set, which stops requests; without a budget, which only notifies, also how one is set. */
export const howToSet = (budgets: readonly unknown[], dataDir: string): string =>
  `with ${typedHere('aspy config set guard.day_usd 20', dataDir)}` +
  (budgets.length > 0
    ? ''
    : `, or a budget, which only notifies, with ${typedHere('aspy config set budgets.monthly_usd 100', dataDir)}`)

/** Says what a budget is, how much of it is spent, and whether that is all or nearly all of it. */
export const budgetText = ({ period, project, limit_usd: limit, spent_usd: spent, mark }: BudgetStatus): string =>
  `this ${period}${project === null ? '' : ` for ${plain(project)}`}: ` +
  `${dollars(limit)}, ${dollars(spent)} (${percent(spent / limit)}) spent` +
  (mark === null ? '' : mark < 100 ? ', close to the limit' : spent > limit ? ', over budget' : ', used up')

/** Returns a line for each budget that has reached a mark, apart from those that had reached the same mark `before`. */
export const budgetNews = (budgets: readonly BudgetStatus[], before: readonly BudgetStatus[] = []): string[] =>
  budgets
    .filter(({ mark, ...now }) => {
      const then = before.find((one) => one.period === now.period && one.project === now.project)
      return mark !== null && (then?.mark !== mark || then.since !== now.since)
    })
    .map((one) => `Budget of ${budgetText(one)}`)
