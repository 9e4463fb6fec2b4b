import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { withDays } from './session-groups.ts'

beforeEach(() => void vi.stubGlobal('navigator', { language: 'en-GB' }))
afterEach(() => vi.unstubAllGlobals())

test('sessions are headed by the days of the viewer, in an order by time only', () => {
  const times = ['2026-11-21T09:00:00Z', '2026-11-20T23:30:00Z', '2026-11-20T20:00:00Z', '2026-11-02T08:00:00Z']
  const sessions = times.map((time, at) => ({ id: `s${at}`, last_event_at: time }) as Session)
  const rows = (timeOf: ((session: Session) => string) | null) =>
    withDays(sessions, timeOf, Date.parse('2026-11-21T10:00:00Z'), 'Europe/Berlin').map((row) =>
      row.kind === 'day' ? row.name : row.session.id,
    )
  expect(rows((session) => session.last_event_at)).toEqual([
    'Today',
    's0',
    's1',
    'Yesterday',
    's2',
    'Monday 2 November',
    's3',
  ])
  expect(rows(null)).toEqual(['s0', 's1', 's2', 's3'])
})
