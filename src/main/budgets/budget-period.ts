import type { BudgetPeriod } from '../../shared/contract/budgets.ts'

/** The day, week (from Monday) or month around a moment, in the time zone of this machine; `until` is the next one's start. */
export function budgetPeriod(period: BudgetPeriod, now: Date): { readonly since: Date; readonly until: Date } {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  // Days are counted by the calendar: one of them may have 23 or 25 hours.
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
