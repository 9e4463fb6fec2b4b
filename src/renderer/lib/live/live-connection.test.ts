import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { BudgetStatus } from '../../../shared/contract/budgets.ts'
import { budgetStatus } from '../../../shared/fixtures/budget-status.ts'
import { createSummaries } from '../../../shared/fixtures/event-summary.ts'
import type { EventSummary } from '../../../shared/live-feed.ts'
import { connectLiveStore } from './live-connection.ts'
import { LiveStore } from './live-store.ts'

interface Reader {
  readonly from: number | null
  batch(json: string): void
  end(error: { code: 'internal'; message: string } | null): void
}

/** The server behind the window's bridge: a log, and its readers. */
function createServer(recorded: number) {
  const make = createSummaries()
  const log: EventSummary[] = []
  const asked: (number | null)[] = []
  let readers: Reader[] = []
  let isDown = false
  const write = (count: number) => {
    const added = Array.from({ length: count }, () => make('assistant_text'))
    log.push(...added)
    send(added)
  }
  const send = (events: readonly EventSummary[], more: { budgets?: readonly BudgetStatus[] } = {}) => {
    for (const { batch } of readers) batch(JSON.stringify({ events, deltas: [], ...more }))
  }
  write(recorded)
  const aspy = {
    call: async () => ({ ok: true, json: JSON.stringify({ items: server.recent() }) }),
    subscribe(_: string, input: { last_event_id?: number }, batch: Reader['batch'], end: Reader['end']) {
      const from = input.last_event_id ?? null
      asked.push(from)
      const reader = { from, batch, end }
      if (isDown) queueMicrotask(() => end({ code: 'internal', message: 'nobody answers' }))
      else {
        readers.push(reader)
        if (from !== null) batch(JSON.stringify({ events: log.filter(({ id }) => id > from), deltas: [] }))
      }
      return () => void (readers = readers.filter((one) => one !== reader))
    },
  }
  const lose = () => {
    const lost = readers
    readers = []
    for (const { end } of lost) end({ code: 'internal', message: 'the connection is lost' })
  }
  const server = {
    aspy,
    recent: (): unknown[] => log.slice(-300).toReversed(),
    log,
    asked,
    write,
    send,
    lose,
    goDown() {
      isDown = true
      lose()
    },
    comeBack: () => void (isDown = false),
    readers: () => readers.length,
  }
  return server
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

async function open(server: ReturnType<typeof createServer>) {
  vi.stubGlobal('window', { aspy: server.aspy })
  const feed = new LiveStore()
  const reached: BudgetStatus[] = []
  const close = connectLiveStore(feed, (budgets) => reached.push(...budgets))
  await vi.advanceTimersByTimeAsync(0)
  return { feed, reached, close, seen: () => feed.events(() => true).map(({ id }) => id) }
}
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

test('after each loss the window goes on where it stood: nothing twice, nothing missing', async () => {
  const server = createServer(5)
  const window = await open(server)
  expect(window.seen()).toEqual(upTo(5))
  let last = 5
  for (const [while_open, while_lost] of [
    [1, 0],
    [0, 3],
    [4, 250],
    [0, 0],
    [2, 7],
  ] as const) {
    server.write(while_open)
    server.lose()
    expect(window.feed.getSnapshot()).toMatchObject({ status: 'lost', error: { message: 'the connection is lost' } })
    server.write(while_lost)
    last += while_open
    expect(window.seen()).toEqual(upTo(last))
    await vi.advanceTimersByTimeAsync(8000)
    expect(server.asked.at(-1)).toBe(last)
    last += while_lost
    expect(window.seen()).toEqual(upTo(last))
    expect(window.feed.getSnapshot()).toMatchObject({ status: 'open', error: null, received: last })
  }
  // Events sent shortly before the connection was lost may arrive again.
  server.send(server.log.slice(-3))
  expect(window.seen()).toEqual(upTo(last))
  window.close()
})

test('what happened long before the backlog and was recorded in between is not shown, and the rest is in order', async () => {
  const server = createServer(4)
  const times = [
    '2026-03-02T10:02:00.000Z',
    '2026-02-25T10:00:00.000Z',
    '2026-03-02T10:01:00.000Z',
    '2026-03-02T10:03:00.000Z',
  ]
  for (const [at, ts_wall] of times.entries()) Object.assign(server.log[at] ?? {}, { ts_wall })
  server.recent = () => [server.log[3], server.log[0], server.log[2]]
  const window = await open(server)
  expect(window.seen()).toEqual([3, 1, 4])
  window.close()
})

test('while nobody answers it tries again, more and more seldom, and then catches up', async () => {
  const server = createServer(2)
  const window = await open(server)
  server.goDown()
  server.write(3)
  const tries = () => server.asked.length - 1
  const after: number[] = []
  for (const ms of [500, 1000, 2000, 4000, 8000, 8000]) {
    await vi.advanceTimersByTimeAsync(ms - 1)
    after.push(tries())
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(after).toEqual([0, 1, 2, 3, 4, 5])
  server.comeBack()
  await vi.advanceTimersByTimeAsync(8000)
  expect(window.seen()).toEqual(upTo(5))
  expect(new Set(server.asked.slice(1))).toEqual(new Set([2]))
  // An event that arrives resets the wait.
  server.write(1)
  server.lose()
  await vi.advanceTimersByTimeAsync(500)
  expect([server.readers(), window.seen().at(-1)]).toEqual([1, 6])
  window.close()
})

test('it opens with the newest 300 events, tells of budgets, and asks no more once it is closed', async () => {
  const server = createServer(400)
  const window = await open(server)
  expect(window.seen()).toEqual(upTo(400, 101))
  server.send([], { budgets: [budgetStatus({ mark: 80 })] })
  expect(window.reached).toEqual([budgetStatus({ mark: 80 })])
  server.lose()
  window.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(server.asked).toEqual([100])
})

test('closed before its history is there, it asks for nothing', async () => {
  const server = createServer(3)
  vi.stubGlobal('window', { aspy: server.aspy })
  connectLiveStore(new LiveStore())()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(server.asked).toEqual([])
})
