import { expect, test } from 'vitest'
import type { Health } from '../../shared/contract/health.ts'
import type { EventSummary } from '../../shared/live-feed.ts'
import { DEFAULT_SETTINGS } from './desktop-settings.ts'
import { createNoticeWatch } from './notice-watch.ts'

function watching(more: { notices?: object; isLooking?: boolean } = {}) {
  const shown: { title: string; body: string; address: string }[] = []
  const settings = { ...DEFAULT_SETTINGS, notices: { ...DEFAULT_SETTINGS.notices, ...more.notices } }
  const watch = createNoticeWatch({
    settings: () => settings,
    isLooking: () => more.isLooking ?? false,
    notify: (notice) => shown.push(notice),
  })
  return { watch, shown }
}
const healthOf = (more: Partial<Health> = {}) =>
  ({ id: 'run', status: 'ok', recorder: 'running', recorder_restarts: 0, warnings: [], ...more }) as unknown as Health
const failing = healthOf({
  status: 'degraded',
  recorder: 'spooling',
  warnings: [{ code: 'spooling', message: 'Events wait on disk.', fix: { kind: 'text', text: 'Free disk space.' } }],
})

test('reports that recording stopped once, and again if it stops again', () => {
  const { watch, shown } = watching()
  for (const health of [healthOf(), failing, failing, healthOf(), null, null]) watch.health(health)
  expect(shown).toEqual([
    { title: 'Aspy is not recording', body: 'Events wait on disk. Free disk space.', address: '/health' },
    { title: 'Aspy is not recording', body: 'Aspy is not responding.', address: '/health' },
  ])
})

test('recording that is switched off is not reported', () => {
  const { watch, shown } = watching()
  watch.health(healthOf({ status: 'degraded', recorder: 'off' }))
  expect(shown).toEqual([])
})

test('a restarted recorder is reported once; a new run counts from 0', () => {
  const { watch, shown } = watching()
  for (const count of [0, 1, 1]) watch.health(healthOf({ recorder_restarts: count }))
  watch.health(healthOf({ id: 'another run', recorder_restarts: 0 }))
  expect(shown.map(({ title }) => title)).toEqual(['The recorder was restarted'])
})

test('nothing is reported about recording if the setting is off', () => {
  const { watch, shown } = watching({ notices: { capture_stopped: false } })
  for (const health of [failing, null, healthOf({ recorder_restarts: 3 })]) watch.health(health)
  expect(shown).toEqual([])
})

const reached = (mark: 80 | 100, project: string | null) => ({
  project,
  period: 'day' as const,
  limit_usd: 10,
  spent_usd: mark / 10,
  unpriced_calls: 0,
  since: '',
  until: '',
  mark,
})

test('budgets that reach a mark are reported, unless the setting is off', () => {
  const { watch, shown } = watching()
  watch.budgets([reached(80, null), reached(100, '/home/me/project')])
  expect(shown).toEqual([
    {
      title: "80% of this day's budget is spent",
      body: '$8.00 of $10.00, at API list prices.',
      address: '/costs',
    },
    {
      title: "100% of this day's budget is spent",
      body: '$10.00 of $10.00 for /home/me/project, at API list prices.',
      address: '/costs',
    },
  ])
  const off = watching({ notices: { budget_reached: false } })
  off.watch.budgets([reached(100, null)])
  expect(off.shown).toEqual([])
})

const event = (kind: EventSummary['kind'], minutesAgo: number, more: object = {}) =>
  ({
    kind,
    session_id: 'a session',
    turn_id: 2,
    agent_id: null,
    text: 'mend the cache',
    ts_wall: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    ...more,
  }) as unknown as EventSummary
const longTurn = [event('user_prompt', 7), event('turn_ended', 0)] as const

test('the end of a long turn is reported with its prompt', () => {
  const { watch, shown } = watching()
  watch.events([event('user_prompt', 8, { agent_id: 'an agent', text: 'of the agent' }), ...longTurn])
  watch.events([event('turn_ended', 0)])
  expect(shown).toEqual([{ title: 'Done after 7 minutes', body: 'mend the cache', address: '/sessions/a%20session' }])
})

test('the end of an earlier turn that arrives behind the next prompt takes nothing from that prompt', () => {
  const { watch, shown } = watching()
  const [prompt, end] = longTurn
  watch.events([
    event('user_prompt', 9, { turn_id: 1, text: 'a cut turn' }),
    prompt,
    event('turn_ended', 8, { turn_id: 1 }),
  ])
  expect(shown).toEqual([])
  watch.events([end])
  expect(shown.map(({ body }) => body)).toEqual(['mend the cache'])
})

test.each([
  ['one that was short', {}, [event('user_prompt', 2), event('turn_ended', 0)]],
  ['one that ended long ago', {}, [event('user_prompt', 60), event('turn_ended', 50)]],
  ['one whose prompt nobody saw', {}, [event('turn_ended', 0)]],
  ['an agent that ended', {}, [event('user_prompt', 7), event('turn_ended', 0, { agent_id: 'an agent' })]],
  ['one that is looked at', { isLooking: true }, longTurn],
  ['any, with the switch off', { notices: { long_turn_minutes: 0 } }, longTurn],
] as const)('no notice is shown for %s', (_what, more, events) => {
  const { watch, shown } = watching(more)
  watch.events(events)
  expect(shown).toEqual([])
})

test('the minimum length of a reported turn is a setting', () => {
  const { watch, shown } = watching({ notices: { long_turn_minutes: 1 } })
  watch.events([event('user_prompt', 1.2), event('turn_ended', 0)])
  expect(shown.map(({ title }) => title)).toEqual(['Done after a minute'])
})

test('a request that begins to wait is reported once for its cap and session, unless the window has the focus', () => {
  const over = { cap: 'session_usd', scope: 's', limit: 20, used: 19, guess: 2 } as const
  const held = (id: string, session_id: string | null) => ({
    id,
    session_id,
    agent_id: null,
    project: null,
    spent_usd: null,
    over,
    held_since: '',
    refused_at: '',
  })
  const { watch, shown } = watching()
  watch.held([held('a', 's'), held('b', 's')])
  watch.held([held('b', 's'), held('c', 's')])
  watch.held([])
  watch.held([held('d', null)])
  expect(shown).toEqual([
    {
      title: 'A request waits for your decision',
      body: 'With this request, the session is estimated at up to $21.00 ($19.00 without it); your cap per session is $20.00. 2 requests wait.',
      address: '/sessions/s',
    },
    {
      title: 'A request waits for your decision',
      body: 'With this request, the session is estimated at up to $21.00 ($19.00 without it); your cap per session is $20.00.',
      address: '/live',
    },
  ])
  const looking = watching({ isLooking: true })
  looking.watch.held([held('a', 's')])
  expect(looking.shown).toEqual([])
})

test('a client that waits is reported in spite of the setting for budgets, unless the window has the focus', () => {
  const waits = {
    kind: 'waits',
    title: 'Claude waits for you',
    text: 'Claude needs your permission',
    session_id: 's',
  } as const
  const limit = { kind: 'limit_reset', title: 'A limit was reset', text: '' } as const
  const notices = { budget_reached: false }
  const away = watching({ notices })
  away.watch.news([limit, waits])
  expect(away.shown).toEqual([
    { title: 'Claude waits for you', body: 'Claude needs your permission', address: '/sessions/s' },
  ])
  const looking = watching({ notices, isLooking: true })
  looking.watch.news([waits])
  expect(looking.shown).toEqual([])
})
