import type { BudgetPeriod } from '../../shared/contract/budgets.ts'

/** Returns the day, week (from Monday) or month of a time, in the local time zone. `until` is exclusive. */
export function budgetPeriod(period: BudgetPeriod, now: Date): { readonly since: Date; readonly until: Date } {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  // Uses calendar days, because a day can have 23 or 25 hours.
  switch (period) {
    case 'day':
      return { since: new Date(year, month, day), until: new Date(year, month, day + 1) }
    case 'week': {
      const monday = day - ((now.getDay() + 6) % 7)
      return { since: new Date(year, month, monday), until: new Date(year, month, monday + 7) }
    }
    case 'month':
      return { since: new Date(year, month, 1), until: new Date(year, month + 1, 1) }
  }
}
