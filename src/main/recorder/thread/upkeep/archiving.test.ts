import { expect, test } from 'vitest'
import { DAY_MS } from '../../../../shared/time-units.ts'
import type { Store } from '../../../store/store.ts'
import { isArchivingDue } from './archiving.ts'

test('archiving is due a day after the last run, and not never because a clock was ahead during that', () => {
  const rules = { retention_days: 30, archive_days: 0, delete_days: 0 } as const
  const now = Date.parse('2026-11-29T12:00:00.000Z')
  const after = (ms: number) => {
    const maintenance = { lastArchiveRun: () => ({ at: new Date(now - ms).toISOString() }) }
    return isArchivingDue(rules, { maintenance } as unknown as Store, now)
  }
  expect([DAY_MS - 1, DAY_MS, -365 * DAY_MS].map(after)).toEqual([false, true, true])
})
