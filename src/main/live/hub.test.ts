import { afterEach, describe, expect, test } from 'vitest'
import type { LiveBatch } from '../../shared/contract/live.ts'
import { createSummaries } from '../../shared/fixtures/event-summary.ts'
import type { Delta, EventSummary } from '../../shared/live-feed.ts'
import type { LiveSession } from '../../shared/turn-state.ts'
import { createLiveHub, type Backfill, type LiveHub, type LiveHubOptions, type LiveInterest } from './hub.ts'

const abort = new Set<AbortController>()
afterEach(() => {
  for (const controller of abort) controller.abort()
  abort.clear()
})

const noBackfill: Backfill = () => Promise.resolve({ events: [], more: 0 })
const hubOf = (options: Partial<LiveHubOptions> = {}) =>
  createLiveHub({ backfill: noBackfill, intervalMs: 1, ...options })

/** It is the same in every run. */
const event = (id: number, fields: Partial<EventSummary> = {}): EventSummary =>
  createSummaries()('thinking', { id, uuid: `u${id}`, seq: id, session_id: 's', text: `event ${id}`, ...fields })

function delta(text: string, fields: Partial<Delta> = {}): Delta {
  return { session_id: 's', agent_id: null, exchange_id: 'x', index: 0, block: 'text', text, ...fields }
}

/** A reader that takes a batch when the test says so. */
async function reader(hub: LiveHub, interest: LiveInterest = {}) {
  const controller = new AbortController()
  abort.add(controller)
  const iterator = hub.subscribe(interest, controller.signal)[Symbol.asyncIterator]()
  const first = iterator.next()
  let waiting: Promise<IteratorResult<LiveBatch>> | null = first
  await new Promise(setImmediate)
  return {
    leave: () => controller.abort(),
    async next(): Promise<LiveBatch | null> {
      const result = await (waiting ?? iterator.next())
      waiting = null
      return result.done === true ? null : result.value
    },
    async ids(count: number): Promise<number[]> {
      const seen: number[] = []
      while (seen.length < count) seen.push(...((await this.next())?.events.map(({ id }) => id) ?? []))
      return seen
    },
  }
}

describe('what a reader gets', () => {
  test('gets events published from then on, and only those it subscribed to', async () => {
    const hub = hubOf()
    hub.publish([event(1)], [])
    const all = await reader(hub)
    const one = await reader(hub, { session_id: 'b', kinds: ['error'] })
    hub.publish([event(2), event(3, { session_id: 'b' }), event(4, { session_id: 'b', kind: 'error' })], [delta('x')])
    expect(await all.next()).toMatchObject({ events: [{ id: 2 }, { id: 3 }, { id: 4 }], deltas: [{ text: 'x' }] })
    expect(await one.next()).toEqual({ events: [event(4, { session_id: 'b', kind: 'error' })], deltas: [] })
  })

  test('gets what waits for a decision at once and on each change: all of it, or that of its session', async () => {
    const hub = hubOf()
    const held = (id: string, session_id: string) => ({ id, session_id }) as NonNullable<LiveBatch['held']>[number]
    hub.reportHeld([held('x', 'a'), held('y', 'b')])
    const all = await reader(hub)
    const one = await reader(hub, { session_id: 'b' })
    expect(await all.next()).toEqual({ events: [], deltas: [], held: [held('x', 'a'), held('y', 'b')] })
    expect(await one.next()).toEqual({ events: [], deltas: [], held: [held('y', 'b')] })
    hub.reportHeld([held('x', 'a')])
    hub.reportHeld([])
    expect(await all.next()).toEqual({ events: [], deltas: [], held: [] })
    expect(await one.next()).toEqual({ events: [], deltas: [], held: [] })
  })

  test('pieces of one text are joined, those of others are not', async () => {
    const hub = hubOf()
    const slow = await reader(hub)
    hub.publish([event(1)], [])
    hub.publish([], [delta('a'), delta('b'), delta('c', { index: 1 }), delta('d', { done: true })])
    expect((await slow.next())?.deltas.map(({ text, index, done }) => [text, index, done])).toEqual([
      ['abd', 0, true],
      ['c', 1, undefined],
    ])
  })

  test('a reader that is too slow gets the newest, and the count of what it missed', async () => {
    const hub = hubOf({ maxWaiting: 3 })
    const slow = await reader(hub)
    for (let id = 1; id <= 10; id += 1) hub.publish([event(id)], [])
    expect(await slow.next()).toMatchObject({ events: [{ id: 8 }, { id: 9 }, { id: 10 }], missed: 7 })
    hub.publish([event(11)], [])
    expect(await slow.next()).toEqual({ events: [event(11)], deltas: [] })
  })

  test('a burst arrives as few batches', async () => {
    const hub = hubOf({ intervalMs: 30 })
    const one = await reader(hub)
    hub.publish([event(1)], [])
    await one.next()
    for (let id = 2; id <= 50; id += 1) hub.publish([event(id)], [])
    expect((await one.next())?.events).toHaveLength(49)
  })
})

test('a reader to whom nothing happened for long gets the next event without waiting out an interval', async () => {
  const hub = hubOf({ intervalMs: 3_600_000 })
  const idle = await reader(hub)
  hub.publish([event(1)], [])
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    return 'nothing came'
  }
  expect(await Promise.race([idle.next(), turns()])).toMatchObject({ events: [{ id: 1 }] })
})

test('the first batch has the running turns on request; if they are unavailable, the feed continues without', async () => {
  const turns = { through: 4, sessions: [{ session_id: 's' } as LiveSession] }
  let running: typeof turns | null = turns
  const hub = hubOf({ runningTurns: () => Promise.resolve(running) })
  hub.publish([event(1), event(2)], [])
  const asking = await reader(hub, { turns: true, last_event_id: 1 })
  expect(await asking.next()).toEqual({ events: [event(2)], deltas: [], turns })
  hub.publish([event(3)], [])
  expect(await asking.next()).toEqual({ events: [event(3)], deltas: [] })
  const fresh = await reader(hub, { turns: true })
  expect(await fresh.next()).toEqual({ events: [], deltas: [], turns })
  const silent = await reader(hub, { last_event_id: 2 })
  expect(await silent.next()).toEqual({ events: [event(3)], deltas: [] })
  running = null
  const without = await reader(hub, { turns: true, last_event_id: 2 })
  expect(await without.next()).toEqual({ events: [event(3)], deltas: [] })
  const idle = await reader(hub, { turns: true, last_event_id: 3 })
  expect(await idle.next(), 'a reader that asked hears that nothing runs').toEqual({ events: [], deltas: [] })
})

test('corrections reach the readers of their session, the newest of each prompt', async () => {
  const hub = hubOf()
  const all = await reader(hub)
  const other = await reader(hub, { session_id: 'other' })
  const corrected = { uuid: 'u1', session_id: 's', turn_id: 1, is_prompt: false, text: 'I go on' }
  hub.publish([], [], [{ ...corrected, is_prompt: true }, corrected])
  hub.publish([event(1, { session_id: 'other' })], [])
  const first = await all.next()
  expect(
    [first, first?.events.length === 1 ? first : await all.next()].flatMap((batch) => batch?.corrected ?? []),
  ).toContainEqual(corrected)
  expect(await other.next()).toEqual({ events: [event(1, { session_id: 'other' })], deltas: [] })
})

describe('a reader that reconnects', () => {
  test('gets missed events from the ring, and nothing twice', async () => {
    const hub = hubOf({ backfill: () => Promise.reject(new Error('not to be asked')) })
    for (let id = 5; id <= 9; id += 1) hub.publish([event(id)], [])
    const back = await reader(hub, { last_event_id: 6 })
    hub.publish([event(10)], [])
    expect(await back.ids(4)).toEqual([7, 8, 9, 10])
    const current = await reader(hub, { last_event_id: 10 })
    hub.publish([event(11)], [])
    expect(await current.ids(1)).toEqual([11])
  })

  test('gets from the database what is no longer in the ring', async () => {
    const requested: unknown[] = []
    const hub = hubOf({
      ringSize: 2,
      backfill: (_interest, after, upTo) => {
        requested.push([after, upTo])
        return Promise.resolve({ events: [event(4), event(5)], more: 2 })
      },
    })
    for (let id = 1; id <= 7; id += 1) hub.publish([event(id)], [])
    const back = await reader(hub, { last_event_id: 1 })
    expect(await back.next()).toEqual({ events: [], deltas: [], missed: 2 })
    expect(await back.ids(4)).toEqual([4, 5, 6, 7])
    expect(requested).toEqual([[1, 5]])
  })

  test('events committed during the backfill arrive once', async () => {
    const gate = Promise.withResolvers<{ events: EventSummary[]; more: number }>()
    const hub = hubOf({ backfill: () => gate.promise })
    const back = await reader(hub, { last_event_id: 1 })
    hub.publish([event(3)], [])
    gate.resolve({ events: [event(2), event(3)], more: 0 })
    hub.publish([event(4)], [])
    const first = await back.next()
    // Ends the wait even if one of the others was lost.
    hub.publish([event(5)], [])
    const seen = [...(first?.events ?? [])].map(({ id }) => id)
    while (seen.at(-1) !== 5) seen.push(...(await back.ids(1)))
    expect(seen).toEqual([2, 3, 4, 5])
  })

  test('gets new events of a log that a backup has taken back behind the last one it knows', async () => {
    const log = [event(1), event(2)]
    const hub = hubOf({
      backfill: async (_interest, after, upTo) => ({
        events: log.filter(({ id }) => id > after && id <= (upTo ?? id)),
        more: 0,
      }),
    })
    const ahead = await reader(hub, { last_event_id: 9 })
    const level = await reader(hub, { last_event_id: 2 })
    // The log already has event 2, but not the feed: a reader that knows it does not get it again.
    hub.publish([event(2), event(3), event(10)], [])
    expect((await ahead.next())?.events.map(({ id }) => id)).toEqual([2, 3, 10])
    expect((await level.next())?.events.map(({ id }) => id)).toEqual([3, 10])
  })
})

test('a long backfill comes in batches without a gap, after the count of what is missing, be it one', async () => {
  const many = Array.from({ length: 600 }, (_, at) => event(at + 1))
  const hub = hubOf({ backfill: () => Promise.resolve({ events: many, more: 1 }) })
  const late = await reader(hub, { last_event_id: 0 })
  expect(await late.next()).toEqual({ events: [], deltas: [], missed: 1 })
  const ids: number[] = []
  while (ids.at(-1) !== 600) ids.push(...((await late.next())?.events.map(({ id }) => id) ?? []))
  expect(ids).toEqual(many.map(({ id }) => id))
})

test('readers that leave are forgotten; closing ends the rest', async () => {
  const hub = hubOf()
  const leaving = await reader(hub)
  const staying = await reader(hub)
  expect(hub.readers).toBe(2)
  leaving.leave()
  expect(await leaving.next()).toBeNull()
  expect(hub.readers).toBe(1)
  hub.close()
  expect(await staying.next()).toBeNull()
  expect(hub.readers).toBe(0)
})
