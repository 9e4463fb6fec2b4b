import { shortAccount } from '../../../../shared/account.ts'
import type { LimitOwner, LimitReport } from '../../../store/read/limit-readings.ts'
import type { AccountNames } from '../../../store/read/reader.ts'

/**
 * Returns the account of each owner. One whose report names no organization, as by earlier versions, is the account's in
 * the only organization that others name.
 */
export function accountsOf(owners: readonly LimitOwner[]): (owner: LimitOwner) => string | null {
  const named = new Map<string | null, Set<string>>()
  for (const { user_id: user, owner } of owners)
    if (owner !== null && owner !== user) named.set(user, (named.get(user) ?? new Set()).add(owner))
  return ({ user_id: user, owner }) => {
    const own = owner === user ? named.get(user) : undefined
    return own?.size === 1 ? ([...own][0] ?? owner) : owner
  }
}

/**
 * Returns the account that each call used: the one that its own answer reports, else the one that its session, or else its
 * user, used last; null if it names none. Both are ordered by time.
 */
export function accountsOfCalls<Call extends Omit<LimitReport, 'owner' | 'payload'>>(
  reports: readonly LimitReport[],
  calls: readonly Call[],
): ReadonlyMap<Call, string | null> {
  const accountOf = accountsOf(reports)
  const ofAnswer = new Map(reports.map((report) => [report.request_id, accountOf(report)]))
  ofAnswer.delete(null)
  const inSession = (of: Pick<LimitReport, 'user_id' | 'session_id'>) => `${of.user_id ?? ''} ${of.session_id}`
  // A call before the first report is its user's, too.
  const last = new Map(reports.toReversed().map((report) => [report.user_id ?? '', accountOf(report)]))
  last.delete('')
  let next = 0
  const follow = (until: string) => {
    for (; (reports[next]?.timestamp ?? 'z') <= until; next += 1) {
      const report = reports[next]
      if (report?.user_id == null) continue
      last.set(report.user_id, accountOf(report)).set(inSession(report), accountOf(report))
    }
  }
  return new Map(
    calls.map((call) => {
      follow(call.timestamp)
      const told = ofAnswer.get(call.request_id) ?? last.get(inSession(call)) ?? last.get(call.user_id ?? '')
      return [call, told ?? call.user_id]
    }),
  )
}

/** Returns what accounts are called: by name, or if there are several, by the beginning of their hash. */
export function accountLabels(
  accounts: readonly (string | null)[],
  names: AccountNames = {},
): (account: string | null) => { readonly account?: string } {
  const known = [...new Set(accounts)]
  // The longest beginning is the most exact.
  const starts = Object.keys(names).toSorted((one, other) => other.length - one.length)
  const startOf = (account: string | null) => starts.find((start) => account?.startsWith(start) === true)
  return (account) => {
    const start = startOf(account)
    const short = account === null ? 'unknown account' : shortAccount(account)
    if (start === undefined) return known.length <= 1 ? {} : { account: short }
    const isShared = known.some((other) => other !== account && startOf(other) === start)
    return { account: isShared ? `${names[start] ?? ''} ${short.split('-').at(-1) ?? ''}` : (names[start] ?? '') }
  }
}
