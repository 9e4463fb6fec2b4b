import { expect, test } from 'vitest'
import { heightsOf, positionIn, ticksOf } from './map-ticks.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString()
const timed = (uuid: string, turn_id: number, minute: number) => ({ uuid, turn_id, timestamp: at(minute) })
const prompts = [timed('p1', 1, 0), timed('p2', 2, 10), timed('p3', 4, 50)]

test('each turn is equally high, and what happened within one is placed by time', () => {
  const failures = [timed('f', 2, 30), timed('g', 3, 50)]
  expect(
    ticksOf(prompts, { compactions: [timed('c', 1, 5)], failures }).map(({ uuid, at: place }) => [uuid, place]),
  ).toEqual([
    ['p1', 0],
    ['p2', 1 / 3],
    ['p3', 2 / 3],
    ['c', 0.5 / 3],
    ['f', 1.5 / 3],
    ['g', 2 / 3],
  ])
})

test('a turn of many calls is higher than one of few', () => {
  const heights = heightsOf(prompts, [
    { turn_id: 1, calls: 7 },
    { turn_id: 3, calls: 1 },
  ])
  expect(heights).toEqual([8, 2, 1])
  const none = { compactions: [], failures: [] }
  expect(ticksOf(prompts, none, heights).map(({ at: place }) => place)).toEqual([0, 8 / 11, 10 / 11])
})

test('the last turn has no known end, and nothing leaves the map', () => {
  expect(positionIn(prompts, 2, at(60))).toBeCloseTo(2.5 / 3)
  expect(positionIn(prompts, 2, at(50_000))).toBeLessThanOrEqual(1)
  expect(positionIn([], -1, at(0))).toBe(0)
})

test('a session of thousands of prompts has few ticks', () => {
  const many = Array.from({ length: 5000 }, (_, turn) => timed(`p${turn}`, turn, turn))
  expect(ticksOf(many, { compactions: [], failures: [] }).length).toBeLessThanOrEqual(300)
})
