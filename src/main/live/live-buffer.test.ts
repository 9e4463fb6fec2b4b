import { expect, test } from 'vitest'
import { budgetStatus } from '../../shared/fixtures/budget-status.ts'
import { createSummaries } from '../../shared/fixtures/event-summary.ts'
import type { Correction, Delta } from '../../shared/live-feed.ts'
import { createLiveBuffer } from './live-buffer.ts'

const delta = (text: string, fields: Partial<Delta> = {}): Delta => ({
  session_id: 's',
  agent_id: null,
  exchange_id: 'x',
  index: 0,
  block: 'text',
  text,
  ...fields,
})
const texts = (deltas: readonly Delta[]) => deltas.map(({ text }) => text)

test('what a reader takes gives back the room that its text took, each time', () => {
  const buffer = createLiveBuffer({ maxEvents: 10, maxDeltaLength: 10 })
  for (let round = 0; round < 50; round += 1) {
    buffer.add([], [delta('12345'), delta('6789'), delta('too long'), delta('0')])
    expect(texts(buffer.take().deltas)).toEqual(['1234567890'])
    expect(buffer.isEmpty).toBe(true)
  }
})

test('the bound counts the text of all blocks together, and what it refuses takes no room', () => {
  const buffer = createLiveBuffer({ maxEvents: 10, maxDeltaLength: 10 })
  buffer.add([], [delta('123456'), delta('refused', { index: 1 }), delta('7890', { index: 2 })])
  expect(texts(buffer.take().deltas)).toEqual(['123456', '7890'])
})

test('past the bound, the end of a text is still reported', () => {
  const buffer = createLiveBuffer({ maxEvents: 10, maxDeltaLength: 3 })
  buffer.add([], [delta('123'), delta('456', { done: true })])
  expect(buffer.take().deltas).toEqual([delta('123', { done: true })])
})

test('past the bound, the oldest events go and are counted, until the reader takes the rest', () => {
  const summary = createSummaries()
  const events = Array.from({ length: 7 }, () => summary('user_prompt'))
  const buffer = createLiveBuffer({ maxEvents: 3, maxDeltaLength: 10 })
  buffer.add(events.slice(0, 2), [])
  expect(buffer.take()).toEqual({ events: events.slice(0, 2), deltas: [] })
  buffer.add(events.slice(0, 4), [])
  buffer.add(events.slice(4), [])
  buffer.miss(10)
  expect(buffer.take()).toEqual({ events: events.slice(4), deltas: [], missed: 14 })
  expect(buffer.isEmpty).toBe(true)
  buffer.miss(1)
  expect(buffer.isEmpty).toBe(false)
  expect(buffer.take()).toEqual({ events: [], deltas: [], missed: 1 })
})

test('the newest correction of each prompt is kept, and of the prompts the newest', () => {
  const correction = (uuid: string, text: string): Correction => ({
    uuid,
    session_id: 's',
    turn_id: 1,
    is_prompt: true,
    text,
  })
  const buffer = createLiveBuffer({ maxEvents: 2, maxDeltaLength: 10 })
  buffer.addCorrected([
    correction('a', 'one'),
    correction('b', 'two'),
    correction('a', 'three'),
    correction('c', 'four'),
  ])
  expect(buffer.isEmpty).toBe(false)
  expect(buffer.take().corrected).toEqual([correction('a', 'three'), correction('c', 'four')])
  expect(buffer.take()).toEqual({ events: [], deltas: [] })
})

test('budgets and news are never dropped, and are taken once', () => {
  const buffer = createLiveBuffer({ maxEvents: 1, maxDeltaLength: 1 })
  const news = { kind: 'limit_reset' as const, title: 'a', text: 'b' }
  const budget = budgetStatus({ mark: 80 })
  buffer.addBudgets([budget])
  buffer.addBudgets([budget])
  buffer.addNews([news])
  buffer.addNews([news])
  expect(buffer.isEmpty).toBe(false)
  expect(buffer.take()).toEqual({ events: [], deltas: [], budgets: [budget, budget], news: [news, news] })
  expect(buffer.isEmpty).toBe(true)
  expect(buffer.take()).toEqual({ events: [], deltas: [] })
})
