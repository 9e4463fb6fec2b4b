import { compareText } from '../../../shared/compare-text.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { newestReports, ownerOfSession } from '../../store/read/limit-readings.ts'
import { limitsByBucket } from '../../store/read/reconcile.ts'
import { DAY_MS } from '../../../shared/time-units.ts'
import { given } from './given.ts'
import { accountLabels, accountsOf } from './limits/accounts.ts'
import { instancesOf, inUse, readingsByWindow } from './limits/window-readings.ts'

/** A window is reported with each answer, so few reports of each account have all its windows. */
const MAX_REPORTS = 20
/** No window is longer than seven days. */
const LONGEST_MS = 8 * DAY_MS

export const limitsLatest: ReaderHandler<'limits.latest'> = (reader, { session_id: sessionId }) => {
  const now = Date.now()
  const reports = newestReports(reader, new Date(now - LONGEST_MS).toISOString(), MAX_REPORTS)
  const all = inUse(readingsByWindow(reports), now).filter(({ window }) => window === '5h' || window === '7d')
  const accounts = all.map(({ account }) => account)
  const used = sessionId === undefined ? undefined : ownerOfSession(reader, sessionId)
  const report = used?.owner === null ? reports.findLast(({ user_id: id }) => id === used.user_id) : used
  const own = report === undefined ? undefined : accountsOf(reports)(report)
  // A session before its first request may use any of several accounts.
  const isOwn = (account: string | null) =>
    sessionId === undefined || (used === undefined ? new Set(accounts).size === 1 : account === own)
  const labelOf = accountLabels(accounts, reader.accounts)
  const windows = all
    .filter(({ account }) => isOwn(account))
    .flatMap(({ account, window, readings }) => {
      const last = instancesOf(readings).at(-1)?.readings.at(-1)
      if (last === undefined) return []
      const { at, used: utilization, resetsAt } = last
      return [{ name: window as '5h' | '7d', ...labelOf(account), utilization, resets_at: iso(resetsAt), at }]
    })
    .sort((one, other) => compareText(one.account ?? '', other.account ?? '') || compareText(one.name, other.name))
  const at = windows.length === 0 ? null : Math.max(...windows.map((window) => window.at))
  return { at: iso(at), windows: windows.map(({ at: _at, ...window }) => window) }
}

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

const MAX_BUCKETS = 2000

export const limitsSeries: ReaderHandler<'limits.series'> = (reader, input) => {
  const rows = limitsByBucket(reader, { ...given(input), limit: MAX_BUCKETS + 1 })
  const accountOf = accountsOf(rows)
  const labelOf = accountLabels(rows.map(accountOf), reader.accounts)
  const items = rows
    .slice(-MAX_BUCKETS)
    .map(({ user_id, owner, ...row }) => ({ ...row, ...labelOf(accountOf({ user_id, owner })) }))
  return { items, partial: rows.length > MAX_BUCKETS }
}
