import { afterEach, expect, test, vi } from 'vitest'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { STARTING, watchStatus, type DesktopStatus, type StatusWatch } from './status-watch.ts'

let watch: StatusWatch | null = null
afterEach(() => watch?.stop())

const healthy = { status: 'ok', recorder: 'running', warnings: [], cost_today_usd: 1.5 }
const event = (id: number, session_id: string, more: object = {}) => ({
  id,
  session_id,
  kind: 'assistant_text',
  source: 'wire',
  agent_id: null,
  ts_wall: new Date().toISOString(),
  ...more,
})

/** An app that answers from these tables; other operations fail. */
function appOf(answers: Readonly<Record<string, () => unknown>>, batches: readonly unknown[] = []) {
  const requests: unknown[] = []
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  const dispatch: Dispatch = {
    async call(name, input) {
      requests.push({ name, input })
      const answer = answers[name]
      if (answer === undefined) throw new Error(`${name} cannot be asked`)
      return bytes(answer())
    },
    async *stream(_name, input, _context, signal) {
      requests.push({ stream: input })
      for (const batch of batches) yield { json: bytes(batch), id: null }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  }
  return { dispatch, requests }
}
function watching(dispatch: Dispatch) {
  const seen: DesktopStatus[] = []
  const calls = {
    onHealth: vi.fn(),
    onEvents: vi.fn(),
    onSettings: vi.fn(),
    onBudgets: vi.fn(),
    onNews: vi.fn(),
    onHeld: vi.fn(),
  }
  watch = watchStatus({ dispatch, waits: () => Promise.resolve(3), onStatus: (status) => seen.push(status), ...calls })
  return { seen, watch, ...calls }
}

test('counts earlier and new sessions; forwards budgets and settings', async () => {
  const { dispatch, requests } = appOf(
    {
      'health.get': () => healthy,
      'config.get': () => ({
        items: [
          { key: 'app.close_to_tray', value: false },
          { key: 'proxy.port', value: 1 },
        ],
      }),
      'events.recent': () => ({ items: [{ id: 900 }] }),
      'live.since': () => ({ events: [event(899, 'before'), event(900, 'by hook', { source: 'hook' })], more: 0 }),
    },
    [
      { events: [event(901, 'now')], deltas: [] },
      { events: [], deltas: [], held: [{ id: 'a' }] },
      { events: [], deltas: [], held: [] },
      { events: [], deltas: [], held: [] },
      { events: [], deltas: [], budgets: [{ mark: 80 }], held: [{ id: 'b' }] },
    ],
  )
  const { seen, watch, onEvents, onBudgets, onHeld, onSettings } = watching(dispatch)
  await expect.poll(() => onBudgets.mock.calls).toEqual([[[{ mark: 80 }]]])
  expect(watch.status()).toMatchObject({ sessions: 3, clients: 2 })
  expect(onEvents).toHaveBeenCalledTimes(1)
  expect(requests).toContainEqual({ name: 'live.since', input: { after: 400, limit: 500 } })
  expect(requests).toContainEqual({ stream: { last_event_id: 900 } })
  await watch.refresh()
  expect(seen.at(-1)).toEqual({
    capture: 'capturing',
    trouble: null,
    sessions: 3,
    clients: 2,
    costTodayUsd: 1.5,
    held: [{ id: 'b' }],
    waits: 3,
  })
  // No request waited before or after the second one, so it is not reported again.
  expect(onHeld.mock.calls).toEqual([[[{ id: 'a' }]], [[]], [[{ id: 'b' }]]])
  expect(onSettings.mock.lastCall?.[0]).toMatchObject({ app: { close_to_tray: false, start_at_login: false } })
})

test.each([
  ['capturing', {}, null],
  ['starting', { recorder: 'restarting' }, null],
  ['off', { status: 'ok', recorder: 'off', warnings: [{ message: 'Nothing is recorded.' }] }, null],
  ['failing', { status: 'degraded', recorder: 'spooling', warnings: [{ message: 'Disk full.' }] }, 'Disk full.'],
] as const)('it tells that it is %s', async (capture, health, trouble) => {
  const { seen, watch } = watching(appOf({ 'health.get': () => ({ ...healthy, ...health }) }).dispatch)
  await watch.refresh()
  expect(seen.at(-1)).toMatchObject({ capture, trouble })
})

test('the status is "starting" before the first answer, and "gone" if the app does not answer', async () => {
  const { seen, watch, onHealth } = watching(appOf({}).dispatch)
  expect(watch.status()).toEqual(STARTING)
  await watch.refresh()
  expect(seen.at(-1)).toMatchObject({ capture: 'gone', trouble: 'Aspy is not responding' })
  expect(onHealth).toHaveBeenLastCalledWith(null)
})

test('reports nothing after it is stopped', async () => {
  const { seen, watch } = watching(appOf({ 'health.get': () => healthy }).dispatch)
  watch.stop()
  await watch.refresh()
  expect(seen).toEqual([])
})

test('catches up with a session that the feed has not reported', async () => {
  let past: readonly object[] = []
  const { dispatch } = appOf({
    'events.recent': () => ({ items: [] }),
    'live.since': () => ({ events: past, more: 0 }),
  })
  const { watch } = watching(dispatch)
  await watch.catchUp()
  expect(watch.status()).toMatchObject({ sessions: 0, clients: 0 })
  past = [event(1, 'just begun')]
  await watch.catchUp()
  expect(watch.status()).toMatchObject({ sessions: 1, clients: 1 })
})

test('gives up catching up with an app that does not answer', async () => {
  vi.useFakeTimers()
  try {
    const never: Dispatch = { ...appOf({}).dispatch, call: () => new Promise(() => undefined) }
    const { watch } = watching(never)
    const caughtUp = vi.fn()
    void watch.catchUp().then(caughtUp)
    await vi.advanceTimersByTimeAsync(999)
    expect(caughtUp).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(caughtUp).toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})
